//! How gradients of convolutions are computed fast: by one large product and by a convolution, where they are small enough or
//! strides allow it; else by the kernels for them, which need no room.

use stratal_kernels::convolution::{Convolution, ConvolutionAxis};
use stratal_kernels::{AnyView, AnyViewMut, Epilogue};
use stratal_ops::{Cause, Context, read, write};
use stratal_tensor::{Tensor, TensorOptions};
use stratal_tensor_base::{DType, Geometry, Shape};

use crate::rules::windows::Steps;

/// Elements that windows see, copied for a product at once: few enough to stay in caches.
const MOST_AT_ONCE: usize = 1 << 20;
/// And the most of a single image.
const MOST_OF_ONE: usize = 1 << 22;

/// The gradient of the weights, of images and the gradient of the result.
///
/// What windows see of some images is copied, a line for each channel and element of the kernel, as long as there are windows;
/// one product with the gradients then sums over all of them.
pub(super) fn weight_gradient(
    context: &Context<'_>,
    convolution: &Convolution,
    x: &AnyView<'_>,
    gradient: &AnyView<'_>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    let (dtype, shape) = (x.dtype(), *result.shape());
    let taps = spatial(&shape).product::<usize>();
    let lines = x.shape().extent(1) * taps;
    let of_one = lines.saturating_mul(spatial(gradient.shape()).product());
    let is_empty = of_one == 0 || x.shape().is_empty() || gradient.shape().is_empty() || shape.is_empty();
    // Sums of 16 bits must not be rounded in between.
    if !matches!(dtype, DType::F32 | DType::F64) || is_empty || of_one > MOST_OF_ONE {
        return Ok(context.kernels().convolve_weight_gradient(convolution, x, gradient, result)?);
    }
    let (batch, outputs, groups) = (x.shape().extent(0), gradient.shape().extent(1), convolution.groups);
    let each = (MOST_AT_ONCE / of_one).clamp(1, batch);
    let of_groups = |lines: usize, depth: usize| [groups, lines / groups, depth].map(|extent| extent as i64);
    let product = context.scratch(dtype, &Shape::new(&of_groups(outputs, lines / groups))?)?;
    for first in (0..batch).step_by(each) {
        let count = each.min(batch - first);
        let part = |view: &AnyView<'_>| -> Result<Geometry, Cause> {
            Ok(view.geometry().narrow(0, first as i64, count as i64)?.transpose(0, 1)?)
        };
        let seen = seen_by_windows(context, convolution, &x.seen(|_| part(x))?, gradient.shape(), &shape)?;
        let gradients = gradient.seen(|_| part(gradient))?;
        let slopes = context.scratch(dtype, gradients.shape())?;
        write(&slopes, |slopes| context.kernels().copy(&gradients, slopes))?;
        let depth = slopes.count() / outputs;
        let (left, right) = (slopes.reshape(&of_groups(outputs, depth))?, seen.reshape(&of_groups(lines, depth))?.t()?);
        let (left, right) = (read(&left)?, read(&right)?);
        let epilogue = Epilogue { beta: if first == 0 { 0.0 } else { 1.0 }, ..Epilogue::default() };
        write(&product, |product| {
            Ok::<_, Cause>(context.kernels().matmul(&left.view()?, &right.view()?, &epilogue, product)?)
        })?;
    }
    let weights = product.reshape(&crate::views::extents(&shape))?;
    Ok(context.kernels().copy(&read(&weights)?.view()?, result)?)
}

