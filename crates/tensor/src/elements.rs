//! Elements in logical order, for tests, loading and debugging.

use stratal_tensor_base::Element;

use crate::{Tensor, TensorError};

impl Tensor {
    /// The elements in row-major order, copied into a vector.
    ///
    /// # Errors
    /// The errors of [`view`](Self::view).
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, TensorError> {
        self.check_dtype::<T>()?;
        let source = self.contiguous()?;
        let data = source.data::<T>()?;
        Ok(data.to_vec())
    }
}
