//! Scans: running sums and products along an axis.
//!
//! Elements are combined one after another, from the first on, or from the last for a reversed scan. 16-bit floats
//! accumulate in f32 and each result is narrowed once; integers wrap. A NaN stays in all results behind it.
//!
//! # Error
//! A rounding for each element behind the first: a running sum of n elements is within `(n - 1) / 2^24` of the sum of their
//! magnitudes, and stops growing where an element is less than half an ulp of it.

use bytemuck::cast_slice_mut;
use stratal_tensor_base::DType;

use crate::integer::match_integer;
use crate::rows::Along;
use crate::simd::Isa;
use crate::stage::{Source, each_row};
use crate::{AnyView, AnyViewMut, Integer, Threads};

/// What a scan accumulates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accumulation {
    /// Sums: ONNX's `CumSum`.
    Sum,
    /// Products.
    Product,
}

/// A running sum or product: the result at an index accumulates all elements up to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scan {
    /// What is accumulated.
    pub accumulation: Accumulation,
    /// Without the element at the index itself: the first result is then 0, or 1 for products.
    pub exclusive: bool,
    /// From the last element on.
    pub reverse: bool,
}

impl Scan {
    /// The running sum.
    pub const SUM: Self = Self { accumulation: Accumulation::Sum, exclusive: false, reverse: false };
    /// The running product.
    pub const PRODUCT: Self = Self { accumulation: Accumulation::Product, exclusive: false, reverse: false };

    /// The operation's name.
    pub const fn name(self) -> &'static str {
        match self.accumulation {
            Accumulation::Sum => "cumulative_sum",
            Accumulation::Product => "cumulative_product",
        }
    }

    /// Whether the operation has a meaning for this dtype: for all but bool.
    pub const fn is_defined(self, dtype: DType) -> bool {
        !matches!(dtype, DType::Bool)
    }
}

/// The scan of all rows.
pub(crate) fn run(
    scan: Scan,
    isa: Isa,
    threads: &Threads,
    x: &AnyView<'_>,
    result: &mut AnyViewMut<'_>,
    along: &Along,
) {
    let dtype = x.dtype();
    each_row(isa, threads, Some(&Source::new(x, along)), result, along, &|_, x, result| {
        if let Some(x) = x {
            result.copy_from_slice(x);
        }
        match dtype {
            DType::F64 => row(scan, cast_slice_mut::<u8, f64>(result), [0.0, 1.0], |a, b| a + b, |a, b| a * b),
            DType::F32 | DType::F16 | DType::BF16 => {
                row(scan, cast_slice_mut::<u8, f32>(result), [0.0, 1.0], |a, b| a + b, |a, b| a * b);
            }
            _ => match_integer!(dtype, T => {
                row(scan, cast_slice_mut::<u8, T>(result), [T::ZERO, T::ONE], Integer::add, Integer::mul);
            }),
        }
    });
}

/// Replaces the elements of a row by their scan.
fn row<T: Copy>(scan: Scan, row: &mut [T], neutral: [T; 2], add: impl Fn(T, T) -> T, mul: impl Fn(T, T) -> T) {
    match scan.accumulation {
        Accumulation::Sum => accumulate(scan, row, neutral[0], add),
        Accumulation::Product => accumulate(scan, row, neutral[1], mul),
    }
}

fn accumulate<T: Copy>(scan: Scan, row: &mut [T], neutral: T, combine: impl Fn(T, T) -> T) {
    let mut total = neutral;
    let step = |x: &mut T| {
        let before = total;
        total = combine(total, *x);
        *x = if scan.exclusive { before } else { total };
    };
    if scan.reverse { row.iter_mut().rev().for_each(step) } else { row.iter_mut().for_each(step) }
}
