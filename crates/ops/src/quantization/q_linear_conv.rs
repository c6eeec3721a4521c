//! `QLinearConv`: convolutions of bytes into bytes.

use stratal_kernels::{ZeroPoints, map};
use stratal_tensor_base::DType;

use super::linear::{expanded, requantize};
use crate::convolution::{Filter, by_channel, check_bias, check_quantized};
use crate::{Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes, read, write};

/// Convolves bytes that stand for numbers into bytes that do.
///
/// The inputs are images, their scale and zero point; weights, their scale and zero point, or one of each for each output
/// channel; the result's scale and zero point; and, if it is there, an int32 for each output channel, in the scale of the sums.
/// Sums are exact modulo 2^32, as in [`ConvInteger`](crate::ConvInteger). They are scaled in f64, rounded half to even, and
/// the zero point is added.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QLinearConv {
    /// How the weights slide over the images.
    pub filter: Filter,
}

impl QLinearConv {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "QLinearConv",
        since: 10,
        inputs: 8..=9,
        outputs: 1..=1,
        attributes: &["auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"],
        dtypes: dtypes::BYTES,
        build: |node| Ok(Box::new(Self { filter: Filter::of_node(node)? })),
    };
}

impl Operator for QLinearConv {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, weights) = (inputs.dtype(0, dtypes::BYTES)?, inputs.dtype(3, dtypes::BYTES)?);
        let dtype = inputs.dtype(7, dtypes::BYTES)?;
        [(2, x), (5, weights), (8, DType::I32)]
            .into_iter()
            .try_for_each(|(input, dtype)| inputs.check_dtype(input, dtype))?;
        [1, 4, 6].into_iter().try_for_each(|scale| inputs.dtype(scale, &[DType::F32]).map(drop))?;
        let shape = self.filter.infer(inputs, [0, 3])?;
        [1, 2, 6, 7].into_iter().try_for_each(|input| check_quantized(inputs, input, &Extent::from(1)))?;
        [4, 5].into_iter().try_for_each(|input| check_quantized(inputs, input, &shape[1]))?;
        check_bias(inputs, 8, &shape[1])?;
        Ok(vec![Fact::new(dtype, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, weights, kernels) = (inputs.required(0)?, inputs.required(3)?, context.kernels());
        let rank = x.shape().rank();
        let numbers = |input| by_channel(inputs.required(input)?, rank);
        let convolution = self.filter.on(x.shape(), weights.shape())?;
        let zero_of_weights = numbers(5)?;
        let zero_points = ZeroPoints { a: inputs.get(2), b: Some(&zero_of_weights) };
        outputs.write(0, |result| {
            let sums = context.scratch(DType::I32, result.shape())?;
            write(&sums, |sums| kernels.convolve_integer(&convolution, x, weights, &zero_points, sums))?;
            if let Some(bias) = inputs.get(8) {
                let bias = context.converted(&by_channel(bias, rank)?, DType::I32)?;
                let bias = expanded(&bias, &sums)?;
                write(&sums, |sums| {
                    Ok::<_, Cause>(kernels.binary_in_place(&map::Add, sums, &read(&bias)?.view()?)?)
                })?;
            }
            requantize(context, &sums, [&numbers(1)?, &numbers(4)?, &numbers(6)?], &numbers(7)?, result)
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;

    #[test]
    fn channels_have_scales_zero_points_and_biases() {
        let conv = QLinearConv::default();
        let scalar = |scale: f32| Tensor::scalar(scale).unwrap();
        let (x, zero_x) = (Tensor::from_slice(&[10_u8, 20, 30], &[1, 1, 3]).unwrap(), Tensor::scalar(10_u8).unwrap());
        let weights = Tensor::from_slice(&[3_i8, -3], &[2, 1, 1]).unwrap();
        let (scales, zeros) =
            (Tensor::from_slice(&[0.5_f32, 1.0], &[2]).unwrap(), Tensor::from_slice(&[1_i8, -1], &[2]).unwrap());
        let (bias, zero) = (Tensor::from_slice(&[1, 1000], &[2]).unwrap(), Tensor::scalar(-1_i8).unwrap());
        let (scale, scale_y) = (scalar(0.5), scalar(0.5));
        let inputs = [&x, &scale, &zero_x, &weights, &scales, &zeros, &scale_y, &zero, &bias].map(Some);
        let bytes = Context::new().unwrap().run(&conv, &inputs).unwrap().remove(0);
        // Sums of 1, 21, 41 and 1000, 980, 960, times 0.5 and 1; halves go to even before the zero point is added.
        assert_eq!(bytes.dtype(), DType::I8);
        assert_eq!(bytes.to_vec::<i8>().unwrap(), [-1, 9, 19, 127, 127, 127]);
    }
}
