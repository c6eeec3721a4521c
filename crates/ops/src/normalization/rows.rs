//! What normalisations over a set of axes have in common.

use stratal_kernels::{AnyView, AnyViewMut, Normalization, Saved};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Shape};

use super::precision::widened;
use crate::operands::{broadcast, held};
use crate::{Cause, Context, Extent, Facts, Outputs, Place, SymbolicShape, read};

/// Scratch space for what is found of each row; none for what nobody wants.
#[derive(Debug, Default)]
pub(crate) struct Statistics {
    pub(crate) mean: Option<Tensor>,
    pub(crate) variance: Option<Tensor>,
    pub(crate) inverse_deviation: Option<Tensor>,
}

impl Statistics {
    /// Scratch space beside a normalisation that is computed in a dtype.
    pub(crate) fn space(
        context: &Context<'_>,
        dtype: DType,
        shape: &Shape,
        is_wanted: bool,
    ) -> Result<Option<Tensor>, Cause> {
        is_wanted.then(|| context.scratch(widened(dtype), shape)).transpose()
    }

    /// Writes one of the statistics, if it was wanted, to an output.
    pub(crate) fn write(
        context: &Context<'_>,
        statistic: Option<&Tensor>,
        output: usize,
        outputs: &mut Outputs<'_>,
    ) -> Result<(), Cause> {
        let Some(statistic) = statistic else { return Ok(()) };
        let statistic = read(statistic)?;
        let statistic = statistic.view()?;
        outputs.write(output, |result| context.kernels().cast(&statistic, result))
    }
}

/// Normalises `x`, then multiplies by `scale` and adds `bias`, which broadcast to its shape. All are of one dtype.
pub(crate) fn normalize(
    context: &Context<'_>,
    normalization: &Normalization<'_>,
    x: &AnyView<'_>,
    [scale, bias]: [Option<&AnyView<'_>>; 2],
    result: &mut AnyViewMut<'_>,
    statistics: &Statistics,
) -> Result<(), Cause> {
    let [scale, bias] = [scale, bias].map(|view| view.map(|view| broadcast(view, x.shape())).transpose());
    let (scale, bias) = (scale?, bias?);
    let mut places = [None, None, None];
    let tensors = [&statistics.mean, &statistics.variance, &statistics.inverse_deviation];
    for (place, tensor) in places.iter_mut().zip(tensors) {
        *place = tensor.as_ref().map(held).transpose()?;
    }
    let mut views = [None, None, None];
    for (view, place) in views.iter_mut().zip(&mut places) {
        *view = place.as_mut().map(Place::view).transpose()?;
    }
    let [mean, variance, inverse_deviation] = views.each_mut().map(Option::as_mut);
    let saved = Saved { normalized: None, mean, variance, inverse_deviation };
    Ok(context.kernels().normalize(normalization, x, scale.as_ref(), bias.as_ref(), result, saved)?)
}

/// One element for each channel, as what broadcasts to a tensor of a rank whose channels are its second axis.
pub(crate) fn along_channels<'a>(channels: &AnyView<'a>, rank: usize) -> Result<AnyView<'a>, Cause> {
    channels.seen(|geometry| (2..rank).try_fold(*geometry, |geometry, _| geometry.unsqueeze(-1)).map_err(Cause::from))
}

/// The extents of a shape with 1 at some axes.
pub(crate) fn reduced<T: Clone>(extents: &[T], is_reduced: impl Fn(usize) -> bool, one: T) -> Vec<T> {
    let left = |(axis, extent): (usize, &T)| if is_reduced(axis) { one.clone() } else { extent.clone() };
    extents.iter().enumerate().map(left).collect()
}

/// [`reduced`], of a shape that is known.
pub(crate) fn reduced_shape(shape: &Shape, is_reduced: impl Fn(usize) -> bool) -> Result<Shape, Cause> {
    let extents: Vec<_> = shape.extents().iter().map(|&extent| i64::from(extent)).collect();
    Ok(Shape::new(&reduced(&extents, is_reduced, 1))?)
}

/// Checks that an input, if it is there, is a vector with one element for each channel.
pub(crate) fn check_channels(inputs: &Facts<'_>, input: usize, channels: &Extent) -> Result<(), Cause> {
    if inputs.get(input).is_none() {
        return Ok(());
    }
    let shape = inputs.shape(input)?;
    let is_fit = |extent: &Extent| channels.known().zip(extent.known()).is_none_or(|(channels, is)| channels == is);
    if shape.rank() == 1 && is_fit(&shape[0]) {
        return Ok(());
    }
    let expected = format!("one element for each of {channels} channels");
    Err(Cause::Shape { input, shape: shape.to_string(), expected })
}

/// Checks that an input, if it is there, broadcasts to a shape.
pub(crate) fn check_broadcasts(inputs: &Facts<'_>, input: usize, target: &SymbolicShape) -> Result<(), Cause> {
    if inputs.get(input).is_none() {
        return Ok(());
    }
    let shape = inputs.shape(input)?;
    let is_fit = |(extent, target): (&Extent, &Extent)| match (extent.known(), target.known()) {
        (Some(extent), Some(target)) => extent == 1 || extent == target,
        _ => true,
    };
    if shape.rank() <= target.rank() && shape.iter().rev().zip(target.iter().rev()).all(is_fit) {
        return Ok(());
    }
    Err(Cause::Shape { input, shape: shape.to_string(), expected: format!("one that broadcasts to {target}") })
}
