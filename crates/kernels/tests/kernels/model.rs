//! A naive model of the operations: plain Rust on one element, without anything of the crate under test.

use stratal_tensor_base::{DType, DTypeKind, bf16, f16};

use crate::EMULATED;
use crate::array::Array;
use crate::operations::{Form, OPERATIONS};
use crate::runner::{compare, expected};
use crate::values::{Generator, is_nan, mixed, mixed_nonzero};

/// The result of an operation on these elements, given by the name of its type. None where the model has no opinion: for
/// operations with attributes, and those that need a model of their own.
pub(crate) fn model(export: &str, form: &Form, operands: &[u64]) -> Option<u64> {
    match (export, operands) {
        ("copy", [x]) => Some(*x),
        ("select", [condition, then, otherwise]) => Some(if *condition != 0 { *then } else { *otherwise }),
        ("IsNan", [x]) => Some(is_nan(form.operands[0], *x).into()),
        (_, [a, b]) if form.result == DType::Bool && form.operands[0] != DType::Bool => {
            compared(export, form.operands[0], *a, *b)
        }
        _ => match form.operands[0].kind() {
            DTypeKind::Float => on_floats(export, form.operands[0], operands),
            DTypeKind::Bool => on_truths(export, operands),
            DTypeKind::Signed | DTypeKind::Unsigned => on_integers(export, form.operands[0], operands),
        },
    }
}

fn compared(export: &str, dtype: DType, a: u64, b: u64) -> Option<u64> {
    // An f64 holds every shorter float, and an i128 every integer.
    let truth = if dtype.is_float() {
        by_order(export, &to_f64(dtype, a), &to_f64(dtype, b))
    } else {
        by_order(export, &to_integer(dtype, a), &to_integer(dtype, b))
    };
    truth.map(u64::from)
}

fn by_order<T: PartialOrd>(export: &str, a: &T, b: &T) -> Option<bool> {
    match export {
        "Equal" => Some(a == b),
        "NotEqual" => Some(a != b),
        "Less" => Some(a < b),
        "LessOrEqual" => Some(a <= b),
        "Greater" => Some(a > b),
        "GreaterOrEqual" => Some(a >= b),
        _ => None,
    }
}

fn on_truths(export: &str, operands: &[u64]) -> Option<u64> {
    let truth = match (export, operands) {
        ("Not", [x]) => *x == 0,
        ("And", [a, b]) => *a != 0 && *b != 0,
        ("Or", [a, b]) => *a != 0 || *b != 0,
        ("Xor", [a, b]) => (*a != 0) != (*b != 0),
        (_, [a, b]) => by_order(export, &(*a != 0), &(*b != 0))?,
        _ => return None,
    };
    Some(truth.into())
}

/// The value of an integer pattern.
fn to_integer(dtype: DType, pattern: u64) -> i128 {
    let bits = 8 * dtype.size() as u32;
    let is_negative = dtype.kind() == DTypeKind::Signed && pattern >> (bits - 1) & 1 == 1;
    i128::from(pattern) - if is_negative { 1 << bits } else { 0 }
}

fn on_integers(export: &str, dtype: DType, operands: &[u64]) -> Option<u64> {
    let bits = 8 * dtype.size() as u32;
    let values: Vec<i128> = operands.iter().map(|pattern| to_integer(dtype, *pattern)).collect();
    let result = match (export, &values[..]) {
        ("Abs", [x]) => x.abs(),
        ("Neg", [x]) => -x,
        ("Not", [x]) => !x,
        ("Relu", [x]) => *x.max(&0),
        ("Sign", [x]) => x.signum(),
        ("Add", [a, b]) => a + b,
        ("Sub", [a, b]) => a - b,
        ("Mul", [a, b]) => a.wrapping_mul(*b),
        ("Div", [a, b]) => a / b,
        ("Remainder", [a, b]) => a % b,
        // Toward minus infinity.
        ("Modulo", [a, b]) => ((a % b) + b) % b,
        ("Pow", [a, b]) => power(*a, *b)?,
        ("Min", [a, b]) => *a.min(b),
        ("Max", [a, b]) => *a.max(b),
        ("And", [a, b]) => a & b,
        ("Or", [a, b]) => a | b,
        ("Xor", [a, b]) => a ^ b,
        ("ShiftLeft", [a, _]) => {
            if operands[1] < bits.into() {
                a << operands[1]
            } else {
                0
            }
        }
        // A shift of an i128 by up to 127 brings the sign in for all distances.
        ("ShiftRight", [a, _]) => a >> operands[1].min(127),
        _ => return None,
    };
    Some(result as u64 & (u64::MAX >> (64 - bits)))
}

/// By multiplying again and again, for exponents that allow it.
fn power(base: i128, exponent: i128) -> Option<i128> {
    match (base, exponent) {
        (_, 256..) => None,
        (_, 0..) => Some((0..exponent).fold(1, |product: i128, _| product.wrapping_mul(base))),
        (1, _) => Some(1),
        (-1, _) => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        _ => Some(0),
    }
}

fn to_f64(dtype: DType, pattern: u64) -> f64 {
    match dtype {
        DType::F64 => f64::from_bits(pattern),
        _ => to_f32(dtype, pattern).into(),
    }
}

