//! What a convolution and its gradients are: three linear maps that are each other's derivatives.
//!
//! Images `x`, weights `w` and a result `y` meet in one sum of products `x * w * y`, over all that windows see. Whichever two
//! are given, the gradient with respect to the third is linear in both; so the gradient of each map is made of the other two,
//! as often as one likes.

use std::sync::Arc;

use stratal_kernels::Epilogue;
use stratal_kernels::convolution::Convolution;
use stratal_ops::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs, dtypes};
use stratal_tensor_base::Shape;

use super::gradient::{image_gradient, weight_gradient};
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::private::definition;
use crate::{EagerError, Var, apply};

/// How images, weights and a result meet.
#[derive(Debug)]
pub(crate) struct Correlation {
    pub(crate) convolution: Convolution,
    pub(crate) images: Shape,
    pub(crate) weights: Shape,
}

impl Correlation {
    /// The result, of images and weights.
    pub(crate) fn result(self: &Arc<Self>, images: &Var, weights: &Var) -> Result<Var, EagerError> {
        apply(&Convolved(Arc::clone(self)), &[Some(images), Some(weights)])
    }

    /// The gradient of the images, of that of the result and weights.
    pub(crate) fn images(self: &Arc<Self>, result: &Var, weights: &Var) -> Result<Var, EagerError> {
        apply(&ImageGradient(Arc::clone(self)), &[Some(result), Some(weights)])
    }

    /// The gradient of the weights, of images and that of the result.
    pub(crate) fn weights(self: &Arc<Self>, images: &Var, result: &Var) -> Result<Var, EagerError> {
        apply(&WeightGradient(Arc::clone(self)), &[Some(images), Some(result)])
    }
}

/// The gradient of a number for each channel that is added to images.
pub(crate) fn bias_gradient(gradient: &Var) -> Result<Var, EagerError> {
    let others: Vec<i64> = (0..gradient.rank() as i64).filter(|&axis| axis != 1).collect();
    gradient.sum(&others, false)
}

/// Each of two factors is saved if the other needs a gradient.
pub(crate) fn saved_factors(need: &Need<'_>) -> Saves {
    Saves::nothing().and_input_if(need.input(1), 0).and_input_if(need.input(0), 1)
}

/// `(x, w)` to `y`.
#[derive(Debug, Clone)]
pub(crate) struct Convolved(Arc<Correlation>);

/// `(y, w)` to `x`.
#[derive(Debug, Clone)]
pub(crate) struct ImageGradient(Arc<Correlation>);

/// `(x, y)` to `w`.
#[derive(Debug, Clone)]
pub(crate) struct WeightGradient(Arc<Correlation>);

impl Convolved {
    pub(crate) const DEFINITION: Definition = definition("Convolved", 2);
}

impl ImageGradient {
    pub(crate) const DEFINITION: Definition = definition("ConvolutionImageGradient", 2);
}

impl WeightGradient {
    pub(crate) const DEFINITION: Definition = definition("ConvolutionWeightGradient", 2);
}

impl Operator for Convolved {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let Correlation { convolution, images, weights } = &*self.0;
        fact(inputs, &convolution.output_shape(images, weights)?)
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, weights) = (inputs.required(0)?, inputs.required(1)?);
        let convolution = &self.0.convolution;
        outputs.write(0, |result| context.kernels().convolve(convolution, x, weights, &Epilogue::default(), result))
    }
}

impl Operator for ImageGradient {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        fact(inputs, &self.0.images)
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (gradient, weights) = (inputs.required(0)?, inputs.required(1)?);
        let convolution = &self.0.convolution;
        outputs.write(0, |result| image_gradient(context, convolution, gradient, weights, result))
    }
}

impl Operator for WeightGradient {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        fact(inputs, &self.0.weights)
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, gradient) = (inputs.required(0)?, inputs.required(1)?);
        let convolution = &self.0.convolution;
        outputs.write(0, |result| weight_gradient(context, convolution, x, gradient, result))
    }
}

fn fact(inputs: &Facts<'_>, shape: &Shape) -> Result<Vec<Fact>, Cause> {
    let dtype = inputs.dtype(0, dtypes::FLOATS)?;
    inputs.check_dtypes(dtype)?;
    Ok(vec![Fact::new(dtype, shape)])
}

impl Derivative for Convolved {
    fn saves(&self, need: &Need<'_>) -> Saves {
        saved_factors(need)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let y = call.gradient()?;
        let x = call.wanted(0, || self.0.images(&y, &call.input(1)?))?;
        let w = call.wanted(1, || self.0.weights(&call.input(0)?, &y))?;
        Ok([x, w].into())
    }
}

impl Derivative for ImageGradient {
    fn saves(&self, need: &Need<'_>) -> Saves {
        saved_factors(need)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let x = call.gradient()?;
        let y = call.wanted(0, || self.0.result(&x, &call.input(1)?))?;
        let w = call.wanted(1, || self.0.weights(&x, &call.input(0)?))?;
        Ok([y, w].into())
    }
}

impl Derivative for WeightGradient {
    fn saves(&self, need: &Need<'_>) -> Saves {
        saved_factors(need)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let w = call.gradient()?;
        let x = call.wanted(0, || self.0.images(&call.input(1)?, &w))?;
        let y = call.wanted(1, || self.0.result(&call.input(0)?, &w))?;
        Ok([x, y].into())
    }
}
