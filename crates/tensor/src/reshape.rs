//! Reshape: the same elements in the same order under another shape.

use stratal_tensor_base::Shape;

use crate::{Tensor, TensorError};

impl Tensor {
    /// The same elements under another shape: a view where strides can say it, else a row-major copy. One extent may be
    /// -1 and is inferred.
    ///
    /// # Errors
    /// As for [`Shape::reshaped`]; when it has to copy, those of [`contiguous`](Self::contiguous).
    pub fn reshape(&self, extents: &[i64]) -> Result<Self, TensorError> {
        match self.try_reshape(extents)? {
            Some(view) => Ok(view),
            None => self.contiguous()?.reshape_to(&self.shape().reshaped(extents)?),
        }
    }

    /// The same elements under another shape as a view, or nothing where strides cannot say it. Never copies.
    ///
    /// # Errors
    /// As for [`Shape::reshaped`]; [`TensorError::Blocked`].
    pub fn try_reshape(&self, extents: &[i64]) -> Result<Option<Self>, TensorError> {
        let geometry = self.plain("reshape")?;
        let shape = geometry.shape().reshaped(extents)?;
        Ok(geometry.try_reshape(&shape).map(|geometry| self.with_geometry(geometry)))
    }

    /// The elements in row-major order: the tensor itself when they are already, else a copy.
    ///
    /// # Errors
    /// [`AllocationError`](stratal_memory::AllocationError), [`AccessError`](stratal_memory::AccessError),
    /// [`TensorError::Blocked`].
    pub fn contiguous(&self) -> Result<Self, TensorError> {
        if self.is_contiguous() { Ok(self.clone()) } else { self.copied() }
    }

    /// A contiguous tensor under a shape of the same count, which is always a view.
    fn reshape_to(&self, shape: &Shape) -> Result<Self, TensorError> {
        let geometry = self.plain("reshape")?;
        let view = geometry.try_reshape(shape).ok_or(TensorError::NotContiguous { geometry: *geometry })?;
        Ok(self.with_geometry(view))
    }
}
