//! What convolutions ask of their operands.

use stratal_tensor_base::{DType, Shape};

use super::{defined, same_dtype};
use crate::convolution::{Convolution, Fitted, FittedBytes, TransposedConvolution};
use crate::{AnyView, AnyViewMut, Epilogue, KernelError, ZeroPoints};

pub(crate) fn convolve<'a>(
    convolution: &Convolution,
    x: &AnyView<'a>,
    weights: &AnyView<'a>,
    epilogue: &Epilogue<'a>,
    result: &AnyViewMut<'_>,
) -> Result<Fitted<'a>, KernelError> {
    const NAME: &str = "convolve";
    defined(NAME, x.dtype().is_float(), x.dtype())?;
    let expected = convolution.output_shape(x.shape(), weights.shape())?;
    fit(NAME, x, weights, &expected, epilogue, result)
}

pub(crate) fn convolve_transposed<'a>(
    convolution: &TransposedConvolution,
    x: &AnyView<'a>,
    weights: &AnyView<'a>,
    epilogue: &Epilogue<'a>,
    result: &AnyViewMut<'_>,
) -> Result<Fitted<'a>, KernelError> {
    const NAME: &str = "convolve_transposed";
    defined(NAME, x.dtype().is_float(), x.dtype())?;
    let expected = convolution.output_shape(x.shape(), weights.shape())?;
    fit(NAME, x, weights, &expected, epilogue, result)
}

pub(crate) fn weight_gradient(
    convolution: &Convolution,
    x: &AnyView<'_>,
    gradient: &AnyView<'_>,
    result: &AnyViewMut<'_>,
) -> Result<(), KernelError> {
    const NAME: &str = "convolve_weight_gradient";
    defined(NAME, x.dtype().is_float(), x.dtype())?;
    let expected = convolution.output_shape(x.shape(), result.shape())?;
    same_dtype(NAME, "gradient", x.dtype(), gradient.dtype())?;
    same_shape(NAME, "gradient", expected, gradient.shape())?;
    same_dtype(NAME, "result", x.dtype(), result.dtype())
}

pub(crate) fn convolve_integer<'a>(
    convolution: &Convolution,
    x: &AnyView<'a>,
    weights: &AnyView<'a>,
    zero_points: &ZeroPoints<'_>,
    result: &AnyViewMut<'_>,
) -> Result<FittedBytes<'a>, KernelError> {
    const NAME: &str = "convolve_integer";
    for dtype in [x.dtype(), weights.dtype()] {
        defined(NAME, matches!(dtype, DType::U8 | DType::I8), dtype)?;
    }
    let expected = convolution.output_shape(x.shape(), weights.shape())?;
    same_dtype(NAME, "result", DType::I32, result.dtype())?;
    same_shape(NAME, "result", expected, result.shape())?;
    let one_byte = Shape::new(&[1])?;
    let zero_x = zero_points_of(NAME, "zero point of images", x.dtype(), zero_points.a, &one_byte)?;
    // One an output channel.
    let mut extents = vec![1_i64; weights.shape().rank() - 1];
    extents[0] = weights.shape().extents()[0].into();
    let channels = Shape::new(&extents)?;
    let zero_weights = zero_points_of(NAME, "zero point of the kernel", weights.dtype(), zero_points.b, &channels)?;
    Ok(FittedBytes { x: *x, weights: *weights, zero_x: zero_x.first().copied().unwrap_or(0), zero_weights })
}

/// The bytes of zero points that broadcast to a shape.
fn zero_points_of(
    operation: &'static str,
    role: &'static str,
    dtype: DType,
    given: Option<&AnyView<'_>>,
    shape: &Shape,
) -> Result<Vec<u8>, KernelError> {
    let Some(given) = given else { return Ok(vec![0; shape.count()]) };
    same_dtype(operation, role, dtype, given.dtype())?;
    match given.geometry().broadcast_to(shape) {
        Ok(geometry) => Ok(geometry.offsets().map(|offset| given.bytes()[offset]).collect()),
        Err(_) => {
            let (expected, found) = (*shape, *given.shape());
            Err(KernelError::ShapeMismatch { operation, role, expected, found })
        }
    }
}

fn fit<'a>(
    operation: &'static str,
    x: &AnyView<'a>,
    weights: &AnyView<'a>,
    expected: &Shape,
    epilogue: &Epilogue<'a>,
    result: &AnyViewMut<'_>,
) -> Result<Fitted<'a>, KernelError> {
    let dtype = x.dtype();
    same_dtype(operation, "kernel", dtype, weights.dtype())?;
    same_dtype(operation, "result", dtype, result.dtype())?;
    same_shape(operation, "result", *expected, result.shape())?;
    let bias = match epilogue.bias {
        Some(bias) => {
            same_dtype(operation, "bias", dtype, bias.dtype())?;
            let Ok(geometry) = bias.geometry().broadcast_to(expected) else {
                let (expected, found) = (*expected, *bias.shape());
                return Err(KernelError::ShapeMismatch { operation, role: "bias", expected, found });
            };
            Some(bias.with_geometry(geometry))
        }
        None => None,
    };
    if let Some(activation) = epilogue.activation {
        defined(activation.name(), activation.is_defined(dtype), dtype)?;
    }
    Ok(Fitted { x: *x, weights: *weights, bias })
}

fn same_shape(operation: &'static str, role: &'static str, expected: Shape, found: &Shape) -> Result<(), KernelError> {
    let found = *found;
    if found == expected { Ok(()) } else { Err(KernelError::ShapeMismatch { operation, role, expected, found }) }
}
