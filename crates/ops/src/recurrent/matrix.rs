//! `Matrix`: the weights of a direction, of floats or of bytes, and products with them.

use stratal_kernels::{AnyView, AnyViewMut, Epilogue, PackedMatrix, ZeroPoints};
use stratal_tensor::{Tensor, View};
use stratal_tensor_base::{DType, Geometry, Shape};

use crate::operands::unfit;
use crate::quantization::ByteRange;
use crate::{Cause, Context, read, write};

/// Weights of shape `[features, outputs]`.
#[derive(Debug)]
pub(super) enum Matrix {
    /// Of the dtype that the layer computes in.
    Floats(PackedMatrix),
    /// Of bytes: rows are quantised for each product.
    Bytes(Bytes),
}

/// Weights of bytes, which stand for `scale * (byte - zero point)`.
#[derive(Debug)]
pub(super) struct Bytes {
    weights: PackedMatrix,
    /// One for all outputs, or one for each.
    scales: Vec<f32>,
    /// As many, of the weights' dtype.
    zero_points: Tensor,
}

impl Matrix {
    /// Weights of floats that lie as `[outputs, features]`.
    pub(super) fn of_rows(context: &Context<'_>, weights: &AnyView<'_>, dtype: DType) -> Result<Self, Cause> {
        crate::operands::in_dtype(context, weights, dtype, |weights| {
            Ok(Self::Floats(context.kernels().pack_matrix(&weights.seen(Geometry::t)?)?))
        })
    }

    /// Weights of bytes, with scales and zero points of shape `[]`, `[1]` or `[outputs]`.
    pub(super) fn of_bytes(
        context: &Context<'_>,
        weights: &AnyView<'_>,
        scales: &AnyView<'_>,
        zero_points: &AnyView<'_>,
    ) -> Result<Self, Cause> {
        let scales = scales.typed::<f32>().map(|scales| scales.iter().collect()).unwrap_or_default();
        let zero_points = context.converted(zero_points, weights.dtype())?;
        Ok(Self::Bytes(Bytes { weights: context.kernels().pack_matrix(weights)?, scales, zero_points }))
    }

    /// Adds the products of rows, `[.., features]`, to a result.
    pub(super) fn add(
        &self,
        context: &Context<'_>,
        rows: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), Cause> {
        match self {
            Self::Floats(weights) => {
                let adding = Epilogue { beta: 1.0, ..Epilogue::default() };
                Ok(context.kernels().matmul_packed(rows, weights, &adding, result)?)
            }
            Self::Bytes(bytes) => bytes.add(context, rows, result),
        }
    }
}

impl Bytes {
    fn add(&self, context: &Context<'_>, rows: &AnyView<'_>, result: &mut AnyViewMut<'_>) -> Result<(), Cause> {
        let range = ByteRange::of(context, rows)?;
        let elements = context.scratch(DType::U8, rows.shape())?;
        write(&elements, |elements| range.quantize(context, rows, elements))?;
        let sums = context.scratch(DType::I32, result.shape())?;
        let zero = [range.zero_point];
        let zero = View::new(&zero, Geometry::contiguous(Shape::new(&[1, 1])?))?.into();
        let zero_points = read(&self.zero_points)?;
        let zero_points = zero_points.view()?;
        let elements = read(&elements)?;
        let points = ZeroPoints { a: Some(&zero), b: Some(&zero_points) };
        write(&sums, |sums| {
            context
                .kernels()
                .matmul_integer_packed(&elements.view()?, &self.weights, &points, sums)
                .map_err(Cause::from)
        })?;

        let sums = read(&sums)?;
        let unfit = unfit(result.dtype(), result.shape());
        let (Some(sums), Some(mut result)) = (sums.view()?.typed::<i32>(), result.typed::<f32>()) else {
            return Err(unfit);
        };
        let (Some(sums), Some(result)) = (sums.as_slice(), result.as_mut_slice()) else { return Err(unfit) };
        let scales: Vec<f32> = self.scales.iter().map(|scale| scale * range.scale).collect();
        for (result, (sum, scale)) in result.iter_mut().zip(sums.iter().zip(scales.iter().cycle())) {
            *result += *sum as f32 * scale;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_of_another_dtype_is_an_error() {
        let context = Context::new().unwrap();
        let weights = Tensor::from_slice(&[1_u8, 2], &[1, 2]).unwrap();
        let (scale, zero) = (Tensor::scalar(0.5_f32).unwrap(), Tensor::scalar(0_u8).unwrap());
        let [weights, scale, zero] = [&weights, &scale, &zero].map(|tensor| read(tensor).unwrap());
        let matrix =
            Matrix::of_bytes(&context, &weights.view().unwrap(), &scale.view().unwrap(), &zero.view().unwrap());
        let matrix = matrix.unwrap();
        let add = |rows: &[f32], dtype: DType| {
            let rows = Tensor::from_slice(rows, &[1, 1]).unwrap();
            let result = Tensor::zeros(&[1, 2], dtype).unwrap();
            write(&result, |result| matrix.add(&context, &read(&rows)?.view()?, result))?;
            Ok::<_, Cause>(result.to_vec::<f32>()?)
        };
        assert_eq!(add(&[255.0], DType::F32).unwrap(), [127.5, 255.0]);
        assert_eq!(add(&[0.0], DType::F32).unwrap(), [0.0, 0.0]);
        assert!(add(&[f32::NAN], DType::F32).unwrap()[0].is_nan());
        let error = add(&[255.0], DType::F64).unwrap_err().to_string();
        assert_eq!(error, "cannot compute with float64 of shape [1, 2]");
    }
}
