//! `Matrix`: the weights of a direction, of floats or of bytes, and products with them.

use stratal_kernels::{AnyView, AnyViewMut, Epilogue, PackedMatrix, ZeroPoints, reduce};
use stratal_tensor::{Tensor, View};
use stratal_tensor_base::{DType, Geometry, Shape};

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
        let quantised = Quantised::new(context, rows)?;
        let sums = context.scratch(DType::I32, result.shape())?;
        let zero = [quantised.zero_point];
        let zero = View::new(&zero, Geometry::contiguous(Shape::new(&[1, 1])?))?.into();
        let zero_points = read(&self.zero_points)?;
        let zero_points = zero_points.view()?;
        let elements = read(&quantised.elements)?;
        let points = ZeroPoints { a: Some(&zero), b: Some(&zero_points) };
        write(&sums, |sums| {
            context
                .kernels()
                .matmul_integer_packed(&elements.view()?, &self.weights, &points, sums)
                .map_err(Cause::from)
        })?;

        let sums = read(&sums)?;
        let (Some(sums), Some(mut result)) = (sums.view()?.typed::<i32>(), result.typed::<f32>()) else {
            return Ok(());
        };
        let (Some(sums), Some(result)) = (sums.as_slice(), result.as_mut_slice()) else { return Ok(()) };
        let scales: Vec<f32> = self.scales.iter().map(|scale| scale * quantised.scale).collect();
        for (result, (sum, scale)) in result.iter_mut().zip(sums.iter().zip(scales.iter().cycle())) {
            *result += *sum as f32 * scale;
        }
        Ok(())
    }
}

/// Elements as bytes that stand for `scale * (byte - zero point)`, as `DynamicQuantizeLinear` has them.
#[derive(Debug)]
struct Quantised {
    elements: Tensor,
    scale: f32,
    zero_point: u8,
}

impl Quantised {
    fn new(context: &Context<'_>, x: &AnyView<'_>) -> Result<Self, Cause> {
        let extreme = |operation: &dyn reduce::Reduction| {
            let extreme = context.scratch(DType::F32, &Shape::new(&vec![1; x.shape().rank()])?)?;
            write(&extreme, |extreme| context.kernels().reduce(operation, x, extreme))?;
            let extreme = read(&extreme)?.view()?.typed::<f32>().and_then(|extreme| extreme.iter().next());
            Ok::<_, Cause>(extreme.unwrap_or(0.0))
        };
        // Zero is always in the range; NaN stays.
        let (least, greatest) = (extreme(&reduce::Min)?, extreme(&reduce::Max)?);
        let least = if least > 0.0 { 0.0 } else { least };
        let greatest = if greatest < 0.0 { 0.0 } else { greatest };
        let range = (greatest - least) / 255.0;
        let scale = if range == 0.0 { 1.0 } else { range };
        let zero_point = (-least / scale).round_ties_even().clamp(0.0, 255.0);
        let elements = context.scratch(DType::U8, x.shape())?;
        let Some(x) = x.typed::<f32>() else { return Err(Cause::Unfit(format!("cannot quantise {}", x.dtype()))) };
        write(&elements, |elements| {
            if let Some(mut elements) = elements.typed::<u8>()
                && let Some(elements) = elements.as_mut_slice()
            {
                // Conversions saturate.
                let quantise = |x: f32| ((x / scale).round_ties_even() + zero_point) as u8;
                elements.iter_mut().zip(x.iter()).for_each(|(element, x)| *element = quantise(x));
            }
            Ok::<_, Cause>(())
        })?;
        Ok(Self { elements, scale, zero_point: zero_point as u8 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quantised(x: &[f32]) -> (Vec<u8>, f32, u8) {
        let context = Context::new().unwrap();
        let x = Tensor::from_slice(x, &[x.len() as i64]).unwrap();
        let quantised = Quantised::new(&context, &read(&x).unwrap().view().unwrap()).unwrap();
        (quantised.elements.to_vec().unwrap(), quantised.scale, quantised.zero_point)
    }

    #[test]
    fn zero_is_a_byte() {
        assert_eq!(quantised(&[-1.0, 0.0, 254.0]), (vec![0, 1, 255], 1.0, 1));
        assert_eq!(quantised(&[510.0, 1.0]), (vec![255, 0], 2.0, 0));
        let (bytes, _, zero_point) = quantised(&[-1.0, -2.1, -1.3, -2.5, -3.34, -4.0]);
        assert_eq!((bytes, zero_point), (vec![191, 121, 172, 96, 42, 0], 255));
        assert_eq!(quantised(&[0.0, 0.0]), (vec![0, 0], 1.0, 0));
        assert_eq!(quantised(&[]), (vec![], 1.0, 0));
        assert!(quantised(&[f32::NAN, 1.0]).1.is_nan());
    }
}
