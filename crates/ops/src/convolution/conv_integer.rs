//! `ConvInteger`: convolutions of bytes.

use stratal_kernels::ZeroPoints;
use stratal_tensor_base::DType;

use super::{Filter, by_channel, check_quantized};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Convolves bytes into int32: the sum of `(x - zero of x) * (weight - zero of weights)`, exact modulo 2^32.
///
/// The zero points are the third and fourth input, 0 if left out: one for all images, and one for all weights or one for each
/// output channel. Padding means zero, so it is the zero point of images.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConvInteger {
    /// How the weights slide over the images.
    pub filter: Filter,
}

impl ConvInteger {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "ConvInteger",
        since: 10,
        inputs: 2..=4,
        outputs: 1..=1,
        attributes: &["auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"],
        dtypes: dtypes::BYTES,
        build: |node| Ok(Box::new(Self { filter: Filter::of_node(node)? })),
    };
}

impl Operator for ConvInteger {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, weights) = (inputs.dtype(0, dtypes::BYTES)?, inputs.dtype(1, dtypes::BYTES)?);
        inputs.check_dtype(2, x)?;
        inputs.check_dtype(3, weights)?;
        let shape = self.filter.infer(inputs, [0, 1])?;
        check_quantized(inputs, 2, &1.into())?;
        check_quantized(inputs, 3, &shape[1])?;
        Ok(vec![Fact::new(DType::I32, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, weights) = (inputs.required(0)?, inputs.required(1)?);
        let convolution = self.filter.on(x.shape(), weights.shape())?;
        let zero_of_weights = inputs.get(3).map(|zero| by_channel(zero, x.shape().rank())).transpose()?;
        let zero_points = ZeroPoints { a: inputs.get(2), b: zero_of_weights.as_ref() };
        outputs.write(0, |result| context.kernels().convolve_integer(&convolution, x, weights, &zero_points, result))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;

    #[test]
    fn groups_have_zero_points_of_their_own() {
        let conv = ConvInteger { filter: Filter { groups: 2, ..Filter::default() } };
        let x = Tensor::from_slice(&[5_u8, 7], &[1, 2, 1]).unwrap();
        let weights = Tensor::from_slice(&[10_i8, 10, 10, 10], &[4, 1, 1]).unwrap();
        let (zero_x, zeros) = (Tensor::scalar(1_u8).unwrap(), Tensor::from_slice(&[1_i8, 2, 3, 4], &[4]).unwrap());
        let inputs = [Some(&x), Some(&weights), Some(&zero_x), Some(&zeros)];
        let sums = Context::new().unwrap().run(&conv, &inputs).unwrap().remove(0);
        assert_eq!(sums.to_vec::<i32>().unwrap(), [4 * 9, 4 * 8, 6 * 7, 6 * 6]);
        let fault = Context::new().unwrap().run(&conv, &[Some(&x), Some(&weights), Some(&x)]).unwrap_err();
        assert_eq!(fault.to_string(), "ConvInteger: input 2 has shape [1, 2, 1]: expected a single number");
    }
}
