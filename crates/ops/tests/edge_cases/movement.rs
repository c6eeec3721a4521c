//! Slices with negative steps and extreme bounds, pads that crop, and indices into what is empty.

use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use crate::every_way::{FLOATS, gives, plain, refusal, row, tensor, typed};

/// `Slice` of 0 to 9.
#[track_caller]
fn slice(start: i64, end: i64, step: i64, expected: &[i64]) {
    for dtype in [DType::U8, DType::F16, DType::F32, DType::I64] {
        let digits = Tensor::arange(0, 10, 1, dtype).unwrap();
        let expected: Vec<_> = expected.iter().map(|&digit| digit as f64).collect();
        let inputs = [&digits, &row(&[start]), &row(&[end]), &row(&[0_i64]), &row(&[step])];
        gives("Slice", &plain(), &inputs, &typed(dtype, &expected, &[expected.len() as i64]));
    }
}

#[test]
fn a_backward_slice_ends_where_it_is_told() {
    slice(-1, i64::MAX, -1, &[]);
    slice(-1, i64::MIN, -1, &[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    slice(9, 0, -1, &[9, 8, 7, 6, 5, 4, 3, 2, 1]);
    slice(9, 0, -3, &[9, 6, 3]);
    slice(0, 5, -1, &[]);
    slice(100, i64::MIN, -4, &[9, 5, 1]);
    slice(i64::MAX, i64::MIN, -4, &[9, 5, 1]);
    slice(-1, -1, -1, &[]);
    slice(5, -100, -2, &[5, 3, 1]);
    slice(5, -10, -2, &[5, 3, 1]);
    slice(-3, -11, -1, &[7, 6, 5, 4, 3, 2, 1, 0]);
}

/// With a negative step, ONNX holds the start within the axis, whichever side it lies on.
#[test]
fn a_backward_slice_from_before_the_axis_has_its_first_element() {
    slice(-100, i64::MIN, -1, &[0]);
    slice(-11, i64::MIN, -3, &[0]);
    slice(i64::MIN, i64::MIN, i64::MIN, &[0]);
    slice(-100, -100, -1, &[0]);
    slice(-100, 0, -1, &[]);
}

#[test]
fn steps_may_be_of_any_size() {
    for step in [1_i64 << 62, i64::MAX] {
        slice(0, i64::MAX, step, &[0]);
        slice(3, i64::MAX, step, &[3]);
        slice(-1, i64::MIN, -step, &[9]);
        slice(4, i64::MIN, -step, &[4]);
        slice(10, i64::MAX, step, &[]);
    }
    slice(-1, i64::MIN, i64::MIN, &[9]);
    slice(i64::MIN, i64::MAX, 4, &[0, 4, 8]);
    slice(-100, 3, 1, &[0, 1, 2]);
    slice(100, i64::MAX, 1, &[]);
    let digits = Tensor::arange(0, 10, 1, DType::F32).unwrap();
    let message =
        refusal("Slice", &plain(), &[&digits, &row(&[0_i64]), &row(&[9_i64]), &row(&[0_i64]), &row(&[0_i64])]);
    assert!(message.starts_with("Slice: ") && message.contains("step"), "{message}");
}

#[test]
fn negative_pads_crop() {
    for dtype in FLOATS.into_iter().chain([DType::I8, DType::I64]) {
        let x = typed(dtype, &[0.0, 1.0, 2.0], &[3]);
        let padded = |mode: &str, pads: [i64; 2], expected: &[f64]| {
            let expected = typed(dtype, expected, &[expected.len() as i64]);
            gives("Pad", &plain().with("mode", mode), &[&x, &row(&pads)], &expected);
        };
        padded("constant", [-1, 2], &[1.0, 2.0, 0.0, 0.0]);
        padded("constant", [2, -1], &[0.0, 0.0, 0.0, 1.0]);
        padded("constant", [-1, -1], &[1.0]);
        padded("constant", [-2, -1], &[]);
        padded("edge", [-1, 2], &[1.0, 2.0, 2.0, 2.0]);
        padded("reflect", [-1, 1], &[1.0, 2.0, 1.0]);
        padded("wrap", [-1, 1], &[1.0, 2.0, 1.0]);
        let message = refusal("Pad", &plain(), &[&x, &row(&[-2_i64, -2])]);
        assert!(message.starts_with("Pad: "), "{message}");
    }
    let x = tensor(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]);
    gives("Pad", &plain(), &[&x, &row(&[1_i64, -1, -1, 0])], &tensor(&[0.0_f32, 0.0, 2.0, 3.0], &[2, 2]));
}

#[test]
fn reflection_goes_as_far_as_there_are_elements() {
    let reflect = plain().with("mode", "reflect");
    for dtype in FLOATS.into_iter().chain([DType::I8, DType::I64]) {
        let x = typed(dtype, &[1.0, 2.0, 3.0], &[3]);
        gives("Pad", &reflect, &[&x, &row(&[2_i64, 2])], &typed(dtype, &[3.0, 2.0, 1.0, 2.0, 3.0, 2.0, 1.0], &[7]));
        for pads in [[3, 0], [0, 3], [7, 7]] {
            let message = refusal("Pad", &reflect, &[&x, &row::<i64>(&pads)]);
            assert!(message.starts_with("Pad: ") && message.contains(&pads[0].max(pads[1]).to_string()), "{message}");
        }
        for mode in ["reflect", "edge"] {
            let none = Tensor::zeros(&[0], dtype).unwrap();
            let message = refusal("Pad", &plain().with("mode", mode), &[&none, &row(&[1_i64, 0])]);
            assert!(message.starts_with("Pad: "), "{message}");
        }
    }
}

#[test]
fn gathering_takes_indices_from_the_end_and_none_at_all() {
    for dtype in FLOATS.into_iter().chain([DType::Bool, DType::U8, DType::I64]) {
        let x = typed(dtype, &[0.0, 1.0, 1.0, 0.0, 1.0, 1.0], &[3, 2]);
        gives("GatherND", &plain(), &[&x, &tensor(&[-1_i64], &[1, 1])], &typed(dtype, &[1.0, 1.0], &[1, 2]));
        gives("GatherND", &plain(), &[&x, &tensor(&[-2_i64, -2], &[1, 2])], &typed(dtype, &[1.0], &[1]));
        let zeros = |extents: &[i64]| Tensor::zeros(extents, dtype).unwrap();
        gives("GatherND", &plain(), &[&zeros(&[2, 0]), &tensor(&[0_i64], &[1, 1])], &zeros(&[1, 0]));
        gives("GatherND", &plain(), &[&zeros(&[2, 2]), &tensor::<i64>(&[], &[0, 1])], &zeros(&[0, 2]));
        gives("Gather", &plain(), &[&zeros(&[2, 0]), &row(&[-1_i64])], &zeros(&[1, 0]));
        gives("Gather", &plain(), &[&zeros(&[2, 2]), &row::<i64>(&[])], &zeros(&[0, 2]));
        for (operator, indices, outside) in [
            ("GatherND", tensor(&[-3_i64, 0], &[1, 2]), "-3"),
            ("GatherND", tensor(&[0_i64, 2], &[1, 2]), "2"),
            ("Gather", row(&[-3_i64]), "-3"),
            ("GatherElements", tensor(&[2_i64], &[1, 1]), "2"),
        ] {
            let message = refusal(operator, &plain(), &[&zeros(&[2, 2]), &indices]);
            assert!(message.starts_with(&format!("{operator}: ")) && message.contains(outside), "{message}");
        }
        let message = refusal("GatherND", &plain(), &[&zeros(&[0, 2]), &tensor(&[0_i64], &[1, 1])]);
        assert!(message.starts_with("GatherND: "), "{message}");
    }
}
