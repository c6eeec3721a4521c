//! Which element is the greatest: NaN before all others, and of equals the first.

use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use crate::every_way::{FLOATS, SIGNED, UNSIGNED, gives, is_same, plain, refusal, row, run, tensor, typed};

const NAN: f64 = f64::NAN;

#[test]
fn the_first_nan_is_the_greatest_and_the_least() {
    let rows = plain().with("axis", 1).with("keepdims", 0);
    let columns = plain().with("axis", 0).with("keepdims", 0);
    for dtype in FLOATS {
        for operator in ["ArgMax", "ArgMin"] {
            gives(operator, &rows, &[&typed(dtype, &[NAN, NAN, 3.0, 1.0, NAN, -3.0], &[2, 3])], &row(&[0_i64, 1]));
            // From the other end, NaN wins still.
            let x = typed(dtype, &[1.0, NAN, -3.0], &[1, 3]);
            gives(operator, &rows.clone().with("select_last_index", 1), &[&x], &row(&[1_i64]));
        }
        let x = typed(dtype, &[NAN, 1.0, NAN, 2.0, -3.0, 4.0], &[3, 2]);
        gives("ArgMax", &columns, &[&x], &row(&[0_i64, 2]));
        gives("ArgMin", &columns, &[&x], &row(&[0_i64, 0]));
    }
}

#[test]
fn nan_is_found_at_every_place_of_rows_of_any_length() {
    for dtype in FLOATS {
        for length in [2_usize, 15, 17, 64, 511, 512, 513, 600, 1025] {
            let places: Vec<_> =
                [0, 1, length / 3, length / 2, length - 1].into_iter().filter(|&at| at < length).collect();
            let mut elements = Vec::new();
            for &place in &places {
                let mut row: Vec<_> = (0..length).map(|i| (i % 50) as f64 - 25.0).collect();
                // A second one behind it changes nothing.
                row[place] = NAN;
                row[length - 1] = NAN;
                elements.extend(row);
            }
            let (count, length) = (places.len() as i64, length as i64);
            let x = typed(dtype, &elements, &[count, length]);
            let expected: Vec<_> = places.iter().map(|&place| place as i64).collect();
            let turned = x.permute(&[1, 0]).unwrap();
            for operator in ["ArgMax", "ArgMin"] {
                gives(operator, &plain().with("axis", 1), &[&x], &tensor(&expected, &[count, 1]));
                gives(operator, &plain().with("axis", 0), &[&turned], &tensor(&expected, &[1, count]));
            }
        }
    }
}

#[test]
fn of_equals_the_first_is_taken() {
    for dtype in FLOATS.into_iter().chain(SIGNED).chain(UNSIGNED) {
        let mut elements = vec![1.0; 600];
        (elements[70], elements[300], elements[20], elements[599]) = (2.0, 2.0, 0.0, 0.0);
        let x = typed(dtype, &elements, &[600]);
        gives("ArgMax", &plain(), &[&x], &row(&[70_i64]));
        gives("ArgMin", &plain(), &[&x], &row(&[20_i64]));
        gives("ArgMax", &plain().with("select_last_index", 1), &[&x], &row(&[300_i64]));
        gives("ArgMin", &plain().with("select_last_index", 1), &[&x], &row(&[599_i64]));
    }
}

#[test]
fn nothing_has_no_extreme_element() {
    for dtype in FLOATS.into_iter().chain(SIGNED).chain(UNSIGNED) {
        let none = Tensor::zeros(&[3, 0], dtype).unwrap();
        for operator in ["ArgMax", "ArgMin"] {
            let message = refusal(operator, &plain().with("axis", 1), &[&none]);
            assert!(message.starts_with(&format!("{operator}: ")), "{message}");
            // There are no columns to have one.
            gives(operator, &plain(), &[&none], &Tensor::zeros(&[1, 0], DType::I64).unwrap());
        }
    }
}

/// `TopK` along the only axis.
#[track_caller]
fn top(x: &Tensor, count: i64, is_largest: bool, expected: &[f64], indices: &[i64]) {
    let outputs = run("TopK", &plain().with("largest", i64::from(is_largest)), &[x, &row(&[count])]);
    assert!(is_same(&outputs[0], &typed(x.dtype(), expected, &[count])), "{outputs:?}");
    assert!(is_same(&outputs[1], &row(indices)), "{outputs:?}");
}

#[test]
fn nan_sorts_as_the_largest() {
    for dtype in FLOATS {
        top(&typed(dtype, &[1.0, NAN, 3.0, 2.0], &[4]), 2, true, &[NAN, 3.0], &[1, 2]);
        let x = typed(dtype, &[3.0, NAN, 1.0, 2.0], &[4]);
        top(&x, 4, false, &[1.0, 2.0, 3.0, NAN], &[2, 3, 0, 1]);
        top(&x, 4, true, &[NAN, 3.0, 2.0, 1.0], &[1, 0, 3, 2]);
        let x = typed(dtype, &[NAN, f64::INFINITY, -NAN, -f64::INFINITY], &[4]);
        top(&x, 4, true, &[NAN, NAN, f64::INFINITY, -f64::INFINITY], &[0, 2, 1, 3]);
        top(&x, 2, false, &[-f64::INFINITY, f64::INFINITY], &[3, 1]);
        // Zeros are equal, whatever their sign.
        top(&typed(dtype, &[-0.0, 0.0, -0.0, 0.0], &[4]), 3, true, &[0.0; 3], &[0, 1, 2]);
    }
}

#[test]
fn the_largest_of_a_long_row_are_exact() {
    for dtype in FLOATS.into_iter().chain([DType::I16, DType::I64, DType::U32]) {
        let mut elements = vec![0.0; 1000];
        for (place, value) in [(3, 5.0), (77, 9.0), (500, 9.0), (512, 1.0), (998, 7.0), (999, 2.0)] {
            elements[place] = value;
        }
        let x = typed(dtype, &elements, &[1000]);
        let (sorted, places) = ([9.0, 9.0, 7.0, 5.0, 2.0, 1.0, 0.0, 0.0], [77, 500, 998, 3, 999, 512, 0, 1]);
        for count in 0..=8 {
            top(&x, count as i64, true, &sorted[..count], &places[..count]);
        }
        top(&x, 5, false, &[0.0; 5], &[0, 1, 2, 4, 5]);
        let message = refusal("TopK", &plain(), &[&x, &row(&[1001_i64])]);
        assert!(message.starts_with("TopK: ") && message.contains("1001"), "{message}");
    }
}
