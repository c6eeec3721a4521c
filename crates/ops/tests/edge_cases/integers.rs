//! Integers at their extremes, division by zero, and remainders.

use stratal_ops::Attributes;
use stratal_tensor::Tensor;
use stratal_tensor_base::{Bool, DType};

use crate::every_way::{FLOATS, SIGNED, UNSIGNED, gives, plain, refusal, row, run, tensor, typed};

/// The smallest number of a dtype of signed integers.
fn smallest(dtype: DType) -> f64 {
    -((8 * dtype.size() - 1) as f64).exp2()
}

fn fmod() -> Attributes {
    plain().with("fmod", 1)
}

#[test]
fn the_smallest_integer_divided_by_minus_one_is_itself() {
    for dtype in SIGNED {
        let x = typed(dtype, &[smallest(dtype); 70], &[70]);
        let minus_one = typed(dtype, &[-1.0], &[1]);
        gives("Div", &plain(), &[&x, &minus_one], &x);
        let zeros = Tensor::zeros(&[70], dtype).unwrap();
        gives("Mod", &plain(), &[&x, &minus_one], &zeros);
        gives("Mod", &fmod(), &[&x, &minus_one], &zeros);
        gives("Neg", &plain(), &[&x], &x);
        gives("Abs", &plain(), &[&x], &x);
        gives("Mul", &plain(), &[&x, &minus_one], &x);
    }
}

#[test]
fn integers_divided_by_zero_are_an_error_that_names_the_operator() {
    for dtype in SIGNED.into_iter().chain(UNSIGNED) {
        let x = typed(dtype, &[1.0, 2.0, 3.0, 4.0], &[4]);
        let divisors = [typed(dtype, &[1.0, 0.0, 1.0, 1.0], &[4]), typed(dtype, &[0.0], &[])];
        for (operator, attributes) in [("Div", plain()), ("Mod", plain()), ("Mod", fmod())] {
            for divisor in &divisors {
                let message = refusal(operator, &attributes, &[&x, divisor]);
                assert!(message.starts_with(&format!("{operator}: ")) && message.contains("zero"), "{message}");
            }
        }
        // Nothing is divided.
        let none = Tensor::zeros(&[0], dtype).unwrap();
        gives("Div", &plain(), &[&none, &divisors[1]], &none);
    }
}

#[test]
fn floats_divided_by_zero_are_infinite() {
    for dtype in FLOATS {
        let typed = |elements: &[f64]| typed(dtype, elements, &[elements.len() as i64]);
        let infinity = f64::INFINITY;
        let (x, zeros) = (typed(&[1.0, -2.0, 0.0, 3.0, -3.0]), typed(&[0.0, 0.0, 0.0, -0.0, -0.0]));
        gives("Div", &plain(), &[&x, &zeros], &typed(&[infinity, -infinity, f64::NAN, -infinity, infinity]));
        gives("Mod", &fmod(), &[&typed(&[2.0, 0.0]), &typed(&[0.0, 0.0])], &typed(&[f64::NAN; 2]));
    }
}

#[test]
fn remainders_have_the_sign_of_the_divisor_or_of_the_dividend() {
    for dtype in SIGNED {
        let typed = |elements: &[f64]| typed(dtype, elements, &[elements.len() as i64]);
        let x = typed(&[-3.0, -2.0, -1.0, 1.0, 2.0, 3.0]);
        let divisors = typed(&[2.0, 3.0, 1.0, 2.0, 1.0, 3.0]);
        gives("Mod", &plain(), &[&x, &divisors], &typed(&[1.0, 1.0, 0.0, 1.0, 0.0, 0.0]));
        gives("Mod", &plain(), &[&x, &typed(&[2.0])], &typed(&[1.0, 0.0, 1.0, 1.0, 0.0, 1.0]));
        gives("Mod", &fmod(), &[&x, &typed(&[2.0])], &typed(&[-1.0, 0.0, -1.0, 1.0, 0.0, 1.0]));
        let x = typed(&[-4.0, 7.0, 5.0, 4.0, -7.0, 8.0]);
        let divisors = typed(&[2.0, -3.0, 8.0, -2.0, 3.0, 5.0]);
        gives("Mod", &plain(), &[&x, &divisors], &typed(&[0.0, -2.0, 5.0, 0.0, 2.0, 3.0]));
        gives("Mod", &fmod(), &[&x, &divisors], &typed(&[0.0, 1.0, 5.0, 0.0, -1.0, 3.0]));
    }
    for dtype in FLOATS {
        let typed = |elements: &[f64]| typed(dtype, elements, &[elements.len() as i64]);
        let (x, divisors) = (typed(&[-4.5, 7.0, 5.0, 4.5, -7.0, 8.0]), typed(&[2.0, -3.5, 8.0, -2.0, 3.5, 5.5]));
        gives("Mod", &fmod(), &[&x, &divisors], &typed(&[-0.5, 0.0, 5.0, 0.5, 0.0, 2.5]));
        gives("Mod", &plain(), &[&x, &divisors], &typed(&[1.5, 0.0, 5.0, -1.5, 0.0, 2.5]));
    }
    let x = [-4.3_f32, 7.2, 5.0, 4.3, -7.2, 8.0];
    let divisors = [2.1_f32, -3.4, 8.0, -2.1, 3.4, 5.0];
    // Floats leave an exact remainder, which Rust computes too.
    let left: Vec<_> = x.iter().zip(divisors).map(|(x, divisor)| x % divisor).collect();
    gives("Mod", &fmod(), &[&row(&x), &row(&divisors)], &row(&left));
}

