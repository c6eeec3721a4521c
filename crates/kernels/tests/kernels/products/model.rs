//! A naive model of products: each element of the result by itself, in the order that is promised.

use stratal_kernels::Precision;
use stratal_tensor_base::{DType, bf16, f16};

use crate::array::Array;
use crate::place::row_major;

/// Terms that fast products sum before the sum is added to that of the terms before.
const BLOCK: usize = 256;

/// Operands without gaps, with their extents.
pub(crate) type Dense<'a> = (&'a Array, &'a [i64]);

/// The product of matrices in the last two axes.
pub(crate) fn product(precision: Precision, a: Dense<'_>, b: Dense<'_>) -> Array {
    let ([.., rows, depth], [.., _, columns]) = (a.1, b.1) else { panic!("{:?} and {:?} are no matrices", a.1, b.1) };
    let sizes = [*rows, *depth, *columns].map(|size| size as usize);
    let (_, matrices) = matrices(a.1, b.1);
    let dtype = a.0.dtype;
    let sum = match (precision, dtype) {
        (Precision::Exact, _) => exact,
        (Precision::Fast, DType::F64) => fast_f64,
        (Precision::Fast, _) => fast_f32,
    };
    Array::new(
        dtype,
        match dtype.is_float() {
            true => each(&matrices, sizes, [a.0, b.0], |one| to_f64(dtype, one), |a, b| rounded(dtype, sum(a, b))),
            false => each(&matrices, sizes, [a.0, b.0], |one| one, wrapping),
        },
    )
}

/// Each element of all matrices, of a row of one and a column of the other.
fn each<T: Copy>(
    matrices: &[[usize; 2]],
    [rows, depth, columns]: [usize; 3],
    operands: [&Array; 2],
    number: impl Fn(u64) -> T,
    sum: impl Fn(&[T], &[T]) -> u64,
) -> Vec<u64> {
    let [a, b] = operands.map(|operand| operand.patterns().map(&number).collect::<Vec<T>>());
    let mut elements = Vec::with_capacity(matrices.len() * rows * columns);
    for [of_a, of_b] in matrices {
        let (a, b) = (&a[of_a * rows * depth..], &b[of_b * depth * columns..]);
        let column = |column: usize| (0..depth).map(|index| b[index * columns + column]).collect::<Vec<T>>();
        let right: Vec<Vec<T>> = (0..columns).map(column).collect();
        for row in 0..rows {
            elements.extend(right.iter().map(|column| sum(&a[row * depth..][..depth], column)));
        }
    }
    elements
}

/// The extents of a product.
pub(crate) fn extents(a: &[i64], b: &[i64]) -> Vec<i64> {
    let (batch, _) = matrices(a, b);
    [&batch[..], &[a[a.len() - 2], b[b.len() - 1]]].concat()
}

/// The batch of the result, and for each matrix of it the matrix of each operand.
fn matrices(a: &[i64], b: &[i64]) -> (Vec<i64>, Vec<[usize; 2]>) {
    let batches = [&a[..a.len() - 2], &b[..b.len() - 2]];
    let rank = batches[0].len().max(batches[1].len());
    // From the last axis on, ones in front.
    let padded = batches.map(|batch| [vec![1; rank - batch.len()], batch.to_vec()].concat());
    let strides = [row_major(&padded[0]), row_major(&padded[1])];
    let extents: Vec<i64> =
        (0..rank).map(|axis| if padded[0][axis] == 1 { padded[1][axis] } else { padded[0][axis] }).collect();
    let mut matrices = vec![[0, 0]];
    for axis in 0..rank {
        let step = |operand: usize| if padded[operand][axis] == 1 { 0 } else { strides[operand][axis] as usize };
        let (a, b) = (step(0), step(1));
        let along = |[of_a, of_b]: [usize; 2]| (0..extents[axis] as usize).map(move |i| [of_a + i * a, of_b + i * b]);
        matrices = matrices.into_iter().flat_map(along).collect();
    }
    (extents, matrices)
}

