//! Floating-point functions in their tails, and NaN and zeros with a sign.

use stratal_tensor_base::DType;

use crate::every_way::{FLOATS, gives, gives_nearly, numbers, plain, row, run, tensor, typed};

const INFINITY: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

#[test]
fn the_least_and_the_greatest_of_nan_are_nan_wherever_it_stands() {
    for dtype in FLOATS {
        let typed = |elements: &[f64]| typed(dtype, elements, &[elements.len() as i64]);
        gives("Min", &plain(), &[&typed(&[NAN, 1.0, 20.0]), &typed(&[10.0])], &typed(&[NAN, 1.0, 10.0]));
        gives("Max", &plain(), &[&typed(&[10.0]), &typed(&[NAN, 1.0])], &typed(&[NAN, 10.0]));
        gives("Max", &plain(), &[&typed(&[NAN]), &typed(&[2.0, 1.0])], &typed(&[NAN, NAN]));
        gives("Clip", &plain(), &[&typed(&[NAN, 5.0]), &typed(&[0.0]).reshape(&[]).unwrap()], &typed(&[NAN, 5.0]));
        gives("Relu", &plain(), &[&typed(&[NAN, -5.0])], &typed(&[NAN, 0.0]));
        // At every place of a row that is longer than any register.
        for place in 0..70 {
            let mut elements = [3.0; 70];
            elements[place] = NAN;
            let x = typed(&elements);
            for operator in ["Min", "Max"] {
                for other in [typed(&[3.0]), typed(&[3.0; 70])] {
                    gives(operator, &plain(), &[&x, &other], &x);
                    gives(operator, &plain(), &[&other, &x], &x);
                    gives(operator, &plain(), &[&other, &x, &other], &x);
                }
            }
        }
    }
}

#[test]
fn the_sign_of_nan_is_nan_and_of_zeros_zero() {
    for dtype in FLOATS {
        let x = typed(dtype, &[-0.0, 0.0, NAN, 2.0, -INFINITY, INFINITY, -1e-7], &[7]);
        gives("Sign", &plain(), &[&x], &typed(dtype, &[0.0, 0.0, NAN, 1.0, -1.0, 1.0, -1.0], &[7]));
    }
}

#[test]
fn softplus_neither_vanishes_nor_overflows() {
    let x = [-12.3392, 100.0, 1000.0, -1000.0, 0.0, -80.0, 20.0, -20.0];
    let exact = |x: f64| x.max(0.0) + (-x.abs()).exp().ln_1p();
    for (dtype, relative) in [(DType::F32, 4e-7), (DType::F64, 1e-15)] {
        let x = typed(dtype, &x, &[8]);
        let expected: Vec<_> = numbers(&x).into_iter().map(exact).collect();
        gives_nearly("Softplus", &plain(), &[&x], &expected, relative);
    }
    gives_nearly("Softplus", &plain(), &[&row(&[-12.3392_f32])], &[4.376_758e-6], 1e-6);
    gives("Softplus", &plain(), &[&row(&[100.0_f32, 1000.0])], &row(&[100.0_f32, 1000.0]));
    for dtype in [DType::F16, DType::BF16] {
        gives(
            "Softplus",
            &plain(),
            &[&typed(dtype, &[96.0, 1024.0, -1024.0], &[3])],
            &typed(dtype, &[96.0, 1024.0, 0.0], &[3]),
        );
    }
}

#[test]
fn the_error_function_and_gelu_are_exact_in_their_tails() {
    gives_nearly(
        "Erf",
        &plain(),
        &[&row(&[1e-7_f32, -1e-7, 1e-30])],
        &[1.128_379e-7, -1.128_379e-7, 1.128_379e-30],
        1e-6,
    );
    gives_nearly("Erf", &plain(), &[&row(&[1e-7_f64])], &[1.128_379_167_095_509e-7], 1e-14);
    gives("Erf", &plain(), &[&row(&[INFINITY, -INFINITY, NAN, 0.0, 10.0])], &row(&[1.0, -1.0, NAN, 0.0, 1.0]));
    let tails = [-1.433_257_859_395_969_5e-6, -7.619_853_024_160_526e-23];
    gives_nearly("Gelu", &plain(), &[&row(&[-5.0_f32, -10.0])], &tails, 1e-6);
    gives_nearly("Gelu", &plain(), &[&row(&[-5.0_f64, -10.0])], &tails, 2e-14);
}

#[test]
fn what_saturates_stays_within_its_bounds() {
    let x = [20.0, 25.0, 50.0, 88.8, 104.0, 500.0, 20_000.0, INFINITY];
    let x: Vec<_> = x.into_iter().flat_map(|x| [x, -x]).collect();
    for dtype in FLOATS {
        let x = typed(dtype, &x, &[16]);
        for (operator, least) in [("Tanh", -1.0), ("Sigmoid", 0.0), ("Erf", -1.0)] {
            let y = numbers(&run(operator, &plain(), &[&x])[0]);
            let is_bounded = y.iter().all(|y| (least..=1.0).contains(y));
            assert!(
                is_bounded && y.chunks(2).all(|pair| pair[0] > 0.999_99 && pair[1] <= 0.0 + 1e-5),
                "{operator} {y:?}"
            );
        }
        let finite: Vec<_> = numbers(&x).into_iter().filter(|x| x.is_finite()).collect();
        let count = finite.len() as i64;
        let y = numbers(&run("Swish", &plain(), &[&typed(dtype, &finite, &[count])])[0]);
        let is_bounded = |(x, y): (&f64, &f64)| {
            if *x > 0.0 { (x * (1.0 - 1e-8)..=*x).contains(y) } else { (-1e-7..=0.0).contains(y) }
        };
        assert!(finite.iter().zip(&y).all(is_bounded), "{finite:?} {y:?}");
    }
    // Small shares are not cut off.
    gives_nearly("Sigmoid", &plain(), &[&row(&[-20.0_f32, -80.0])], &[2.061_153_62e-9, 1.804_851_4e-35], 1e-6);
}

#[test]
fn logarithms_of_shares_do_not_underflow() {
    for dtype in FLOATS {
        gives(
            "LogSoftmax",
            &plain(),
            &[&typed(dtype, &[0.0, -200.0], &[1, 2])],
            &typed(dtype, &[0.0, -200.0], &[1, 2]),
        );
    }
    gives(
        "LogSoftmax",
        &plain().with("axis", 0),
        &[&tensor(&[0.0_f32, 1e30], &[2, 1])],
        &tensor(&[-1e30_f32, 0.0], &[2, 1]),
    );
}

#[test]
fn shares_among_negative_infinities_are_nan_and_among_nothing_empty() {
    for dtype in FLOATS {
        for operator in ["Softmax", "LogSoftmax"] {
            let x = typed(dtype, &[-INFINITY, -INFINITY, 0.0, -INFINITY], &[2, 2]);
            let second = if operator == "Softmax" { [1.0, 0.0] } else { [0.0, -INFINITY] };
            let expected = typed(dtype, &[NAN, NAN, second[0], second[1]], &[2, 2]);
            gives(operator, &plain(), &[&x], &expected);
            let turned = |x: &stratal_tensor::Tensor| x.permute(&[1, 0]).unwrap();
            gives(operator, &plain().with("axis", 0), &[&turned(&x)], &turned(&expected));
            let long = typed(dtype, &[-INFINITY; 70], &[1, 70]);
            gives(operator, &plain(), &[&long], &typed(dtype, &[NAN; 70], &[1, 70]));
            let none = typed(dtype, &[], &[3, 0]);
            gives(operator, &plain(), &[&none], &none);
        }
    }
}
