//! `QuantizeLinear`: numbers as integers, by scales and zero points.

use stratal_kernels::map;
use stratal_tensor_base::{DType, DTypeError};

use super::Granularity;
use super::linear::{round_into, sum_dtype};
use crate::{
    Cause, Context, Definition, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, Reading, attribute, read, write,
};

/// `round(x / scale) + zero point`, half to even, saturated to the range of the result.
///
/// The quotient is computed in the dtype of the scales, or in `precision`; that of integers in f64. A NaN becomes 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuantizeLinear {
    /// How many elements share a scale and a zero point.
    pub granularity: Granularity,
    /// The dtype of the result, if zero points do not say it; u8 by default.
    pub dtype: Option<DType>,
    /// What quotients are computed in, if not in the dtype of the scales.
    pub precision: Option<DType>,
}

/// What is quantised, and what scales are.
const NUMBERS: &[DType] = &[DType::F32, DType::F16, DType::BF16, DType::I32];

/// What numbers are quantised to.
const QUANTIZED: &[DType] = &[DType::I8, DType::U8, DType::I16, DType::U16];

impl QuantizeLinear {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "QuantizeLinear",
        since: 28,
        inputs: 2..=3,
        outputs: 1..=1,
        attributes: &["axis", "block_size", "output_dtype", "precision", "saturate"],
        dtypes: NUMBERS,
        build: |node| {
            // It has a meaning for floats of 8 bits alone.
            node.flag("saturate", true)?;
            Ok(Box::new(Self {
                granularity: Granularity::of_node(node)?,
                dtype: dtype_of(node, "output_dtype", QUANTIZED, "int8, uint8, int16 or uint16")?,
                precision: dtype_of(node, "precision", NUMBERS, "float32, float16, bfloat16 or int32")?,
            }))
        },
    };

    /// What quotients are computed in.
    fn precision(&self, scale: DType) -> DType {
        match self.precision.unwrap_or(scale) {
            DType::I32 => DType::F64,
            float => float,
        }
    }
}

/// An attribute that is a dtype, unless it is 0.
pub(super) fn dtype_of(
    node: &Node<'_>,
    name: &'static str,
    allowed: &[DType],
    expected: &'static str,
) -> Result<Option<DType>, Cause> {
    let code = node.int_or(name, 0)?;
    if code == 0 {
        return Ok(None);
    }
    let unfit = |value: String| attribute(name, value, expected);
    match DType::from_onnx(code) {
        Ok(dtype) if allowed.contains(&dtype) => Ok(Some(dtype)),
        Ok(dtype) => Err(unfit(dtype.to_string())),
        Err(DTypeError::UnsupportedOnnxType { name, .. }) => Err(unfit(name.to_ascii_lowercase())),
        Err(_) => Err(unfit(code.to_string())),
    }
}

