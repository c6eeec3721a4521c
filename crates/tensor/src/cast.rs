//! Casts: a new tensor of another dtype.

use stratal_tensor_base::{CastError, DType, cast_slice, match_dtype, try_cast_slice};

use crate::{Tensor, TensorError, TensorOptions};

impl Tensor {
    /// The elements converted to another dtype, by the rules of [`stratal_tensor_base::cast()`]. Always a new, row-major
    /// tensor, also for the same dtype.
    ///
    /// # Errors
    /// [`AllocationError`](stratal_memory::AllocationError), [`AccessError`](stratal_memory::AccessError),
    /// [`TensorError::Blocked`].
    ///
    /// ```
    /// use stratal_tensor::{Tensor, base::DType};
    ///
    /// let floats = Tensor::from_slice(&[-1.5_f32, 0.5, 300.0], &[3])?;
    /// assert_eq!(floats.cast(DType::I8)?.to_vec::<i8>()?, [-1, 0, 127]);
    /// assert!(floats.try_cast(DType::I8).is_err());
    /// # Ok::<(), stratal_tensor::TensorError>(())
    /// ```
    pub fn cast(&self, dtype: DType) -> Result<Self, TensorError> {
        if dtype == self.dtype() && dtype != DType::Bool {
            return self.copied();
        }
        self.converted(dtype, |source, target| {
            match_dtype!(source.dtype(), S => match_dtype!(dtype, T => {
                cast_slice::<S, T>(&source.data()?, &mut target.data_mut()?)?;
            }));
            Ok(())
        })
    }

    /// As [`cast`](Self::cast), but refuses what would lose a value: NaN, infinities and numbers out of range on the way
    /// to an integer, and bool on either side.
    ///
    /// # Errors
    /// [`CastError`], naming the first such value and its position in row-major order, and as for
    /// [`cast`](Self::cast).
    pub fn try_cast(&self, dtype: DType) -> Result<Self, TensorError> {
        if self.dtype() == DType::Bool || dtype == DType::Bool {
            return Err(CastError::Bool { source_dtype: self.dtype(), target: dtype }.into());
        }
        self.converted(dtype, |source, target| {
            match_dtype!(source.dtype(), S => match_dtype!(dtype, T => {
                try_cast_slice::<S, T>(&source.data()?, &mut target.data_mut()?)?;
            }));
            Ok(())
        })
    }

    /// A new tensor that `convert` fills from the elements in row-major order.
    fn converted(
        &self,
        dtype: DType,
        convert: impl FnOnce(&Self, &Self) -> Result<(), TensorError>,
    ) -> Result<Self, TensorError> {
        let source = self.contiguous()?;
        let target = TensorOptions::new(dtype).empty_of(*self.shape())?;
        convert(&source, &target)?;
        Ok(target)
    }
}
