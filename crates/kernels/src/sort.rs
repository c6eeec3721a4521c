//! Sorting along an axis, and the first few of what would be sorted.
//!
//! NaN is the largest, whatever its sign and payload; zeros of two signs are equal. Equal elements stand in the order of their
//! indices, ascending and descending alike. Elements are moved, bits unchanged.
//!
//! An element's key and its index make one integer, so that the order of integers is all that is needed: the key in the upper
//! half, inverted for descending order, the index in the lower. For the first few of many, candidates are gathered while
//! they are smaller than the worst of the best so far, and thinned out when there are twice as many as are needed.

pub(crate) mod driver;
mod error;

pub use error::SortError;
use stratal_tensor_base::Shape;

use crate::KernelError;

/// A sort of all elements along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort {
    /// The axis; negative ones count from the end.
    pub axis: i64,
    /// Whether the largest comes first.
    pub descending: bool,
}

/// The largest or smallest elements along an axis.
///
/// ```
/// use stratal_kernels::sort::TopK;
/// use stratal_kernels::{Kernels, Selection};
/// use stratal_tensor::{View, ViewMut};
/// use stratal_tensor_base::{Geometry, Shape};
///
/// let x = [1.0_f32, f32::NAN, 3.0, 2.0];
/// let (mut values, mut indices) = ([0.0_f32; 2], [0_i64; 2]);
/// let (four, two) = (Geometry::contiguous(Shape::new(&[4])?), Geometry::contiguous(Shape::new(&[2])?));
/// let top = TopK { axis: 0, k: 2, largest: true, sorted: true };
/// Selection::new().kernels()?.top_k(
///     &top,
///     &View::new(&x, four)?.into(),
///     &mut ViewMut::new(&mut values, two)?.into(),
///     &mut ViewMut::new(&mut indices, two)?.into(),
/// )?;
/// assert!(values[0].is_nan() && values[1] == 3.0);
/// assert_eq!(indices, [1, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TopK {
    /// The axis; negative ones count from the end.
    pub axis: i64,
    /// How many, from 0 to the axis' extent.
    pub k: i64,
    /// Whether the largest are wanted, else the smallest.
    pub largest: bool,
    /// Whether they stand in order, the largest or smallest first; else in the order of their indices.
    pub sorted: bool,
}

impl TopK {
    /// The shape of values and indices.
    ///
    /// # Errors
    /// [`SortError::Axis`] and [`SortError::Count`].
    pub fn output_shape(&self, shape: &Shape) -> Result<Shape, KernelError> {
        let axis = axis_of(shape, self.axis)?;
        let extent = shape.extent(axis);
        if !usize::try_from(self.k).is_ok_and(|k| k <= extent) {
            return Err(SortError::Count { k: self.k, axis, shape: *shape }.into());
        }
        let mut extents: Vec<i64> = shape.extents().iter().map(|extent| i64::from(*extent)).collect();
        extents[axis] = self.k;
        Ok(Shape::new(&extents)?)
    }
}

/// The axis, counted from the front.
pub(crate) fn axis_of(shape: &Shape, axis: i64) -> Result<usize, SortError> {
    shape.axis(axis).map_err(|_| SortError::Axis { axis, shape: *shape })
}
