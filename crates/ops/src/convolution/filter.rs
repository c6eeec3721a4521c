//! `Filter`: how the weights of a convolution slide over images, and the rule for shapes.

use stratal_kernels::AnyView;
use stratal_kernels::convolution::{Convolution, ConvolutionAxis};
use stratal_kernels::pool::WindowAxis;
use stratal_tensor_base::Shape;

use crate::pooling::{Sliding, reach};
use crate::{Cause, Extent, Facts, Node, SymbolicShape};

/// How weights slide over images of shape (batch, channels, ...), with one to three axes after the channels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// The extents of the weights after both channels; none if those of the operand will do.
    pub extents: Vec<i64>,
    /// How the weights move.
    pub sliding: Sliding,
    /// The groups that channels are divided into: each output channel sees the channels of its group.
    pub groups: usize,
}

impl Default for Filter {
    fn default() -> Self {
        Self { extents: Vec::new(), sliding: Sliding::default(), groups: 1 }
    }
}

impl Filter {
    /// What a node's attributes say.
    pub(crate) fn of_node(node: &Node<'_>) -> Result<Self, Cause> {
        let extents = node.ints("kernel_shape")?.unwrap_or_default().to_vec();
        Ok(Self { extents, sliding: Sliding::of_node(node)?, groups: node.size_or("group", 1)? })
    }

    /// The convolution of images and weights of these shapes, with the padding that it has there.
    ///
    /// # Errors
    /// A [`Cause`] when the attributes do not fit the shapes.
    pub fn on(&self, images: &Shape, weights: &Shape) -> Result<Convolution, Cause> {
        let kernel: Vec<i64> = spatial(weights.extents()).iter().map(|extent| i64::from(*extent)).collect();
        let axes = self.sliding.axes_on(&kernel, spatial(images.extents()))?;
        Ok(Convolution { axes: axes.iter().map(steps).collect(), groups: self.groups, strategy: None })
    }

    /// The shape of a convolution, of the images and weights that are these inputs.
    pub(crate) fn infer(&self, inputs: &Facts<'_>, [x, w]: [usize; 2]) -> Result<SymbolicShape, Cause> {
        let (images, weights) = (inputs.shape(x)?, inputs.shape_of_rank(w, inputs.shape(x)?.rank())?);
        self.check_extents(w, weights)?;
        let kernel: Vec<i64> = spatial(weights).iter().map(|extent| extent.known().unwrap_or(1)).collect();
        let axes = self.sliding.axes(&kernel)?;
        // What is known is checked, with extents that fit in place of those that are not.
        let groups = self.groups as i64;
        let of_group = weights.get(1).and_then(Extent::known);
        let channels = images.get(1).and_then(Extent::known);
        let channels = channels.unwrap_or_else(|| of_group.map_or(groups, |count| count.saturating_mul(groups)));
        let of_group = of_group.unwrap_or_else(|| channels.checked_div(groups).unwrap_or(1));
        let outputs = weights.first().and_then(Extent::known);
        let stand_ins =
            axes.iter().zip(spatial(images)).map(|(axis, image)| image.known().unwrap_or_else(|| reach(axis)));
        let images_like = Shape::new(&[1, channels].into_iter().chain(stand_ins).collect::<Vec<_>>())?;
        let weights_like =
            Shape::new(&[outputs.unwrap_or(groups), of_group].into_iter().chain(kernel).collect::<Vec<_>>())?;
        let known = self.on(&images_like, &weights_like)?.output_shape(&images_like, &weights_like)?;
        let mut shape = images.clone();
        shape.extents_mut()[1] = weights[0].clone();
        for (number, axis) in axes.iter().enumerate() {
            let (image, kernel) = (&images[number + 2], &weights[number + 2]);
            let is_known = image.known().is_some() && kernel.known().is_some();
            shape.extents_mut()[number + 2] = if is_known {
                i64::from(known.extents()[number + 2]).into()
            } else {
                self.sliding.windows(axis, image, kernel, false)?
            };
        }
        Ok(shape)
    }

    /// Whether weights that are an input have the extents that an attribute says.
    pub(super) fn check_extents(&self, input: usize, weights: &SymbolicShape) -> Result<(), Cause> {
        let (given, extents) = (&self.extents, spatial(weights));
        let agrees = given.len() == extents.len()
            && extents.iter().zip(given).all(|(extent, given)| extent.known().is_none_or(|extent| extent == *given));
        if given.is_empty() || agrees {
            return Ok(());
        }
        let expected = format!("a kernel of {given:?}, as kernel_shape says");
        Err(Cause::Shape { input, shape: weights.to_string(), expected })
    }
}

/// How a window moves, whatever its extent.
pub(super) const fn steps(axis: &WindowAxis) -> ConvolutionAxis {
    let WindowAxis { stride, dilation, pad_begin, pad_end, .. } = *axis;
    ConvolutionAxis { stride, dilation, pad_begin, pad_end }
}

/// Checks an input of one number for each output channel, if it is there.
pub(crate) fn check_bias(inputs: &Facts<'_>, input: usize, channels: &Extent) -> Result<(), Cause> {
    if inputs.get(input).is_none() {
        return Ok(());
    }
    let shape = inputs.shape_of_rank(input, 1)?;
    match (shape[0].known(), channels.known()) {
        (Some(extent), Some(channels)) if extent != channels => {
            let expected = format!("a number for each of {channels} channels");
            Err(Cause::Shape { input, shape: shape.to_string(), expected })
        }
        _ => Ok(()),
    }
}

/// Checks a scale or a zero point: a single number, or one for each channel.
pub(crate) fn check_quantized(inputs: &Facts<'_>, input: usize, channels: &Extent) -> Result<(), Cause> {
    if inputs.get(input).is_none() {
        return Ok(());
    }
    let shape = inputs.shape(input)?;
    let fits = match shape.extents() {
        [] => true,
        [extent] => match (extent.known(), channels.known()) {
            (Some(extent), Some(channels)) => extent == 1 || extent == channels,
            _ => true,
        },
        _ => false,
    };
    if fits {
        return Ok(());
    }
    let expected = match channels.known() {
        Some(1) => "a single number".into(),
        _ => format!("a single number, or one for each of {channels:?} channels"),
    };
    Err(Cause::Shape { input, shape: shape.to_string(), expected })
}

/// A number for each channel, or one for all, in a shape that broadcasts to images of a rank.
pub(crate) fn by_channel<'a>(view: &AnyView<'a>, rank: usize) -> Result<AnyView<'a>, Cause> {
    view.seen(|geometry| {
        let vector = if geometry.shape().rank() == 0 { geometry.unsqueeze(0)? } else { *geometry };
        (2..rank).try_fold(vector, |geometry, _| Ok(geometry.unsqueeze(-1)?))
    })
}

/// What is behind batch and channels.
pub(super) fn spatial<T>(extents: &[T]) -> &[T] {
    extents.get(2..).unwrap_or_default()
}
