//! `DequantizeLinear`: the numbers that integers stand for.

use stratal_kernels::{AnyViewMut, map};
use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use super::Granularity;
use super::quantize_linear::dtype_of;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, read, write};

/// `(x - zero point) * scale`, computed in f32 and rounded once. The difference is exact, and of int32 rounded to f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DequantizeLinear {
    /// How many elements share a scale and a zero point.
    pub granularity: Granularity,
    /// The dtype of the result, if it is not that of the scales.
    pub dtype: Option<DType>,
}

/// What stands for numbers.
const QUANTIZED: &[DType] = &[DType::I8, DType::U8, DType::I16, DType::U16, DType::I32];

/// What scales and results are.
const NUMBERS: &[DType] = &[DType::F32, DType::F16, DType::BF16];

impl DequantizeLinear {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "DequantizeLinear",
        since: 28,
        inputs: 2..=3,
        outputs: 1..=1,
        attributes: &["axis", "block_size", "output_dtype"],
        dtypes: QUANTIZED,
        build: |node| {
            let dtype = dtype_of(node, "output_dtype", NUMBERS, "float32, float16 or bfloat16")?;
            Ok(Box::new(Self { granularity: Granularity::of_node(node)?, dtype }))
        },
    };
}

impl Operator for DequantizeLinear {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let quantized = inputs.dtype(0, QUANTIZED)?;
        let scale = inputs.dtype(1, NUMBERS)?;
        inputs.check_dtype(2, quantized)?;
        self.granularity.check(inputs, 1)?;
        self.granularity.check(inputs, 2)?;
        let dtype = self.dtype.unwrap_or(scale);
        Ok(vec![Fact { dtype, shape: inputs.required(0)?.shape.clone(), elements: None }])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, scale) = (inputs.required(0)?, inputs.required(1)?);
        let kernels = context.kernels();
        let spread = |view, dtype| self.granularity.spread(context, view, dtype, x.shape());
        // Integers of 16 bits, and differences of them, are exact in f32, and those of 32 bits in f64.
        let difference_dtype = if x.dtype() == DType::I32 { DType::F64 } else { DType::F32 };
        let zero_point = inputs.get(2).map(|view| spread(view, difference_dtype)).transpose()?;
        let scale = spread(scale, DType::F32)?;
        let subtract = |x: &mut AnyViewMut<'_>, zero_point: &Tensor| {
            Ok::<_, Cause>(kernels.binary_in_place(&map::Sub, x, &read(zero_point)?.view()?)?)
        };
        let compute = |numbers: &mut AnyViewMut<'_>| {
            match &zero_point {
                Some(zero_point) if difference_dtype == DType::F64 => {
                    let difference = context.converted(x, DType::F64)?;
                    write(&difference, |difference| subtract(difference, zero_point))?;
                    kernels.cast(&read(&difference)?.view()?, numbers)?;
                }
                Some(zero_point) => {
                    kernels.cast(x, numbers)?;
                    subtract(numbers, zero_point)?;
                }
                None => kernels.cast(x, numbers)?,
            }
            Ok::<_, Cause>(kernels.binary_in_place(&map::Mul, numbers, &read(&scale)?.view()?)?)
        };
        outputs.write(0, |result| {
            if result.dtype() == DType::F32 {
                return compute(result);
            }
            let numbers = context.scratch(DType::F32, x.shape())?;
            write(&numbers, compute)?;
            Ok(kernels.cast(&read(&numbers)?.view()?, result)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::{cast, f16};

    use super::*;
    use crate::{Attributes, build};

    fn numbers(attributes: &Attributes, inputs: &[&Tensor]) -> Result<Tensor, String> {
        let operator = build("", "DequantizeLinear", attributes, inputs.len(), 1).map_err(|error| error.to_string())?;
        let inputs: Vec<_> = inputs.iter().map(|tensor| Some(*tensor)).collect();
        let outputs = Context::new().unwrap().run(&*operator, &inputs).map_err(|error| error.to_string())?;
        Ok(outputs.into_iter().next().unwrap())
    }

    #[test]
    fn numbers_are_rounded_once() {
        let x = Tensor::from_slice(&[65_535_u16, 0], &[2]).unwrap();
        let (scale, zero) = (Tensor::scalar(cast::<f32, f16>(0.5)).unwrap(), Tensor::scalar(1_u16).unwrap());
        let halves = numbers(&Attributes::new(), &[&x, &scale, &zero]).unwrap().to_vec::<f16>().unwrap();
        assert_eq!(halves, [32_768.0, -0.5].map(cast::<f32, f16>));
        let wide = Attributes::new().with("output_dtype", i64::from(DType::F32.onnx_code()));
        assert_eq!(numbers(&wide, &[&x, &scale, &zero]).unwrap().to_vec::<f32>().unwrap(), [32_767.0, -0.5]);
    }

    #[test]
    fn int32_has_a_difference_of_its_own() {
        let x = Tensor::from_slice(&[i32::MAX, 16_777_217], &[2]).unwrap();
        let (scale, zero) = (Tensor::scalar(2.0_f32).unwrap(), Tensor::scalar(16_777_216).unwrap());
        let exact = (i64::from(i32::MAX) - 16_777_216) as f32 * 2.0;
        assert_eq!(numbers(&Attributes::new(), &[&x, &scale, &zero]).unwrap().to_vec::<f32>().unwrap(), [exact, 2.0]);
        // It does not wrap.
        let zero = Tensor::scalar(i32::MIN).unwrap();
        let wide = numbers(&Attributes::new(), &[&x, &scale, &zero]).unwrap().to_vec::<f32>().unwrap();
        assert_eq!(wide[0], 8_589_934_592.0);
    }

    #[test]
    fn an_axis_has_numbers_of_its_own() {
        let x = Tensor::from_slice(&[1_i8, 2, 3, 4], &[2, 2]).unwrap();
        let (scales, zeros) =
            (Tensor::from_slice(&[1.0_f32, 10.0], &[2]).unwrap(), Tensor::from_slice(&[0_i8, 1], &[2]).unwrap());
        let rows = Attributes::new().with("axis", -2);
        assert_eq!(numbers(&rows, &[&x, &scales, &zeros]).unwrap().to_vec::<f32>().unwrap(), [1.0, 2.0, 20.0, 30.0]);
        assert_eq!(
            numbers(&Attributes::new(), &[&x, &scales, &zeros]).unwrap().to_vec::<f32>().unwrap(),
            [1.0, 10.0, 3.0, 30.0]
        );
        let fault = numbers(&rows, &[&x, &scales, &Tensor::scalar(0_u8).unwrap()]).unwrap_err();
        assert_eq!(fault, "DequantizeLinear: input 2 is uint8: expected int8, as another input is");
    }
}
