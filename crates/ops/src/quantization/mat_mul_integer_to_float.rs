//! `MatMulIntegerToFloat`: the numbers that products of matrices of bytes stand for.

use stratal_kernels::{AnyView, AnyViewMut, ZeroPoints, map};
use stratal_tensor_base::DType;

use super::linear::{expanded, multiply, product};
use crate::product::{by_row, check_lines, product_shape, sides, with_matrix};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, MICROSOFT, Operator, Outputs, dtypes, read, write};

/// A product of matrices of bytes, as in [`MatMulInteger`](crate::MatMulInteger), times scales, plus a bias.
///
/// The inputs are both sides; the scale of the left side, or one for each row; that of the right side, or one for each column;
/// and, if they are there, their zero points, and a number for each column that is added.
#[derive(Debug, Clone, Copy, Default)]
pub struct MatMulIntegerToFloat;

impl MatMulIntegerToFloat {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: MICROSOFT,
        name: "MatMulIntegerToFloat",
        since: 1,
        inputs: 4..=7,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::BYTES,
        build: |_| Ok(Box::new(Self)),
    };
}

/// What scales are.
const SCALES: &[DType] = &[DType::F32, DType::F16];

impl Operator for MatMulIntegerToFloat {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (a, b) = (inputs.dtype(0, dtypes::BYTES)?, inputs.dtype(1, dtypes::BYTES)?);
        let scale = inputs.dtype(2, SCALES)?;
        [(3, scale), (4, a), (5, b), (6, scale)]
            .into_iter()
            .try_for_each(|(input, dtype)| inputs.check_dtype(input, dtype))?;
        [2, 4].into_iter().try_for_each(|input| check_lines(inputs, input, 0, true))?;
        [3, 5].into_iter().try_for_each(|input| check_lines(inputs, input, 1, false))?;
        check_added(inputs, 6, 1)?;
        Ok(vec![Fact::new(scale, product_shape(inputs.shape(0)?, inputs.shape(1)?)?)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (scale_of_rows, zero_of_rows) = (by_row(inputs.required(2)?)?, inputs.get(4).map(by_row).transpose()?);
        let scaled = ScaledProduct {
            a: inputs.required(0)?,
            b: inputs.required(1)?,
            scales: [&scale_of_rows, inputs.required(3)?],
            zero_points: ZeroPoints { a: zero_of_rows.as_ref(), b: inputs.get(5) },
            bias: inputs.get(6),
        };
        outputs.write(0, |result| scaled.compute(context, result))
    }
}

/// Checks an input of a number for each column of a right side, if it is there.
pub(super) fn check_added(inputs: &Facts<'_>, input: usize, side: usize) -> Result<(), Cause> {
    match (inputs.get(input), inputs.shape(side)?.extents()) {
        (Some(_), [.., _, columns]) => crate::convolution::check_bias(inputs, input, columns),
        (Some(_), _) => crate::convolution::check_bias(inputs, input, &1.into()),
        (None, _) => Ok(()),
    }
}

/// A product of bytes that is scaled.
pub(super) struct ScaledProduct<'a> {
    pub(super) a: &'a AnyView<'a>,
    pub(super) b: &'a AnyView<'a>,
    pub(super) scales: [&'a AnyView<'a>; 2],
    pub(super) zero_points: ZeroPoints<'a>,
    pub(super) bias: Option<&'a AnyView<'a>>,
}

impl ScaledProduct<'_> {
    /// Computes in f32, and rounds once.
    pub(super) fn compute(&self, context: &Context<'_>, result: &mut AnyViewMut<'_>) -> Result<(), Cause> {
        let kernels = context.kernels();
        let [left, right] = sides(self.a, self.b)?;
        let mut result = with_matrix(result, self.a, self.b)?;
        let sums = context.scratch(DType::I32, result.shape())?;
        write(&sums, |sums| kernels.matmul_integer(&left, &right, &self.zero_points, sums))?;
        let numbers = context.converted(&read(&sums)?.view()?, DType::F32)?;
        multiply(context, &numbers, &product(context, self.scales, DType::F32)?)?;
        if let Some(bias) = self.bias {
            let bias = expanded(&context.converted(bias, DType::F32)?, &numbers)?;
            write(&numbers, |numbers| {
                Ok::<_, Cause>(kernels.binary_in_place(&map::Add, numbers, &read(&bias)?.view()?)?)
            })?;
        }
        Ok(kernels.cast(&read(&numbers)?.view()?, &mut result)?)
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;

    #[test]
    fn scales_zero_points_and_bias() {
        let a = Tensor::from_slice(&[1_u8, 2, 3, 4], &[2, 2]).unwrap();
        let b = Tensor::from_slice(&[5_i8, 6, 7, 8], &[2, 2]).unwrap();
        let scales = Tensor::from_slice(&[1.0_f32, 0.5], &[2]).unwrap();
        let (rows, columns) =
            (Tensor::from_slice(&[0_u8, 1], &[2]).unwrap(), Tensor::from_slice(&[0_i8, 6], &[2]).unwrap());
        let bias = Tensor::from_slice(&[0.25_f32, -0.25], &[2]).unwrap();
        let inputs = [&a, &b, &scales, &scales, &rows, &columns, &bias].map(Some);
        let numbers = Context::new().unwrap().run(&MatMulIntegerToFloat, &inputs).unwrap().remove(0);
        assert_eq!(numbers.to_vec::<f32>().unwrap(), [19.25, 1.75, 15.75, 1.25]);
    }
}
