//! `QLinearMatMul`: products of matrices of bytes into bytes.

use stratal_kernels::ZeroPoints;
use stratal_tensor_base::DType;

use super::linear::requantize;
use crate::product::{by_row, check_lines, product_shape, sides, with_matrix};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes, write};

/// Multiplies matrices of bytes that stand for numbers into bytes that do.
///
/// The inputs are the left side, its scale and zero point, or one of each for each row; the right side, its scale and zero
/// point, or one of each for each column; and the result's scale and zero point. Sums are exact modulo 2^32, as in
/// [`MatMulInteger`](crate::MatMulInteger). They are scaled in f64, rounded half to even, and the zero point is added.
#[derive(Debug, Clone, Copy, Default)]
pub struct QLinearMatMul;

impl QLinearMatMul {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "QLinearMatMul",
        since: 21,
        inputs: 8..=8,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::BYTES,
        build: |_| Ok(Box::new(Self)),
    };
}

/// What scales are.
const SCALES: &[DType] = &[DType::F32, DType::F16, DType::BF16];

impl Operator for QLinearMatMul {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (a, b) = (inputs.dtype(0, dtypes::BYTES)?, inputs.dtype(3, dtypes::BYTES)?);
        let (dtype, scale) = (inputs.dtype(7, dtypes::BYTES)?, inputs.dtype(1, SCALES)?);
        [(2, a), (5, b), (4, scale), (6, scale)]
            .into_iter()
            .try_for_each(|(input, dtype)| inputs.check_dtype(input, dtype))?;
        [1, 2].into_iter().try_for_each(|input| check_lines(inputs, input, 0, true))?;
        [4, 5].into_iter().try_for_each(|input| check_lines(inputs, input, 3, false))?;
        [6, 7].into_iter().try_for_each(|input| crate::convolution::check_quantized(inputs, input, &1.into()))?;
        Ok(vec![Fact::new(dtype, product_shape(inputs.shape(0)?, inputs.shape(3)?)?)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (a, b) = (inputs.required(0)?, inputs.required(3)?);
        let [scale_of_rows, zero_of_rows] = [by_row(inputs.required(1)?)?, by_row(inputs.required(2)?)?];
        let zero_points = ZeroPoints { a: Some(&zero_of_rows), b: inputs.get(5) };
        outputs.write(0, |result| {
            let [left, right] = sides(a, b)?;
            let mut product = with_matrix(result, a, b)?;
            let sums = context.scratch(DType::I32, product.shape())?;
            write(&sums, |sums| context.kernels().matmul_integer(&left, &right, &zero_points, sums))?;
            let scales = [&scale_of_rows, inputs.required(4)?, inputs.required(6)?];
            requantize(context, &sums, scales, inputs.required(7)?, &mut product)
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;

    #[test]
    fn rows_and_columns_have_scales_and_zero_points() {
        let a = Tensor::from_slice(&[1_u8, 2, 3, 4], &[2, 2]).unwrap();
        let b = Tensor::from_slice(&[5_i8, 6, 7, 8], &[2, 2]).unwrap();
        let (scales, zeros) =
            (Tensor::from_slice(&[1.0_f32, 0.5], &[2]).unwrap(), Tensor::from_slice(&[0_u8, 1], &[2]).unwrap());
        let columns = Tensor::from_slice(&[0_i8, 6], &[2]).unwrap();
        let (one, zero) = (Tensor::from_slice(&[1.0_f32], &[1]).unwrap(), Tensor::from_slice(&[3_u8], &[1]).unwrap());
        let inputs = [&a, &scales, &zeros, &b, &scales, &columns, &one, &zero].map(Some);
        let bytes = Context::new().unwrap().run(&QLinearMatMul, &inputs).unwrap().remove(0);
        // Sums of 19, 4, 31, 6, times 1, 0.5, 0.5, 0.25: 19, 2, 15.5 and 1.5.
        assert_eq!(bytes.to_vec::<u8>().unwrap(), [22, 5, 19, 5]);
        let vector = Tensor::from_slice(&[1_u8, 2], &[2]).unwrap();
        // A single number may be a scalar, or a vector of one.
        let (unit, zero_a, zero_b) = (Tensor::scalar(1.0_f32), Tensor::scalar(0_u8), Tensor::scalar(0_i8));
        let (unit, zero_a, zero_b) = (unit.unwrap(), zero_a.unwrap(), zero_b.unwrap());
        let inputs = [&vector, &unit, &zero_a, &b, &unit, &zero_b, &one, &zero];
        let bytes = Context::new().unwrap().run(&QLinearMatMul, &inputs.map(Some)).unwrap().remove(0);
        assert_eq!((bytes.shape().extents(), bytes.to_vec::<u8>().unwrap()), (&[2][..], vec![22, 25]));
    }
}
