//! `MatMulInteger`: products of matrices of bytes.

use stratal_kernels::ZeroPoints;
use stratal_tensor_base::DType;

use super::{by_row, check_lines, product_shape, sides, with_matrix};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Multiplies matrices of bytes into int32: the sum of `(a - zero of a) * (b - zero of b)`, exact modulo 2^32.
///
/// Shapes are those of [`MatMul`](crate::MatMul). The zero points are the third and fourth input, 0 if left out: one for all,
/// one for each row of the left side, or one for each column of the right side.
#[derive(Debug, Clone, Copy, Default)]
pub struct MatMulInteger;

impl MatMulInteger {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "MatMulInteger",
        since: 10,
        inputs: 2..=4,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::BYTES,
        build: |_| Ok(Box::new(Self)),
    };
}

impl Operator for MatMulInteger {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (a, b) = (inputs.dtype(0, dtypes::BYTES)?, inputs.dtype(1, dtypes::BYTES)?);
        inputs.check_dtype(2, a)?;
        inputs.check_dtype(3, b)?;
        check_lines(inputs, 2, 0, true)?;
        check_lines(inputs, 3, 1, false)?;
        Ok(vec![Fact::new(DType::I32, product_shape(inputs.shape(0)?, inputs.shape(1)?)?)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (a, b) = (inputs.required(0)?, inputs.required(1)?);
        let rows = inputs.get(2).map(by_row).transpose()?;
        let zero_points = ZeroPoints { a: rows.as_ref(), b: inputs.get(3) };
        outputs.write(0, |result| {
            let [left, right] = sides(a, b)?;
            let mut product = with_matrix(result, a, b)?;
            Ok::<_, Cause>(context.kernels().matmul_integer(&left, &right, &zero_points, &mut product)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;

    fn product(zero_a: &Tensor, zero_b: &Tensor) -> Result<Vec<i32>, String> {
        let a = Tensor::from_slice(&[255_u8, 0, 1, 2], &[2, 2]).unwrap();
        let b = Tensor::from_slice(&[-128_i8, 127, 0, 1], &[2, 2]).unwrap();
        let inputs = [Some(&a), Some(&b), Some(zero_a), Some(zero_b)];
        let outputs = Context::new().unwrap().run(&MatMulInteger, &inputs).map_err(|error| error.to_string())?;
        Ok(outputs[0].to_vec().unwrap())
    }

    #[test]
    fn zero_points_for_all_rows_and_columns() {
        let (zero, minus) = (Tensor::scalar(0_u8).unwrap(), Tensor::scalar(-1_i8).unwrap());
        assert_eq!(product(&zero, &minus).unwrap(), [255 * -127, 255 * 128, -127 + 2, 128 + 4]);
        let (rows, columns) =
            (Tensor::from_slice(&[0_u8, 1], &[2]).unwrap(), Tensor::from_slice(&[0_i8, 1], &[2]).unwrap());
        let expected = [255 * -128, 255 * 126, 0, 0];
        assert_eq!(product(&rows, &columns).unwrap(), expected);
        let (rows, columns) = (rows.reshape(&[2, 1]).unwrap(), columns.reshape(&[1, 2]).unwrap());
        assert_eq!(product(&rows, &columns).unwrap(), expected);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let (zero, three) = (Tensor::scalar(0_u8).unwrap(), Tensor::from_slice(&[0_i8; 3], &[3]).unwrap());
        insta::assert_snapshot!(
            [
                product(&zero, &three).unwrap_err(),
                product(&zero, &zero).unwrap_err(),
                product(&Tensor::from_slice(&[0_u8; 2], &[1, 2]).unwrap(), &three).unwrap_err(),
            ]
            .join("\n")
        );
    }
}
