//! Reductions of nothing, of NaN and infinities, and of more numbers than the dtype can count.

use stratal_kernels::{Backend, Selection};
use stratal_ops::{Context, build};
use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use crate::every_way::{FLOATS, SIGNED, UNSIGNED, gives, numbers, plain, row, run, tensor, typed};

const INFINITY: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

#[test]
fn extremes_of_rows_with_nan_are_nan() {
    for dtype in FLOATS {
        for operator in ["ReduceMax", "ReduceMin"] {
            let nan = typed(dtype, &[NAN], &[1]);
            gives(operator, &plain(), &[&typed(dtype, &[42.0, NAN, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], &[9])], &nan);
            gives(operator, &plain(), &[&typed(dtype, &[NAN, NAN, NAN, 42.0], &[4])], &nan);
            for length in [1, 2, 15, 16, 17, 33, 70] {
                // A row for each place of the NaN, and then the same along the other axis.
                let mut elements = vec![3.0; length * length];
                (0..length).for_each(|place| elements[place * length + place] = NAN);
                let x = typed(dtype, &elements, &[length as i64, length as i64]);
                gives(
                    operator,
                    &plain(),
                    &[&x, &row(&[1_i64])],
                    &typed(dtype, &vec![NAN; length], &[length as i64, 1]),
                );
                gives(
                    operator,
                    &plain(),
                    &[&x, &row(&[0_i64])],
                    &typed(dtype, &vec![NAN; length], &[1, length as i64]),
                );
            }
        }
    }
    // Blocks of 4096 elements are reduced apart.
    for place in [0, 4095, 4096, 8191, 8192] {
        let mut elements = vec![-1.0_f32; 8193];
        elements[place] = f32::NAN;
        gives("ReduceMax", &plain(), &[&row(&elements)], &row(&[f32::NAN]));
        gives("ReduceMin", &plain(), &[&row(&elements)], &row(&[f32::NAN]));
    }
}

#[test]
fn nothing_reduces_to_what_changes_nothing() {
    let along = row(&[1_i64]);
    for dtype in FLOATS {
        let none = Tensor::zeros(&[3, 0], dtype).unwrap();
        for (operator, expected) in [
            ("ReduceSum", 0.0),
            ("ReduceProd", 1.0),
            ("ReduceMean", NAN),
            ("ReduceMax", -INFINITY),
            ("ReduceMin", INFINITY),
            ("ReduceLogSumExp", -INFINITY),
            ("ReduceLogSum", -INFINITY),
            ("ReduceL1", 0.0),
            ("ReduceL2", 0.0),
            ("ReduceSumSquare", 0.0),
        ] {
            gives(operator, &plain(), &[&none, &along], &typed(dtype, &[expected; 3], &[3, 1]));
            gives(operator, &plain().with("keepdims", 0), &[&none], &typed(dtype, &[expected], &[]));
            // There is no row either.
            gives(operator, &plain(), &[&none, &row(&[0_i64])], &Tensor::zeros(&[1, 0], dtype).unwrap());
        }
    }
    for dtype in SIGNED.into_iter().chain(UNSIGNED) {
        let none = Tensor::zeros(&[3, 0], dtype).unwrap();
        let bits = 8 * dtype.size() as i32;
        let is_signed = SIGNED.contains(&dtype);
        let least = if is_signed { -2_f64.powi(bits - 1) } else { 0.0 };
        let least = typed(dtype, &[least; 3], &[3, 1]);
        // The greatest integer has all the bits that the least one does not have.
        let greatest = run("BitwiseNot", &plain(), &[&least]).remove(0);
        gives("ReduceMax", &plain(), &[&none, &along], &least);
        gives("ReduceMin", &plain(), &[&none, &along], &greatest);
        gives("ReduceSum", &plain(), &[&none, &along], &typed(dtype, &[0.0; 3], &[3, 1]));
        gives("ReduceProd", &plain(), &[&none, &along], &typed(dtype, &[1.0; 3], &[3, 1]));
    }
}

#[test]
fn logarithms_of_sums_do_not_overflow() {
    for dtype in FLOATS {
        let x = typed(dtype, &[-INFINITY, -INFINITY, INFINITY, 1.0, NAN, 1.0], &[3, 2]);
        gives("ReduceLogSumExp", &plain(), &[&x, &row(&[1_i64])], &typed(dtype, &[-INFINITY, INFINITY, NAN], &[3, 1]));
        gives(
            "ReduceLogSumExp",
            &plain(),
            &[&typed(dtype, &[30_000.0, -INFINITY], &[2])],
            &typed(dtype, &[30_000.0], &[1]),
        );
        gives(
            "ReduceLogSumExp",
            &plain(),
            &[&typed(dtype, &[-INFINITY; 70], &[70])],
            &typed(dtype, &[-INFINITY], &[1]),
        );
    }
}

