//! `MeanVarianceNormalization`: mean 0 and variance 1 along axes.

use stratal_kernels::{Centre, Normalization};

use super::rows::{Statistics, normalize};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, axes, dtypes};

/// Normalises the elements along axes to mean 0 and variance 1.
///
/// Equal elements become 0: 1e-18 is added to the variance, where ONNX's own text adds 1e-9 to its root.
#[derive(Debug, Clone)]
pub struct MeanVarianceNormalization {
    /// The axes; they may count from the end.
    pub axes: Vec<i64>,
}

impl MeanVarianceNormalization {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "MeanVarianceNormalization",
        since: 13,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["axes"],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { axes: node.ints("axes")?.unwrap_or(&[0, 2, 3]).to_vec() })),
    };
}

impl Operator for MeanVarianceNormalization {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        let shape = inputs.shape(0)?;
        axes(&self.axes, shape.rank())?;
        Ok(vec![Fact::new(dtype, shape.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let axes = axes(&self.axes, x.shape().rank())?;
        let normalization = Normalization { centre: Centre::Mean, axes: &axes, epsilon: 1e-18 };
        outputs.write(0, |result| normalize(context, &normalization, x, [None, None], result, &Statistics::default()))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Attributes, build};

    #[test]
    fn equal_elements_become_zero() {
        let x = Tensor::from_slice(&[7.0_f32, 7.0, 1.0, 3.0], &[2, 2]).unwrap();
        let operator = MeanVarianceNormalization { axes: vec![-1, 1] };
        let result = Context::new().unwrap().run(&operator, &[Some(&x)]).unwrap().remove(0);
        assert_eq!(result.to_vec::<f32>().unwrap(), [0.0, 0.0, -1.0, 1.0]);
    }

    #[test]
    fn the_default_axes_are_those_of_images() {
        let operator = build(ONNX, "MeanVarianceNormalization", &Attributes::new(), 1, 1).unwrap();
        let row = Tensor::zeros(&[2, 3, 4], DType::F32).unwrap();
        let error = Context::new().unwrap().run(&*operator, &[Some(&row)]).unwrap_err();
        assert_eq!(error.to_string(), "MeanVarianceNormalization: axis 3 does not exist at rank 3");
    }
}
