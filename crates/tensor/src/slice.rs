//! Views that take a part of an axis. No data moves.

use stratal_tensor_base::{Geometry, Shape};

use crate::{Tensor, TensorError, access::span_bytes};

impl Tensor {
    /// Python's `[start:stop:step]` along one axis.
    ///
    /// # Errors
    /// As for [`Geometry::slice`]; [`TensorError::Blocked`].
    ///
    /// ```
    /// use stratal_tensor::{Tensor, base::DType};
    ///
    /// let numbers = Tensor::arange(0, 10, 1, DType::I32)?;
    /// let every_third_backwards = numbers.slice(0, None, None, -3)?;
    /// assert_eq!(every_third_backwards.to_vec::<i32>()?, [9, 6, 3, 0]);
    /// # Ok::<(), stratal_tensor::TensorError>(())
    /// ```
    pub fn slice(&self, axis: i64, start: Option<i64>, stop: Option<i64>, step: i64) -> Result<Self, TensorError> {
        Ok(self.with_geometry(self.plain("slice")?.slice(axis, start, stop, step)?))
    }

    /// `length` elements of an axis from `start` on; nothing is clamped.
    ///
    /// # Errors
    /// As for [`Geometry::narrow`]; [`TensorError::Blocked`].
    pub fn narrow(&self, axis: i64, start: i64, length: i64) -> Result<Self, TensorError> {
        Ok(self.with_geometry(self.plain("narrow")?.narrow(axis, start, length)?))
    }

    /// One index of an axis, which disappears.
    ///
    /// # Errors
    /// As for [`Geometry::select`]; [`TensorError::Blocked`].
    pub fn select(&self, axis: i64, index: i64) -> Result<Self, TensorError> {
        Ok(self.with_geometry(self.plain("select")?.select(axis, index)?))
    }

    /// Reverses axes.
    ///
    /// # Errors
    /// As for [`Geometry::flip`]; [`TensorError::Blocked`].
    pub fn flip(&self, axes: &[i64]) -> Result<Self, TensorError> {
        Ok(self.with_geometry(self.plain("flip")?.flip(axes)?))
    }

    /// Windows of `size` elements, one every `step`, as a new last axis. The result can be read but not written where
    /// windows share elements.
    ///
    /// # Errors
    /// As for [`Geometry::unfold`]; [`TensorError::Blocked`].
    pub fn unfold(&self, axis: i64, size: i64, step: i64) -> Result<Self, TensorError> {
        Ok(self.with_geometry(self.plain("unfold")?.unfold(axis, size, step)?))
    }

    /// Consecutive parts of an axis, of the given sizes.
    ///
    /// # Errors
    /// As for [`Geometry::split`]; [`TensorError::Blocked`].
    pub fn split<'a>(
        &'a self,
        axis: i64,
        sizes: &'a [i64],
    ) -> Result<impl Iterator<Item = Self> + use<'a>, TensorError> {
        Ok(self.plain("split")?.split(axis, sizes)?.map(|geometry| self.with_geometry(geometry)))
    }

    /// Consecutive parts of an axis of the same size; the last may be smaller.
    ///
    /// # Errors
    /// As for [`Geometry::split_every`]; [`TensorError::Blocked`].
    pub fn split_every(&self, axis: i64, size: i64) -> Result<impl Iterator<Item = Self> + use<'_>, TensorError> {
        Ok(self.plain("split")?.split_every(axis, size)?.map(|geometry| self.with_geometry(geometry)))
    }

    /// At most `count` consecutive parts of an axis.
    ///
    /// # Errors
    /// As for [`Geometry::chunk`]; [`TensorError::Blocked`].
    pub fn chunk(&self, axis: i64, count: i64) -> Result<impl Iterator<Item = Self> + use<'_>, TensorError> {
        Ok(self.plain("chunk")?.chunk(axis, count)?.map(|geometry| self.with_geometry(geometry)))
    }

    /// Every index of an axis in order, each as [`select`](Self::select) gives it.
    ///
    /// # Errors
    /// As for [`Geometry::unbind`]; [`TensorError::Blocked`].
    pub fn unbind(&self, axis: i64) -> Result<impl Iterator<Item = Self> + use<'_>, TensorError> {
        Ok(self.plain("unbind")?.unbind(axis)?.map(|geometry| self.with_geometry(geometry)))
    }

    /// Any strides and offset over the whole buffer, counted in elements of this dtype.
    ///
    /// # Errors
    /// [`ViewError`](stratal_tensor_base::ViewError) when the view leaves the buffer; [`TensorError::Blocked`]; for an
    /// empty tensor also [`TensorError::Misaligned`], and [`AccessError`](stratal_memory::AccessError).
    pub fn as_strided(&self, extents: &[i64], strides: &[i64], offset: i64) -> Result<Self, TensorError> {
        self.plain("as_strided")?;
        let count = (self.buffer().len() / self.dtype().size()) as u64;
        let geometry = Geometry::strided(Shape::new(extents)?, strides, offset, count)?;
        debug_assert!(span_bytes(&geometry, self.dtype()).end <= self.buffer().len());
        if self.is_empty() && !geometry.shape().is_empty() {
            // An empty tensor may have been placed on memory that no element fits.
            self.check_alignment()?;
        }
        Ok(self.with_geometry(geometry))
    }
}
