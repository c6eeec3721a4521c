//! `InstanceNormalization`: each channel of each image normalised by itself.

use stratal_kernels::{Centre, Normalization};

use super::rows::{Statistics, along_channels, check_channels, normalize};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Normalises each channel of each image to mean 0 and variance 1, then multiplies by a scale and adds a bias, one of each for
/// every channel.
///
/// Inputs are `x` of `[N, C, ..]`, scale and bias of `[C]`. A channel of one element becomes its bias.
#[derive(Debug, Clone, Copy)]
pub struct InstanceNormalization {
    /// What is added to the variance.
    pub epsilon: f32,
}

impl InstanceNormalization {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "InstanceNormalization",
        since: 22,
        inputs: 3..=3,
        outputs: 1..=1,
        attributes: &["epsilon"],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { epsilon: node.float_or("epsilon", 1e-5)? })),
    };
}

impl Operator for InstanceNormalization {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.check_dtypes(dtype)?;
        let shape = inputs.shape(0)?;
        let [_, channels, ..] = shape.extents() else {
            return Err(Cause::Shape { input: 0, shape: shape.to_string(), expected: "rank 2 or more".into() });
        };
        (1..3).try_for_each(|input| check_channels(inputs, input, channels))?;
        Ok(vec![Fact::new(dtype, shape.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let rank = x.shape().rank();
        let (scale, bias) = (along_channels(inputs.required(1)?, rank)?, along_channels(inputs.required(2)?, rank)?);
        let axes: Vec<_> = (2..rank).collect();
        let normalization = Normalization { centre: Centre::Mean, axes: &axes, epsilon: self.epsilon };
        outputs.write(0, |result| {
            normalize(context, &normalization, x, [Some(&scale), Some(&bias)], result, &Statistics::default())
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::infer;

    #[test]
    fn a_channel_of_one_element_becomes_its_bias() {
        let x = Tensor::from_slice(&[4.0_f32, -4.0], &[1, 2]).unwrap();
        let scale = Tensor::ones(&[2], DType::F32).unwrap();
        let bias = Tensor::from_slice(&[7.0_f32, 8.0], &[2]).unwrap();
        let operator = InstanceNormalization { epsilon: 1e-5 };
        let result = Context::new().unwrap().run(&operator, &[&x, &scale, &bias].map(Some)).unwrap().remove(0);
        assert_eq!(result.to_vec::<f32>().unwrap(), [7.0, 8.0]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let (x, channels) = (Fact::new(DType::F32, [3]), Fact::new(DType::F32, [3]));
        let operator = InstanceNormalization { epsilon: 1e-5 };
        let error = infer(&operator, "instance", &[&x, &channels, &channels].map(Some)).unwrap_err();
        assert_eq!(error.to_string(), "InstanceNormalization: input 0 has shape [3]: expected rank 2 or more");
    }
}