/// Low bits of sums and products depend on low bits alone, and signs on the width only.
fn wrapping(a: &[u64], b: &[u64]) -> u64 {
    a.iter().zip(b).fold(0, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)))
}

fn exact(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        sum += a * b;
    }
    sum
}

fn fast_f64(a: &[f64], b: &[f64]) -> f64 {
    let block = |(a, b): (&[f64], &[f64])| a.iter().zip(b).fold(0.0, |sum, (a, b)| a.mul_add(*b, sum));
    a.chunks(BLOCK).zip(b.chunks(BLOCK)).map(block).reduce(|total, block| total + block).unwrap_or(0.0)
}

/// Of numbers that are f32.
fn fast_f32(a: &[f64], b: &[f64]) -> f64 {
    let block =
        |(a, b): (&[f64], &[f64])| a.iter().zip(b).fold(0.0_f32, |sum, (a, b)| (*a as f32).mul_add(*b as f32, sum));
    a.chunks(BLOCK).zip(b.chunks(BLOCK)).map(block).reduce(|total, block| total + block).unwrap_or(0.0).into()
}

/// The value of a float.
pub(crate) fn to_f64(dtype: DType, pattern: u64) -> f64 {
    match dtype {
        DType::F16 => f16::from_bits(pattern as u16).to_f32().into(),
        DType::BF16 => bf16::from_bits(pattern as u16).to_f32().into(),
        DType::F32 => f32::from_bits(pattern as u32).into(),
        _ => f64::from_bits(pattern),
    }
}

/// The float nearest to a value, the even one of two.
pub(crate) fn rounded(dtype: DType, value: f64) -> u64 {
    match dtype {
        DType::F64 => value.to_bits(),
        DType::F32 => (value as f32).to_bits().into(),
        _ => rounded_to_half(dtype, value),
    }
}

/// By search: positive patterns are in the order of their values.
fn rounded_to_half(dtype: DType, value: f64) -> u64 {
    let (infinity, beyond) = if dtype == DType::F16 { (0x7C00, 2_f64.powi(16)) } else { (0x7F80, 2_f64.powi(128)) };
    if value.is_nan() {
        return infinity + 1;
    }
    // For rounding, infinity is what would come next.
    let number = |pattern: u64| if pattern == infinity { beyond } else { to_f64(dtype, pattern) };
    let size = value.abs();
    let (mut low, mut high) = (0, infinity);
    while high - low > 1 {
        let middle = (low + high) / 2;
        *(if number(middle) <= size { &mut low } else { &mut high }) = middle;
    }
    // Exact: f64 has many digits more.
    let tie = (number(low) + number(high)) / 2.0;
    let nearest = if size > tie || (size == tie && low % 2 == 1) { high } else { low };
    nearest | if value.is_sign_negative() { 0x8000 } else { 0 }
}

#[test]
fn sixteen_bits_are_rounded_to_once() {
    assert_eq!(rounded(DType::F16, 1.0 + 2_f64.powi(-11)), 0x3C00);
    assert_eq!(rounded(DType::F16, 1.0 + 2_f64.powi(-11) + 2_f64.powi(-40)), 0x3C01);
    assert_eq!(rounded(DType::F16, -1.0 - 3.0 * 2_f64.powi(-11)), 0xBC02);
    assert_eq!(rounded(DType::F16, 65520.0_f64.next_down()), 0x7BFF);
    assert_eq!(rounded(DType::F16, -65520.0), 0xFC00);
    assert_eq!(rounded(DType::F16, f64::INFINITY), 0x7C00);
    assert_eq!(rounded(DType::BF16, -1e-300), 0x8000);
    for dtype in [DType::F16, DType::BF16] {
        for pattern in (0..0x10000).filter(|pattern| !to_f64(dtype, *pattern).is_nan()) {
            assert_eq!(rounded(dtype, to_f64(dtype, pattern)), pattern);
        }
    }
}