/// What each element of a kernel sees of images of shape (channels, batch, ...): of shape (channels, elements of the kernel,
/// batch, ...), with zeros where that is padding.
fn seen_by_windows(
    context: &Context<'_>,
    convolution: &Convolution,
    x: &AnyView<'_>,
    windows: &Shape,
    kernel: &Shape,
) -> Result<Tensor, Cause> {
    let taps = spatial(kernel).product::<usize>();
    let extents = [x.shape().extent(0), taps, x.shape().extent(1)].into_iter().chain(spatial(windows));
    let shape = Shape::new(&extents.map(|extent| extent as i64).collect::<Vec<_>>())?;
    let is_padded = convolution.axes.iter().any(|axis| axis.pad_begin > 0 || axis.pad_end > 0);
    let seen = if is_padded {
        TensorOptions::new(x.dtype()).zeroed(true).empty_of(shape)?
    } else {
        context.scratch(x.dtype(), &shape)?
    };
    write(&seen, |seen| {
        for tap in 0..taps {
            let (mut from, mut to) = (*x.geometry(), seen.geometry().select(1, tap as i64)?);
            let mut left = tap;
            for (axis, number) in convolution.axes.iter().zip(2..kernel.rank()).rev() {
                let element = left % kernel.extent(number);
                left /= kernel.extent(number);
                let ConvolutionAxis { stride, dilation, pad_begin, .. } = *axis;
                let (image, windows) = (x.shape().extent(number), windows.extent(number));
                let steps = Steps { stride, dilation, pad_begin, image, windows };
                let (range, start) = steps.seeing(element as i64);
                let (start, count) = (start as i64, range.len() as i64);
                let stop = start + (count - 1) * stride + 1;
                from = match count {
                    0 => from.narrow(number as i64, 0, 0)?,
                    _ => from.slice(number as i64, Some(start), Some(stop), stride)?,
                };
                to = to.narrow(number as i64, range.start as i64, count)?;
            }
            let from = x.seen::<Cause>(|_| Ok(from))?;
            context.kernels().copy(&from, &mut seen.seen::<Cause>(|_| Ok(to))?)?;
        }
        Ok::<_, Cause>(())
    })?;
    Ok(seen)
}

/// The gradient of images, of the gradient of the result and weights.
///
/// Where windows move by one it is a convolution itself, by weights that are turned around.
pub(super) fn image_gradient(
    context: &Context<'_>,
    convolution: &Convolution,
    gradient: &AnyView<'_>,
    weights: &AnyView<'_>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    let epilogue = Epilogue::default();
    if let Some((convolution, weights)) = turned(convolution, weights)?
        && convolution.output_shape(gradient.shape(), weights.shape()).is_ok_and(|shape| shape == *result.shape())
    {
        return Ok(context.kernels().convolve(&convolution, gradient, &weights, &epilogue, result)?);
    }
    let transposed = convolution.input_gradient(result.shape(), weights.shape())?;
    Ok(context.kernels().convolve_transposed(&transposed, gradient, weights, &epilogue, result)?)
}

/// The convolution by turned weights that spreads what a convolution gathered, if one does.
fn turned<'a>(convolution: &Convolution, weights: &AnyView<'a>) -> Result<Option<(Convolution, AnyView<'a>)>, Cause> {
    let shape = *weights.shape();
    let is_whole = convolution.groups == 1;
    // One input and one output of each group need not be exchanged.
    let is_by_channel = shape.extent(1) == 1 && shape.extent(0) == convolution.groups;
    let rest = |(axis, kernel): (&ConvolutionAxis, usize)| {
        let reach = (kernel as i64).checked_sub(1)?.checked_mul(axis.dilation)?;
        let (pad_begin, pad_end) = (reach - axis.pad_begin, reach - axis.pad_end);
        let fits = axis.stride == 1 && pad_begin >= 0 && pad_end >= 0;
        fits.then_some(ConvolutionAxis { pad_begin, pad_end, ..*axis })
    };
    let axes: Option<Vec<ConvolutionAxis>> = convolution.axes.iter().zip(spatial(&shape)).map(rest).collect();
    let Some(axes) = axes.filter(|_| is_whole || is_by_channel) else { return Ok(None) };
    let around: Vec<i64> = (2..shape.rank() as i64).collect();
    let turned = weights.seen::<Cause>(|geometry| {
        let turned = geometry.flip(&around)?;
        Ok(if is_whole { turned.transpose(0, 1)? } else { turned })
    })?;
    Ok(Some((Convolution { axes, groups: convolution.groups, strategy: None }, turned)))
}

/// The extents behind batch and channels.
fn spatial(shape: &Shape) -> impl Iterator<Item = usize> + use<'_> {
    (2..shape.rank()).map(|axis| shape.extent(axis))
}
