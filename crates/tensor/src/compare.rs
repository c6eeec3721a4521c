//! `all_close`: comparison of values, with a report that says where and how far they differ.

use std::fmt;

use stratal_tensor_base::{
    CastFromAny, DType, DTypeKind, Element, Integers, Scalar, Shape, ShapeError, cast, match_dtype,
};

use crate::{Tensor, TensorError, View};

/// How far two elements may differ and still be close: `|a - b| <= absolute + relative * |b|`, in f64.
///
/// Integers and bool compare exactly, whatever the tolerance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// The part that grows with the second element.
    pub relative: f64,
    /// The part that does not.
    pub absolute: f64,
    /// Whether NaN is close to NaN.
    pub is_nan_equal: bool,
}

impl Tolerance {
    /// What rounding in a few operations of this dtype explains.
    pub const fn of(dtype: DType) -> Self {
        let (relative, absolute) = match dtype {
            DType::F32 | DType::F64 => (1e-5, 1e-8),
            DType::F16 => (1e-3, 1e-5),
            DType::BF16 => (1.6e-2, 1e-5),
            _ => (0.0, 0.0),
        };
        Self { relative, absolute, is_nan_equal: false }
    }

    /// Equal values only.
    pub const EXACT: Self = Self { relative: 0.0, absolute: 0.0, is_nan_equal: false };

    /// Whether two numbers are close. Infinities are close to themselves only.
    fn accepts(&self, left: f64, right: f64) -> bool {
        if left == right {
            // Also where an infinite tolerance times zero would be no number.
            true
        } else if left.is_nan() || right.is_nan() {
            self.is_nan_equal && left.is_nan() && right.is_nan()
        } else if left.is_infinite() || right.is_infinite() {
            false
        } else {
            // Product and sum are rounded one after the other; Rust never fuses them by itself.
            (left - right).abs() <= self.absolute + self.relative * right.abs()
        }
    }
}

/// What comparing two tensors found. Prints as a readable report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The dtype compared.
    pub dtype: DType,
    /// The shape compared.
    pub shape: Shape,
    /// The tolerance that was allowed.
    pub tolerance: Tolerance,
    /// How many elements were not close.
    pub mismatches: usize,
    /// The largest absolute difference of any two elements, infinite where NaN or an infinity met something else.
    pub largest_difference: f64,
    /// Where the difference was worst among the elements that were not close; the first of several.
    pub worst: Option<Mismatch>,
}

/// Two elements that are not close.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mismatch {
    /// Their index.
    pub index: Integers,
    /// The element of the first tensor.
    pub left: Scalar,
    /// The element of the second tensor.
    pub right: Scalar,
}

impl Comparison {
    /// Whether all elements were close.
    pub fn is_close(&self) -> bool {
        self.mismatches == 0
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { dtype, shape, tolerance, mismatches, largest_difference, worst } = self;
        let count = shape.count();
        let Tolerance { relative, absolute, .. } = tolerance;
        match worst {
            None => write!(formatter, "all {count} elements close")?,
            Some(Mismatch { index, left, right }) => {
                write!(formatter, "{mismatches} of {count} elements not close, worst at {index}: {left} and {right}")?;
            }
        }
        write!(
            formatter,
            " ({dtype} {shape}, largest difference {largest_difference:?}, relative tolerance {relative:?}, absolute {absolute:?})"
        )
    }
}

impl Tensor {
    /// Compares the elements of two tensors of one dtype and shape.
    ///
    /// # Errors
    /// [`TensorError::BadTolerance`] for a negative or NaN tolerance, [`TensorError::MixedDTypes`],
    /// [`ShapeError::Different`], and the errors of [`view`](Self::view).
    ///
    /// ```
    /// use stratal_tensor::{Tensor, Tolerance, base::DType};
    ///
    /// let left = Tensor::from_slice(&[1.0_f32, 2.0, 3.0], &[3])?;
    /// let right = Tensor::from_slice(&[1.0_f32, 2.0, 3.1], &[3])?;
    /// let comparison = left.all_close(&right, Tolerance::of(DType::F32))?;
    /// assert!(!comparison.is_close());
    /// assert!(comparison.to_string().starts_with("1 of 3 elements not close, worst at [2]: 3 and 3.1"));
    /// # Ok::<(), stratal_tensor::TensorError>(())
    /// ```
    pub fn all_close(&self, other: &Self, tolerance: Tolerance) -> Result<Comparison, TensorError> {
        let Tolerance { relative, absolute, .. } = tolerance;
        if !(relative >= 0.0 && absolute >= 0.0) {
            return Err(TensorError::BadTolerance { relative, absolute });
        }
        if self.dtype() != other.dtype() {
            return Err(TensorError::MixedDTypes { left: self.dtype(), right: other.dtype() });
        }
        if self.shape() != other.shape() {
            return Err(ShapeError::Different { left: *self.shape(), right: *other.shape() }.into());
        }
        match_dtype!(self.dtype(), T => {
            Ok(compare::<T>(self.view()?.as_view(), other.view()?.as_view(), tolerance))
        })
    }
}

fn compare<T: CastFromAny>(left: View<'_, T>, right: View<'_, T>, tolerance: Tolerance) -> Comparison
where
    f64: stratal_tensor_base::CastFrom<T>,
{
    let mut comparison = Comparison {
        dtype: T::DTYPE,
        shape: *left.shape(),
        tolerance,
        mismatches: 0,
        largest_difference: 0.0,
        worst: None,
    };
    let mut worst_difference = -1.0;
    for (position, (left, right)) in left.iter().zip(right.iter()).enumerate() {
        let is_close = match T::DTYPE.kind() {
            DTypeKind::Float => tolerance.accepts(cast(left), cast(right)),
            _ => left == right,
        };
        let difference = if is_close && left == right { 0.0 } else { difference(left, right, is_close) };
        comparison.largest_difference = comparison.largest_difference.max(difference);
        if !is_close {
            comparison.mismatches += 1;
            if difference > worst_difference {
                worst_difference = difference;
                let index = index_of(position, &comparison.shape);
                comparison.worst = Some(Mismatch { index, left: left.into(), right: right.into() });
            }
        }
    }
    comparison
}

/// The absolute difference; infinite where NaN or an infinity meets something else, nothing where NaN may meet NaN.
fn difference<T: Element>(left: T, right: T, is_close: bool) -> f64
where
    f64: stratal_tensor_base::CastFrom<T>,
{
    let integer = |value: T| match value.into() {
        Scalar::I64(value) => i128::from(value),
        Scalar::U64(value) => i128::from(value),
        // f64 holds every other integer.
        other => other.cast::<f64>() as i128,
    };
    if !T::DTYPE.is_float() {
        return integer(left).abs_diff(integer(right)) as f64;
    }
    let (left, right): (f64, f64) = (cast(left), cast(right));
    if left.is_finite() && right.is_finite() {
        // Two numbers are never as far apart as a number and something else.
        (left - right).abs().min(f64::MAX)
    } else if is_close {
        0.0
    } else {
        f64::INFINITY
    }
}

/// The index of an element by its position in row-major order.
fn index_of(position: usize, shape: &Shape) -> Integers {
    let mut weight = shape.count();
    let mut rest = position;
    let coordinates = shape.extents().iter().map(|extent| {
        weight /= *extent as usize;
        let coordinate = rest / weight;
        rest %= weight;
        coordinate as i64
    });
    coordinates.collect()
}
