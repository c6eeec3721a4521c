//! Writing in place through a variable: refused where backward could not know of it.

use stratal_tensor::{
    DataMut, Tensor, ViewMutGuard,
    base::{Element, Scalar},
    memory::WriteGuard,
};

use super::Variable;
use crate::{AutogradError, is_grad_enabled};

/// Each of these advances the version of the elements, so a value that was saved before is found overwritten.
impl Variable {
    /// The tensor, to be written in place by `operation`, which an error names.
    ///
    /// # Errors
    /// [`AutogradError::WriteWhileRecording`] if this variable requires gradients and grad mode is on: the write would
    /// be no part of the graph. Within [`no_grad`](crate::no_grad) it is the step of an optimiser.
    pub fn writable(&self, operation: &'static str) -> Result<&Tensor, AutogradError> {
        if self.requires_grad() && is_grad_enabled() {
            return Err(AutogradError::WriteWhileRecording { operation });
        }
        Ok(self.tensor())
    }

    /// [`Tensor::copy_from`].
    ///
    /// # Errors
    /// As [`writable`](Self::writable), and those of the tensor's method.
    pub fn copy_from(&self, source: &Tensor) -> Result<(), AutogradError> {
        Ok(self.writable("copy_from")?.copy_from(source)?)
    }

    /// [`Tensor::fill`].
    ///
    /// # Errors
    /// As [`writable`](Self::writable), and those of the tensor's method.
    pub fn fill(&self, value: impl Into<Scalar>) -> Result<(), AutogradError> {
        Ok(self.writable("fill")?.fill(value)?)
    }

    /// [`Tensor::set`].
    ///
    /// # Errors
    /// As [`writable`](Self::writable), and those of the tensor's method.
    pub fn set<T: Element>(&self, index: &[i64], value: T) -> Result<(), AutogradError> {
        Ok(self.writable("set")?.set(index, value)?)
    }

    /// [`Tensor::data_mut`].
    ///
    /// # Errors
    /// As [`writable`](Self::writable), and those of the tensor's method.
    pub fn data_mut<T: Element>(&self) -> Result<DataMut<'_, T>, AutogradError> {
        Ok(self.writable("data_mut")?.data_mut()?)
    }

    /// [`Tensor::view_mut`].
    ///
    /// # Errors
    /// As [`writable`](Self::writable), and those of the tensor's method.
    pub fn view_mut<T: Element>(&self) -> Result<ViewMutGuard<'_, T>, AutogradError> {
        Ok(self.writable("view_mut")?.view_mut()?)
    }

    /// [`Tensor::storage_mut`].
    ///
    /// # Errors
    /// As [`writable`](Self::writable), and those of the tensor's method.
    pub fn storage_mut(&self) -> Result<WriteGuard<'_>, AutogradError> {
        Ok(self.writable("storage_mut")?.storage_mut()?)
    }
}