impl Operator for QuantizeLinear {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        inputs.dtype(0, NUMBERS)?;
        inputs.dtype(1, NUMBERS)?;
        let dtype = match (inputs.get(2), self.dtype) {
            (Some(_), Some(dtype)) => {
                inputs.check_dtype(2, dtype)?;
                dtype
            }
            (Some(_), None) => inputs.dtype(2, QUANTIZED)?,
            (None, dtype) => dtype.unwrap_or(DType::U8),
        };
        self.granularity.check(inputs, 1)?;
        self.granularity.check(inputs, 2)?;
        Ok(vec![Fact { dtype, shape: inputs.required(0)?.shape.clone(), elements: None }])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, scale) = (inputs.required(0)?, inputs.required(1)?);
        let precision = self.precision(scale.dtype());
        let quotients = context.converted(x, precision)?;
        let scale = self.granularity.spread(context, scale, precision, x.shape())?;
        let scale = read(&scale)?;
        write(&quotients, |quotients| {
            Ok::<_, Cause>(context.kernels().binary_in_place(&map::Div, quotients, &scale.view()?)?)
        })?;
        let zero_point = |view| self.granularity.spread(context, view, sum_dtype(precision), x.shape());
        let zero_point = inputs.get(2).map(zero_point).transpose()?;
        let zero_point = zero_point.as_ref().map(read).transpose()?;
        let zero_point = zero_point.as_ref().map(Reading::view).transpose()?;
        outputs.write(0, |result| round_into(context, &quotients, zero_point.as_ref(), result))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::{cast, f16};

    use super::*;
    use crate::{Attributes, build};

    fn quantized(attributes: &Attributes, inputs: &[&Tensor]) -> Result<Tensor, String> {
        let operator = build("", "QuantizeLinear", attributes, inputs.len(), 1).map_err(|error| error.to_string())?;
        let inputs: Vec<_> = inputs.iter().map(|tensor| Some(*tensor)).collect();
        let outputs = Context::new().unwrap().run(&*operator, &inputs).map_err(|error| error.to_string())?;
        Ok(outputs.into_iter().next().unwrap())
    }

    #[test]
    fn halves_go_to_even_and_ends_saturate() {
        let x = [0.5_f32, 1.5, 2.5, -0.5, -1.5, 1e30, f32::NEG_INFINITY, f32::NAN];
        let (x, one) = (Tensor::from_slice(&x, &[8]).unwrap(), Tensor::scalar(1.0_f32).unwrap());
        let zero = Tensor::scalar(0_i8).unwrap();
        let integers = quantized(&Attributes::new(), &[&x, &one, &zero]).unwrap();
        assert_eq!(integers.to_vec::<i8>().unwrap(), [0, 2, 2, 0, -2, 127, -128, 0]);
        // The zero point is added to what was rounded.
        let odd = Tensor::scalar(1_u8).unwrap();
        let integers = quantized(&Attributes::new(), &[&x, &one, &odd]).unwrap();
        assert_eq!(integers.to_vec::<u8>().unwrap(), [1, 3, 3, 1, 0, 255, 0, 0]);
        let integers = quantized(&Attributes::new(), &[&x, &one]).unwrap();
        assert_eq!(integers.to_vec::<u8>().unwrap(), [0, 2, 2, 0, 0, 255, 0, 0]);
    }

    #[test]
    fn quotients_have_the_precision_of_the_scale() {
        let x = Tensor::from_slice(&[1000.4_f32], &[1]).unwrap();
        let half = Tensor::scalar(cast::<f32, f16>(0.1)).unwrap();
        let zero = Tensor::scalar(30_000_u16).unwrap();
        // 1000.5 / 0.09998 is 10007 as f16: multiples of 8 there.
        let integers = quantized(&Attributes::new(), &[&x, &half, &zero]).unwrap();
        assert_eq!(integers.to_vec::<u16>().unwrap(), [40_008]);
        let precise = Attributes::new().with("precision", i64::from(DType::F32.onnx_code()));
        let integers = quantized(&precise, &[&x, &half, &zero]).unwrap();
        assert_eq!(integers.to_vec::<u16>().unwrap(), [40_006]);
        let (integers, three) = (Tensor::from_slice(&[i32::MAX, 7], &[2]).unwrap(), Tensor::scalar(2_i32).unwrap());
        let integers = quantized(&Attributes::new(), &[&integers, &three]).unwrap();
        assert_eq!(integers.to_vec::<u8>().unwrap(), [255, 4]);
    }

    #[test]
    fn the_last_block_may_be_shorter() {
        let x = Tensor::from_slice(&[2.0_f32, 4.0, 6.0, 8.0, 10.0], &[5]).unwrap();
        let scales = Tensor::from_slice(&[1.0_f32, 2.0, 5.0], &[3]).unwrap();
        let blocks = Attributes::new().with("axis", -1).with("block_size", 2);
        assert_eq!(quantized(&blocks, &[&x, &scales]).unwrap().to_vec::<u8>().unwrap(), [2, 4, 3, 4, 2]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let x = Tensor::zeros(&[2, 3], DType::F32).unwrap();
        let scales = |extents: &[i64]| Tensor::ones(extents, DType::F32).unwrap();
        let fault = |name: &str, value: i64, scales: Tensor| {
            quantized(&Attributes::new().with(name, value), &[&x, &scales]).unwrap_err()
        };
        insta::assert_snapshot!(
            [
                fault("axis", 1, scales(&[2])),
                fault("axis", 2, scales(&[2])),
                fault("block_size", 2, scales(&[2, 3])),
                fault("block_size", -2, scales(&[2, 3])),
                fault("output_dtype", 17, scales(&[])),
                fault("output_dtype", 22, scales(&[])),
                fault("output_dtype", 1, scales(&[])),
                fault("output_dtype", 99, scales(&[])),
                fault("precision", 11, scales(&[])),
            ]
            .join("\n")
        );
        let (scale, zero) = (scales(&[]), Tensor::scalar(0_i8).unwrap());
        let unsigned = Attributes::new().with("output_dtype", i64::from(DType::U8.onnx_code()));
        let fault = quantized(&unsigned, &[&x, &scale, &zero]).unwrap_err();
        assert_eq!(fault, "QuantizeLinear: input 2 is int8: expected uint8, as another input is");
    }
}
