//! What running sums and products have in common.

use stratal_ops::{CumProd, CumSum};
use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use crate::derivative::Call;
use crate::{EagerError, Var, apply};

impl Var {
    /// The running sum along an axis.
    pub(crate) fn running_sum(&self, axis: i64, exclusive: bool, reverse: bool) -> Result<Self, EagerError> {
        apply(&CumSum { exclusive, reverse }, &[Some(self), Some(&Tensor::scalar(axis)?.into())])
    }

    /// The running product along an axis.
    pub(crate) fn running_product(&self, axis: i64, exclusive: bool, reverse: bool) -> Result<Self, EagerError> {
        apply(&CumProd { exclusive, reverse }, &[Some(self), Some(&Tensor::scalar(axis)?.into())])
    }

    /// The product of all elements before each one along an axis, or of all behind it.
    pub(crate) fn products_aside(&self, axis: i64, behind: bool) -> Result<Self, EagerError> {
        self.running_product(axis, true, behind)
    }
}

/// The axis, which the second input gives. It must have been saved.
pub(crate) fn axis_of(call: &Call<'_>) -> Result<i64, EagerError> {
    let axes = call.input(1)?.cast(DType::I64)?.to_vec::<i64>()?;
    let axis = axes.first().ok_or_else(|| EagerError::Unfit("no axis to accumulate along".into()))?;
    Ok(call.shape(0).axis(*axis)? as i64)
}