fn to_f32(dtype: DType, pattern: u64) -> f32 {
    match dtype {
        DType::F16 => f16::from_bits(pattern as u16).to_f32(),
        DType::BF16 => bf16::from_bits(pattern as u16).to_f32(),
        _ => f32::from_bits(pattern as u32),
    }
}

fn on_floats(export: &str, dtype: DType, operands: &[u64]) -> Option<u64> {
    if dtype == DType::F64 {
        let values: Vec<f64> = operands.iter().map(|pattern| f64::from_bits(*pattern)).collect();
        return on_f64(export, &values).map(f64::to_bits);
    }
    let values: Vec<f32> = operands.iter().map(|pattern| to_f32(dtype, *pattern)).collect();
    let result = on_f32(export, &values)?;
    Some(match dtype {
        DType::F16 => f16::from_f32(result).to_bits().into(),
        DType::BF16 => bf16::from_f32(result).to_bits().into(),
        _ => result.to_bits().into(),
    })
}

macro_rules! floats {
    ($name:ident, $type:ty) => {
        fn $name(export: &str, operands: &[$type]) -> Option<$type> {
            Some(match (export, operands) {
                ("Abs", [x]) => x.abs(),
                ("Neg", [x]) => -x,
                ("Sign", [x]) if *x == 0.0 || x.is_nan() => *x,
                ("Sign", [x]) => x.signum(),
                ("Relu", [x]) if *x < 0.0 => 0.0,
                ("Relu", [x]) => *x,
                ("Floor", [x]) => x.floor(),
                ("Ceil", [x]) => x.ceil(),
                ("Trunc", [x]) => x.trunc(),
                ("Round", [x]) => x.round_ties_even(),
                ("Sqrt", [x]) => x.sqrt(),
                ("Reciprocal", [x]) => 1.0 / x,
                ("Add", [a, b]) => a + b,
                ("Sub", [a, b]) => a - b,
                ("Mul", [a, b]) => a * b,
                ("Div", [a, b]) => a / b,
                ("Remainder", [a, b]) => a % b,
                ("Modulo", [a, b]) => match a % b {
                    0.0 => (0.0 as $type).copysign(*b),
                    left if left.is_sign_negative() != b.is_sign_negative() => left + b,
                    left => left,
                },
                ("Min" | "Max", [a, _]) if a.is_nan() => *a,
                ("Min", [a, b]) if a < b => *a,
                ("Max", [a, b]) if a > b => *a,
                ("Min" | "Max", [_, b]) => *b,
                _ => return None,
            })
        }
    };
}

floats!(on_f32, f32);
floats!(on_f64, f64);

/// Compares what the reference gives for rows of elements with the model, and says whether the model has an opinion.
pub(crate) fn check_model(export: &str, form: &Form, operands: &[Array]) -> bool {
    let operation = crate::operations::Operation::of(export);
    let count = operands[0].count();
    let element = |index: usize| -> Option<u64> {
        model(export, form, &operands.iter().map(|operand| operand.get(index)).collect::<Vec<_>>())
    };
    let Some(modelled) = (0..count).map(element).collect::<Option<Vec<u64>>>() else {
        return false;
    };
    let found = expected(operation, operands, form.result, count);
    let positions: Vec<usize> = (0..count).collect();
    compare(&found, &Array::new(form.result, modelled), &positions, operation.moves_bits(), || {
        format!("{export} of {operands:?}")
    });
    true
}

#[test]
fn the_reference_is_what_plain_rust_gives() {
    let mut modelled = 0;
    for operation in OPERATIONS.iter() {
        for (number, form) in operation.forms().iter().enumerate() {
            let mut generator = Generator(number as u64);
            let count = if EMULATED { 200 } else { 20_000 };
            let fill = if operation.can_fail(form.operands[0]) { mixed_nonzero } else { mixed };
            let operands: Vec<Array> = form.operands.iter().map(|dtype| fill(*dtype, count, &mut generator)).collect();
            modelled += usize::from(check_model(operation.export, form, &operands));
        }
    }
    assert!(modelled > 200, "{modelled}");
}

/// All pairs of bytes, as signed and as unsigned numbers.
#[test]
fn every_pair_of_bytes() {
    let step = if EMULATED { 17 } else { 1 };
    let pairs: Vec<(u64, u64)> =
        (0..256).step_by(step).flat_map(|a| (0..256).step_by(step).map(move |b| (a, b))).collect();
    for operation in OPERATIONS.iter() {
        for form in operation.forms() {
            if form.operands.len() != 2 || form.operands[0].size() != 1 {
                continue;
            }
            let dtype = form.operands[0];
            let has_result = |(a, b): &&(u64, u64)| match operation.export {
                "Pow" => *a != 0 || to_integer(dtype, *b) >= 0,
                _ => !operation.can_fail(dtype) || *b != 0,
            };
            let (a, b): (Vec<u64>, Vec<u64>) = pairs.iter().filter(has_result).copied().unzip();
            assert!(check_model(operation.export, &form, &[Array::new(dtype, a), Array::new(dtype, b)]));
        }
    }
}