#[test]
fn sums_of_short_floats_are_right() {
    let halves: Vec<_> = (0..1024).map(f64::from).collect();
    let of_halves = |elements: &[f64]| typed(DType::F16, elements, &[elements.len() as i64]);
    gives("ReduceMean", &plain(), &[&of_halves(&halves)], &of_halves(&[511.5]));
    gives("ReduceMean", &plain(), &[&of_halves(&[60_000.0; 4096])], &of_halves(&[60_000.0]));
    gives("ReduceSum", &plain(), &[&of_halves(&[1.0; 4096])], &of_halves(&[4096.0]));
    gives("ReduceSum", &plain(), &[&typed(DType::BF16, &[1.0; 1024], &[1024])], &typed(DType::BF16, &[1024.0], &[1]));
    let ones = typed(DType::F16, &[1.0; 8192], &[4096, 2]);
    gives("ReduceSum", &plain(), &[&ones, &row(&[0_i64])], &typed(DType::F16, &[4096.0; 2], &[1, 2]));
    let x = typed(DType::F16, &[60_000.0; 4096], &[1, 1, 64, 64]);
    gives("GlobalAveragePool", &plain(), &[&x], &typed(DType::F16, &[60_000.0], &[1, 1, 1, 1]));
}

/// One f32 of them counts up to 2^24, and no further.
#[test]
fn sums_of_very_many_ones_are_right() {
    let count = (1 << 24) + 2;
    let ones = Tensor::full(&[1], 1.0_f32, DType::F32).unwrap().expand(&[count]).unwrap();
    for selection in [Selection::new().backend(Backend::Reference), Selection::new()] {
        let context = Context::with_kernels(selection.kernels().unwrap());
        for (operator, expected) in [("ReduceSum", 16_777_218.0), ("ReduceMean", 1.0)] {
            let operator = build("", operator, &plain(), 1, 1).unwrap();
            let output = context.run(&*operator, &[Some(&ones)]).unwrap().remove(0);
            assert_eq!(output.to_vec::<f32>().unwrap(), [expected]);
        }
    }
}

#[test]
fn exclusive_sums_leave_an_element_out() {
    for dtype in FLOATS.into_iter().chain([DType::I32, DType::I64]) {
        let x = typed(dtype, &[1.0, 2.0], &[1, 2]);
        let exclusive = plain().with("exclusive", 1);
        let axis = |axis: i64| tensor(&[axis], &[]);
        gives("CumSum", &exclusive, &[&x, &axis(0)], &typed(dtype, &[0.0, 0.0], &[1, 2]));
        gives("CumSum", &exclusive, &[&x, &axis(-1)], &typed(dtype, &[0.0, 1.0], &[1, 2]));
        gives("CumSum", &exclusive.clone().with("reverse", 1), &[&x, &axis(0)], &typed(dtype, &[0.0, 0.0], &[1, 2]));
        let x = typed(dtype, &[1.0, 2.0, 3.0], &[3]);
        gives("CumSum", &exclusive.clone().with("reverse", 1), &[&x, &axis(0)], &typed(dtype, &[5.0, 3.0, 0.0], &[3]));
        gives("CumSum", &exclusive, &[&x, &axis(0)], &typed(dtype, &[0.0, 1.0, 3.0], &[3]));
        gives("CumSum", &plain().with("reverse", 1), &[&x, &axis(0)], &typed(dtype, &[6.0, 5.0, 3.0], &[3]));
        let none = Tensor::zeros(&[2, 0], dtype).unwrap();
        gives("CumSum", &exclusive, &[&none, &axis(1)], &none);
    }
}

/// The definition of the transform, computed in f64, is what any length is measured by.
#[test]
fn transforms_have_the_length_of_the_signal() {
    for length in [1, 7, 400, 512] {
        let signal: Vec<_> = (0..length).map(|n| f64::from((n * n + 3 * n) % 17) - 8.0).collect();
        let parts = (0..length).flat_map(|k| {
            let turn = |n: i32| -std::f64::consts::TAU * f64::from(k * n % length) / f64::from(length);
            let sum = |part: fn(f64) -> f64| (0..length).map(|n| signal[n as usize] * part(turn(n))).sum::<f64>();
            [sum(f64::cos), sum(f64::sin)]
        });
        let expected: Vec<f64> = parts.collect();
        for (dtype, error) in [(DType::F64, 1e-10), (DType::F32, 2e-4)] {
            let x = typed(dtype, &signal, &[1, length.into(), 1]);
            let spectrum = run("DFT", &plain().with("axis", 1), &[&x]).remove(0);
            assert_eq!(spectrum.shape().extents(), [1, length as u32, 2].map(|extent| extent as _));
            let is_near = numbers(&spectrum).iter().zip(&expected).all(|(is, should)| (is - should).abs() <= error);
            assert!(is_near, "{dtype} of {length}: {spectrum:?}, not {expected:?}");
        }
    }
}
