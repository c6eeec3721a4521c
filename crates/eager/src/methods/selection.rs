//! The largest and the smallest elements.

use stratal_ops as ops;
use stratal_tensor::Tensor;

use crate::{EagerError, Var, apply_outputs};

impl Var {
    /// The largest or smallest elements along an axis, in order, and their indices. Of equal ones the first come first; NaN is the
    /// largest of all.
    ///
    /// ```
    /// use stratal_eager::Var;
    ///
    /// let x = Var::leaf(&[1.0_f32, 3.0, 2.0], &[3])?;
    /// let (values, indices) = x.top_k(2, 0, true)?;
    /// assert_eq!((values.to_vec::<f32>()?, indices.to_vec::<i64>()?), (vec![3.0, 2.0], vec![1, 2]));
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Operator`] for an axis that does not exist, or more elements than it has.
    pub fn top_k(&self, count: i64, axis: i64, is_largest: bool) -> Result<(Self, Self), EagerError> {
        let operator = ops::TopK { axis, is_largest, is_sorted: true };
        let count = Tensor::from_slice(&[count], &[1])?.into();
        let mut outputs = apply_outputs(&operator, &[Some(self), Some(&count)], 2)?;
        let indices = outputs.swap_remove(1);
        Ok((outputs.swap_remove(0), indices))
    }
}