#[test]
fn sums_and_differences_wrap() {
    gives(
        "Sub",
        &plain(),
        &[&row(&[-128_i8, 127, -1, 0]), &row(&[1_i8, -128, -127, 100])],
        &row(&[127_i8, -1, 126, -100]),
    );
    for dtype in SIGNED {
        let least = smallest(dtype);
        let (x, one) = (typed(dtype, &[least; 70], &[70]), typed(dtype, &[1.0], &[1]));
        // The greatest one of i64 is no f64: all bits of the smallest are turned.
        let greatest = complement(&x);
        gives("Sub", &plain(), &[&x, &one], &greatest);
        gives("Add", &plain(), &[&greatest, &one], &x);
    }
    for dtype in UNSIGNED {
        let (zeros, one) = (Tensor::zeros(&[70], dtype).unwrap(), typed(dtype, &[1.0], &[1]));
        let greatest = complement(&zeros);
        gives("Sub", &plain(), &[&zeros, &one], &greatest);
        gives("Add", &plain(), &[&greatest, &one], &zeros);
    }
}

/// What has all the bits that `smallest` does not have.
fn complement(smallest: &Tensor) -> Tensor {
    run("BitwiseNot", &plain(), &[smallest]).remove(0)
}

#[test]
fn integer_powers_are_exact() {
    for dtype in [DType::I32, DType::I64, DType::U32, DType::U64] {
        let bases = typed(dtype, &[13.0, 17.0, 19.0, 23.0], &[4]);
        let expected = typed(dtype, &[815_730_721.0, 410_338_673.0, 893_871_739.0, 148_035_889.0], &[4]);
        for of_exponents in [dtype, DType::I8, DType::F32, DType::F64] {
            let exponents = typed(of_exponents, &[8.0, 7.0, 7.0, 6.0], &[4]);
            gives("Pow", &plain(), &[&bases, &exponents], &expected);
        }
    }
    // Beyond what an f64 tells apart, and beyond 64 bits.
    let bases = row(&[3_i64, 7, -3, 2, 3, -1]);
    let exponents = row(&[39_i64, 22, 39, 63, 41, 63]);
    let powers = [3_i64.pow(39), 7_i64.pow(22), -3_i64.pow(39), i64::MIN, 3_i64.wrapping_pow(41), -1];
    gives("Pow", &plain(), &[&bases, &exponents], &row(&powers));
    gives("Pow", &plain(), &[&row(&[3_u8, 2, 16]), &row(&[6_u8, 8, 2])], &row(&[217_u8, 0, 0]));
}

#[test]
fn negative_integer_powers_are_truncated_and_zero_has_none() {
    for dtype in SIGNED {
        let typed = |elements: &[f64]| typed(dtype, elements, &[elements.len() as i64]);
        let (bases, exponents) = (typed(&[1.0, -1.0, -1.0, 2.0, -5.0]), typed(&[-3.0, -3.0, -2.0, -1.0, -2.0]));
        gives("Pow", &plain(), &[&bases, &exponents], &typed(&[1.0, -1.0, 1.0, 0.0, 0.0]));
        let message = refusal("Pow", &plain(), &[&typed(&[0.0, 1.0]), &typed(&[-1.0])]);
        assert!(message.starts_with("Pow: ") && message.contains("zero"), "{message}");
    }
}

#[test]
fn numbers_are_true_unless_they_are_zero() {
    let to_bool = plain().with("to", i64::from(DType::Bool.onnx_code()));
    let truths = |truths: &[bool]| row(&truths.iter().map(|&truth| Bool::from(truth)).collect::<Vec<_>>());
    for dtype in FLOATS {
        let x = typed(dtype, &[-1.5, 0.0, 0.5, 300.0, -0.0, -1.0, f64::NAN, f64::INFINITY, 6e-8], &[9]);
        gives("Cast", &to_bool, &[&x], &truths(&[true, false, true, true, false, true, true, true, true]));
        gives(
            "CastLike",
            &plain(),
            &[&x, &truths(&[])],
            &truths(&[true, false, true, true, false, true, true, true, true]),
        );
    }
    // Halves of the numbers have no bits in their lowest byte.
    gives("Cast", &to_bool, &[&row(&[256_i32, 0, -65536, 1 << 30])], &truths(&[true, false, true, true]));
    gives("Cast", &to_bool, &[&row(&[1_i64 << 32, 0, i64::MIN])], &truths(&[true, false, true]));
    gives("Cast", &to_bool, &[&row(&[0_u8, 128, 255])], &truths(&[false, true, true]));
    gives("Cast", &to_bool, &[&tensor(&[5e-324_f64], &[])], &tensor(&[Bool::from(true)], &[]));
}
