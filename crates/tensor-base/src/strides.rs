//! `Strides`: how far apart neighbours along each axis lie, in elements.

use core::fmt;

use crate::{MAX_RANK, Shape, ViewError, integers::write_list};

/// The element distance between neighbours along each axis.
///
/// 0 repeats one element (a broadcast axis), a negative stride runs backwards. There is room for eight axes; how many
/// count is the rank of the shape they go with. Strides of axes with an extent of 1, and of empty tensors, lead
/// nowhere and are ignored by every rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Strides([i32; MAX_RANK]);

impl Strides {
    /// Checks one stride for each axis of `shape`.
    ///
    /// # Errors
    /// [`ViewError::StrideCount`] and [`ViewError::StrideTooLarge`].
    pub fn new(shape: &Shape, strides: &[i64]) -> Result<Self, ViewError> {
        if strides.len() != shape.rank() {
            return Err(ViewError::StrideCount { strides: strides.len(), shape: *shape });
        }
        let mut checked = Self::default();
        for (axis, stride) in strides.iter().copied().enumerate() {
            checked.0[axis] = i32::try_from(stride).map_err(|_| ViewError::StrideTooLarge { stride, axis })?;
        }
        Ok(checked)
    }

    /// Row-major strides: the product of the extents to the right of each axis.
    ///
    /// The product is taken literally, a 0 included; one that does not fit 32 bits, possible for an empty shape only,
    /// is stored as 0.
    ///
    /// ```
    /// use stratal_tensor_base::{Shape, Strides};
    ///
    /// let shape = Shape::new(&[2, 3, 4])?;
    /// assert_eq!(Strides::contiguous(&shape).first(3), [12, 4, 1]);
    /// # Ok::<(), stratal_tensor_base::ShapeError>(())
    /// ```
    pub fn contiguous(shape: &Shape) -> Self {
        let mut strides = Self::default();
        let mut product = 1_u64;
        for (axis, extent) in shape.extents().iter().enumerate().rev() {
            strides.0[axis] = i32::try_from(product).unwrap_or(0);
            // Saturation keeps a product that is too large too large, until an extent of 0 ends it.
            product = product.saturating_mul(u64::from(*extent));
        }
        strides
    }

    /// The strides of the first `rank` axes.
    ///
    /// # Panics
    /// If `rank` is above [`MAX_RANK`].
    pub fn first(&self, rank: usize) -> &[i32] {
        &self.0[..rank]
    }

    /// Strides for as many axes as there are values.
    pub(crate) fn from_slice(values: &[i32]) -> Self {
        let mut strides = Self::default();
        strides.0[..values.len()].copy_from_slice(values);
        strides
    }
}

impl fmt::Debug for Strides {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_list(formatter, &self.0)?;
        formatter.write_str("]")
    }
}

/// A stride that is known to fit wherever it can lead to an element; elsewhere 0 stands for what does not fit.
pub(crate) fn fitting_stride(stride: i64) -> i32 {
    i32::try_from(stride).unwrap_or(0)
}
