//! `GlobalMaxPool`: the gradient goes to the maximum of each image, the first of equal ones.

use stratal_ops::GlobalMaxPool;
use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for GlobalMaxPool {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let shape = call.shape(0);
        if shape.is_empty() {
            return Ok(call.zeros_like(0)?.into());
        }
        let elements: i64 = shape.extents()[2..].iter().map(|extent| i64::from(*extent)).product();
        let images = shape.count() as i64 / elements;
        let within = call.input(0)?.detach().reshape(&[images, elements])?.arg_max(1)?;
        let before = Tensor::arange(0, images * elements, elements, DType::I64)?;
        let indices = within.add(&before.into())?.reshape_to(call.output_shape(0))?;
        Ok(call.gradient()?.added_at(&indices, shape)?.into())
    }
}
