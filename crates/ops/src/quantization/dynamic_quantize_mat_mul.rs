//! `DynamicQuantizeMatMul`: products of numbers, quantised on the way, with matrices of bytes.

use stratal_kernels::ZeroPoints;
use stratal_tensor::View;
use stratal_tensor_base::{DType, Geometry, Shape};

use super::dynamic_quantize_linear::Range;
use super::mat_mul_integer_to_float::{ScaledProduct, check_added};
use crate::product::{check_lines, product_shape};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, MICROSOFT, Operator, Outputs, dtypes, read, write};

/// Quantises the left side as [`DynamicQuantizeLinear`](crate::DynamicQuantizeLinear) does, and multiplies it as
/// [`MatMulIntegerToFloat`](crate::MatMulIntegerToFloat) does.
///
/// The inputs are both sides; the scale of the right side, or one for each column; and, if they are there, its zero point, and
/// a number for each column that is added.
#[derive(Debug, Clone, Copy, Default)]
pub struct DynamicQuantizeMatMul;

impl DynamicQuantizeMatMul {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: MICROSOFT,
        name: "DynamicQuantizeMatMul",
        since: 1,
        inputs: 3..=5,
        outputs: 1..=1,
        attributes: &[],
        dtypes: F32,
        build: |_| Ok(Box::new(Self)),
    };
}

/// What is quantised on the way.
const F32: &[DType] = &[DType::F32];

impl Operator for DynamicQuantizeMatMul {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        inputs.dtype(0, F32)?;
        let b = inputs.dtype(1, dtypes::BYTES)?;
        [(2, DType::F32), (3, b), (4, DType::F32)]
            .into_iter()
            .try_for_each(|(input, dtype)| inputs.check_dtype(input, dtype))?;
        [2, 3].into_iter().try_for_each(|input| check_lines(inputs, input, 1, false))?;
        check_added(inputs, 4, 1)?;
        Ok(vec![Fact::new(DType::F32, product_shape(inputs.shape(0)?, inputs.shape(1)?)?)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let range = Range::of(context, x)?;
        let bytes = context.scratch(DType::U8, x.shape())?;
        write(&bytes, |bytes| range.quantize(context, x, bytes))?;
        let bytes = read(&bytes)?;
        let scalar = Geometry::contiguous(Shape::SCALAR);
        let (scale, zero_point) = ([range.scale], [range.zero_point]);
        let (scale, zero_point) = (View::new(&scale, scalar)?.into(), View::new(&zero_point, scalar)?.into());
        let scaled = ScaledProduct {
            a: &bytes.view()?,
            b: inputs.required(1)?,
            scales: [&scale, inputs.required(2)?],
            zero_points: ZeroPoints { a: Some(&zero_point), b: inputs.get(3) },
            bias: inputs.get(4),
        };
        outputs.write(0, |result| scaled.compute(context, result))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;

    #[test]
    fn numbers_that_bytes_hold_are_exact() {
        let a = Tensor::from_slice(&[-5.0_f32, 250.0, 3.0, 0.0], &[2, 2]).unwrap();
        let b = Tensor::from_slice(&[1_i8, 2, 3, 4], &[2, 2]).unwrap();
        let (scales, zero) =
            (Tensor::from_slice(&[1.0_f32, 0.5], &[2]).unwrap(), Tensor::from_slice(&[1_i8, 0], &[2]).unwrap());
        let bias = Tensor::from_slice(&[0.5_f32, 0.0], &[2]).unwrap();
        let inputs = [&a, &b, &scales, &zero, &bias].map(Some);
        let product = Context::new().unwrap().run(&DynamicQuantizeMatMul, &inputs).unwrap().remove(0);
        assert_eq!(product.to_vec::<f32>().unwrap(), [500.5, 495.0, 0.5, 3.0]);
    }
}
