//! Shapes with zeros in them, and what shapes are refused.

use stratal_ops::{Elements, Extent, Fact, SymbolicShape, build, infer};
use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use crate::every_way::{FLOATS, gives, plain, refusal, row, run, tensor, typed};

#[test]
fn an_axis_of_one_becomes_an_axis_of_none() {
    for dtype in FLOATS.into_iter().chain([DType::I8, DType::I64, DType::U32]) {
        let zeros = |extents: &[i64]| Tensor::zeros(extents, dtype).unwrap();
        for operator in ["Add", "Sub", "Mul", "Div", "Max"] {
            gives(operator, &plain(), &[&zeros(&[2, 1]), &zeros(&[2, 0])], &zeros(&[2, 0]));
            gives(operator, &plain(), &[&zeros(&[0, 3]), &zeros(&[1, 3])], &zeros(&[0, 3]));
            gives(operator, &plain(), &[&zeros(&[0]), &zeros(&[])], &zeros(&[0]));
            let message = refusal(operator, &plain(), &[&zeros(&[2, 0]), &zeros(&[2, 3])]);
            assert!(message.starts_with(&format!("{operator}: ")) && message.contains('3'), "{message}");
        }
        assert!(run("Equal", &plain(), &[&zeros(&[2, 1]), &zeros(&[2, 0])])[0].shape().extents() == [2, 0]);
        gives("Expand", &plain(), &[&zeros(&[2, 1]), &row(&[2_i64, 0])], &zeros(&[2, 0]));
    }
}

#[test]
fn tiles_may_be_none() {
    for dtype in FLOATS.into_iter().chain([DType::Bool, DType::I8, DType::I64]) {
        let zeros = |extents: &[i64]| Tensor::zeros(extents, dtype).unwrap();
        gives("Tile", &plain(), &[&zeros(&[2, 2]), &row(&[0_i64, 2])], &zeros(&[0, 4]));
        gives("Tile", &plain(), &[&zeros(&[2, 3, 4]), &row(&[1_i64, 0, 2])], &zeros(&[2, 0, 8]));
        gives("Tile", &plain(), &[&zeros(&[2, 0]), &row(&[3_i64, 5])], &zeros(&[6, 0]));
    }
    let message = refusal("Tile", &plain(), &[&row(&[1.0_f32]), &row(&[-1_i64])]);
    assert!(message.starts_with("Tile: ") && message.contains("-1"), "{message}");
}

#[test]
fn reshaping_keeps_the_number_of_elements() {
    let zeros = |extents: &[i64]| Tensor::zeros(extents, DType::F32).unwrap();
    let allow_zero = plain().with("allowzero", 1);
    let refused = [
        (plain(), zeros(&[1, 2, 256, 0]), row(&[1_i64, 512, 256])),
        (allow_zero.clone(), zeros(&[0, 4]), row(&[0_i64, -1])),
        (plain(), zeros(&[8]), row(&[4_i64])),
        (plain(), zeros(&[8]), row(&[3_i64, -1])),
        (plain(), zeros(&[8]), row(&[-1_i64, -1])),
        (plain(), zeros(&[8]), row(&[-2_i64, -4])),
        // Elements that are 8 modulo 2^64.
        (plain(), zeros(&[8]), row(&[1_i64 << 31, 1 << 31, 4, 1])),
    ];
    for (attributes, x, shape) in refused {
        let message = refusal("Reshape", &attributes, &[&x, &shape]);
        assert!(message.starts_with("Reshape: "), "{message}");
    }
    gives("Reshape", &plain(), &[&zeros(&[2, 0]), &row(&[4_i64, -1])], &zeros(&[4, 0]));
    gives("Reshape", &plain(), &[&zeros(&[0, 4]), &row(&[0_i64, 2, 2])], &zeros(&[0, 2, 2]));
    gives("Reshape", &allow_zero, &[&zeros(&[0, 4]), &row(&[3_i64, 0])], &zeros(&[3, 0]));
}

#[test]
fn an_axis_may_be_listed_twice() {
    let x = tensor(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3, 1]);
    gives("ReduceSum", &plain().with("keepdims", 0), &[&x, &row(&[1_i64, -2])], &tensor(&[6.0_f32, 15.0], &[2, 1]));
    gives("ReduceSum", &plain(), &[&x, &row(&[1_i64, -2, 1])], &tensor(&[6.0_f32, 15.0], &[2, 1, 1]));
    gives("ReduceMean", &plain().with("keepdims", 0), &[&x, &row(&[1_i64, -2])], &tensor(&[2.0_f32, 5.0], &[2, 1]));
    gives(
        "ReduceMax",
        &plain().with("keepdims", 0),
        &[&x, &row(&[-1_i64, 2])],
        &tensor(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]),
    );
    gives("Squeeze", &plain(), &[&x, &row(&[2_i64, -1])], &tensor(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]));
    let x = tensor(&[1.0_f32, 2.0], &[2, 1, 1]);
    gives("Squeeze", &plain(), &[&x, &row(&[1_i64, -2])], &tensor(&[1.0_f32, 2.0], &[2, 1]));
}

#[test]
fn ranges_count_down_and_have_a_step() {
    for dtype in [DType::I16, DType::I32, DType::I64, DType::F32, DType::F64] {
        let number = |number: f64| typed(dtype, &[number], &[]);
        let range = |start: f64, limit: f64, step: f64, expected: &[f64]| {
            let expected = typed(dtype, expected, &[expected.len() as i64]);
            gives("Range", &plain(), &[&number(start), &number(limit), &number(step)], &expected);
        };
        range(10.0, 0.0, -3.0, &[10.0, 7.0, 4.0, 1.0]);
        range(0.0, 10.0, -3.0, &[]);
        range(10.0, 0.0, 3.0, &[]);
        range(0.0, 9.0, 3.0, &[0.0, 3.0, 6.0]);
        range(5.0, 5.0, 1.0, &[]);
        let message = refusal("Range", &plain(), &[&number(0.0), &number(10.0), &number(0.0)]);
        assert!(message.starts_with("Range: ") && message.contains('0'), "{message}");
    }
    let far = [row(&[i64::MIN]), row(&[i64::MAX]), row(&[i64::MAX])].map(|x| x.reshape(&[]).unwrap());
    gives("Range", &plain(), &[&far[0], &far[1], &far[2]], &row(&[i64::MIN, -1, i64::MAX - 1]));
}

/// The rule for a long range says how long it is, and does not make it.
#[test]
fn long_ranges_are_inferred_without_their_elements() {
    let range = build("", "Range", &plain(), 3, 1).unwrap();
    for dtype in [DType::I32, DType::I64] {
        let scalar = |number: i64| {
            let elements = Some(Elements::Integers(vec![Extent::from(number)]));
            Fact::new(dtype, SymbolicShape::new([])).with_elements(elements)
        };
        let facts = [0, 100_000_000, 1].map(scalar);
        let facts: Vec<_> = facts.iter().map(Some).collect();
        let inferred = infer(&*range, "range", &facts).unwrap().remove(0);
        assert_eq!(inferred.shape.unwrap().to_string(), "[100000000]");
        assert!(inferred.elements.is_none());
    }
}
