//! `ConvTranspose`: transposed convolutions.

use stratal_kernels::Epilogue;
use stratal_kernels::convolution::TransposedConvolution;
use stratal_kernels::pool::{AutoPad, WindowAxis};
use stratal_tensor_base::Shape;

use super::filter::{spatial, steps};
use super::{Filter, by_channel, check_bias};
use crate::pooling::{SlidingPadding, list};
use crate::{Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes};

/// Spreads each element of images of shape (batch, channels, ...) over a window, by weights of shape (channels, output channels
/// of a group, ...), and adds a number for each output channel if a third input gives them.
///
/// An axis is as long as the windows reach, with the output padding, less the padding, which cuts off. A shape of the output,
/// if one is given, and padding that follows from the extents, which makes the output a stride longer for each element of the
/// image, say the opposite: how much is cut off. Of an odd number more is cut off at the end for [`AutoPad::SameUpper`], at the
/// beginning else. Where there is less than that, zeros follow at the end; ONNX Runtime leaves the output shorter then, or
/// refuses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConvTranspose {
    /// How the weights slide over the images.
    pub filter: Filter,
    /// Elements more at the end of each axis of the output; none mean 0.
    pub output_padding: Vec<i64>,
    /// The extents of the output after batch and channels; none if they follow from the padding.
    pub output_shape: Vec<i64>,
}

impl ConvTranspose {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "ConvTranspose",
        since: 22,
        inputs: 2..=3,
        outputs: 1..=1,
        attributes: &[
            "auto_pad",
            "dilations",
            "group",
            "kernel_shape",
            "output_padding",
            "output_shape",
            "pads",
            "strides",
        ],
        dtypes: dtypes::FLOATS,
        build: |node| {
            let list = |name| Ok::<_, Cause>(node.ints(name)?.unwrap_or_default().to_vec());
            Ok(Box::new(Self {
                filter: Filter::of_node(node)?,
                output_padding: list("output_padding")?,
                output_shape: list("output_shape")?,
            }))
        },
    };

    /// The transposed convolution of images and weights of these shapes, with the padding that it has there.
    ///
    /// # Errors
    /// A [`Cause`] when the attributes do not fit the shapes.
    pub fn on(&self, images: &Shape, weights: &Shape) -> Result<TransposedConvolution, Cause> {
        let kernel: Vec<i64> = spatial(weights.extents()).iter().map(|extent| i64::from(*extent)).collect();
        let images = spatial(images.extents());
        let mut axes = self.filter.sliding.axes(&kernel)?;
        let mut output_padding = list("output_padding", &self.output_padding, kernel.len(), 0)?;
        for (number, axis) in axes.iter_mut().enumerate() {
            let Some(extent) = self.chosen_extent(number, axis, i64::from(images[number]), kernel.len())? else {
                continue;
            };
            cut(axis, &mut output_padding[number], images[number], extent, &self.filter.sliding.padding)?;
        }
        Ok(TransposedConvolution { axes: axes.iter().map(steps).collect(), output_padding, groups: self.filter.groups })
    }

    /// The extent of the output along an axis, unless it follows from the padding.
    fn chosen_extent(&self, number: usize, axis: &WindowAxis, image: i64, axes: usize) -> Result<Option<i64>, Cause> {
        let given = list("output_shape", &self.output_shape, axes, 0)?;
        let of_stride = || image.checked_mul(axis.stride).ok_or(crate::ExtentError::Overflow);
        match self.filter.sliding.padding {
            _ if !self.output_shape.is_empty() => Ok(Some(given[number])),
            SlidingPadding::Auto(AutoPad::SameUpper | AutoPad::SameLower) => Ok(Some(of_stride()?)),
            SlidingPadding::Auto(AutoPad::Valid) | SlidingPadding::Explicit(_) => Ok(None),
        }
    }

    /// The extent of the output along an axis of images that are not known yet.
    fn extent(&self, number: usize, axis: &WindowAxis, image: &Extent, kernel: &Extent) -> Result<Extent, Cause> {
        if let Some(given) = self.output_shape.get(number) {
            return Ok((*given).into());
        }
        let stride = Extent::from(axis.stride);
        if let SlidingPadding::Auto(AutoPad::SameUpper | AutoPad::SameLower) = self.filter.sliding.padding {
            return Ok(image.multiply(&stride)?);
        }
        let reach = kernel.subtract(&1.into())?.multiply(&axis.dilation.into())?.add(&1.into())?;
        let reached = image.subtract(&1.into())?.multiply(&stride)?.add(&reach)?;
        let padding = self.output_padding.get(number).copied().unwrap_or(0);
        let pads = Extent::from(axis.pad_begin).add(&axis.pad_end.into())?;
        Ok(reached.add(&padding.into())?.subtract(&pads)?)
    }

    fn shape(&self, inputs: &Facts<'_>) -> Result<SymbolicShape, Cause> {
        let images = inputs.shape(0)?;
        let weights = inputs.shape_of_rank(1, images.rank())?;
        self.filter.check_extents(1, weights)?;
        // What is known is checked, with extents that fit in place of those that are not.
        let groups = self.filter.groups as i64;
        let known = |shape: &SymbolicShape, axis: usize| shape.get(axis).and_then(Extent::known);
        let channels = known(images, 1).or(known(weights, 0)).unwrap_or(groups);
        let kernel: Vec<i64> = spatial(weights).iter().map(|extent| extent.known().unwrap_or(1)).collect();
        let axes = self.filter.sliding.axes(&kernel)?;
        // An image as long as what is cut off holds it.
        let longest = |axis: &WindowAxis| axis.pad_begin.saturating_add(axis.pad_end).clamp(0, 1 << 20) + 1;
        let stand_ins =
            axes.iter().zip(spatial(images)).map(|(axis, image)| image.known().unwrap_or_else(|| longest(axis)));
        let images_like = Shape::new(&[1, channels].into_iter().chain(stand_ins).collect::<Vec<_>>())?;
        let (of_channels, outputs) = (known(weights, 0).unwrap_or(channels), known(weights, 1).unwrap_or(1));
        let weights_like = Shape::new(&[of_channels, outputs].into_iter().chain(kernel).collect::<Vec<_>>())?;
        let transposed = self.on(&images_like, &weights_like)?;
        let checked = transposed.output_shape(&images_like, &weights_like)?;
        let mut shape = images.clone();
        shape.extents_mut()[1] = weights[1].multiply(&groups.into())?;
        for (number, axis) in axes.iter().enumerate() {
            let (image, kernel) = (&images[number + 2], &weights[number + 2]);
            let is_known = image.known().is_some() && kernel.known().is_some();
            shape.extents_mut()[number + 2] = if is_known {
                i64::from(checked.extents()[number + 2]).into()
            } else {
                self.extent(number, axis, image, kernel)?
            };
        }
        Ok(shape)
    }
}

/// Cuts off what makes an axis of the output so long.
fn cut(
    axis: &mut WindowAxis,
    output_padding: &mut i64,
    image: u32,
    extent: i64,
    padding: &SlidingPadding,
) -> Result<(), Cause> {
    let reach = i128::from(axis.kernel - 1) * i128::from(axis.dilation) + 1;
    let reached = (i128::from(image) - 1) * i128::from(axis.stride) + reach + i128::from(*output_padding);
    let over = i64::try_from(reached - i128::from(extent)).map_err(|_| crate::ExtentError::Overflow)?;
    let (less, more) = (over / 2, over - over / 2);
    (axis.pad_begin, axis.pad_end) = match padding {
        _ if over < 0 => (0, 0),
        SlidingPadding::Auto(AutoPad::SameUpper) => (less, more),
        _ => (more, less),
    };
    *output_padding = output_padding.checked_sub(over.min(0)).ok_or(crate::ExtentError::Overflow)?;
    Ok(())
}

impl Operator for ConvTranspose {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.check_dtypes(dtype)?;
        let shape = self.shape(inputs)?;
        check_bias(inputs, 2, &shape[1])?;
        Ok(vec![Fact::new(dtype, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, weights) = (inputs.required(0)?, inputs.required(1)?);
        let transposed = self.on(x.shape(), weights.shape())?;
        let bias = inputs.get(2).map(|bias| by_channel(bias, x.shape().rank())).transpose()?;
        let epilogue = Epilogue { bias: bias.as_ref(), ..Epilogue::default() };
        outputs.write(0, |result| context.kernels().convolve_transposed(&transposed, x, weights, &epilogue, result))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Attributes, Sliding, build, infer};

    fn spread(extent: i64, attributes: &Attributes) -> Vec<f32> {
        let x = Tensor::arange(1, extent + 1, 1, DType::F32).unwrap().reshape(&[1, 1, extent]).unwrap();
        let weights = Tensor::from_slice(&[10.0_f32, 20.0, 30.0], &[1, 1, 3]).unwrap();
        let conv = build("", "ConvTranspose", attributes, 2, 1).unwrap();
        Context::new().unwrap().run(&*conv, &[Some(&x), Some(&weights)]).unwrap()[0].to_vec().unwrap()
    }

    #[test]
    fn what_is_cut_off_follows_from_the_shape() {
        let whole = [10.0, 20.0, 50.0, 40.0, 60.0];
        let strided = Attributes::new().with("strides", vec![2]);
        assert_eq!(spread(2, &strided), whole);
        let upper = strided.clone().with("auto_pad", "SAME_UPPER");
        assert_eq!(spread(2, &upper), whole[..4]);
        let lower = strided.clone().with("auto_pad", "SAME_LOWER");
        assert_eq!(spread(2, &lower), whole[1..]);
        assert_eq!(spread(2, &strided.clone().with("output_shape", vec![4])), whole[1..]);
        assert_eq!(spread(2, &upper.with("output_shape", vec![3])), whole[1..4]);
        let longer = spread(2, &strided.with("output_shape", vec![7]));
        assert_eq!((&longer[..5], &longer[5..]), (&whole[..], &[0.0, 0.0][..]));
    }

    #[test]
    fn padding_may_leave_elements_that_one_of_the_kernel_alone_reaches() {
        let x = Tensor::from_slice(&[3.0_f32], &[1, 1, 1, 1]).unwrap();
        let weights = Tensor::from_slice(&[10.0_f32, 20.0], &[1, 1, 1, 2]).unwrap();
        for (pads, expected) in [(vec![0, 1, 0, 0], 60.0), (vec![0, 0, 0, 1], 30.0)] {
            let conv = build("", "ConvTranspose", &Attributes::new().with("pads", pads), 2, 1).unwrap();
            let output = Context::new().unwrap().run(&*conv, &[Some(&x), Some(&weights)]).unwrap().remove(0);
            assert_eq!(output.to_vec::<f32>().unwrap(), [expected]);
        }
    }

    #[test]
    fn extents_follow_from_what_is_known() {
        let [height, width] = ["height", "width"].map(Extent::symbol);
        let x = Fact::new(DType::F32, SymbolicShape::new([Extent::symbol("batch"), 4.into(), height, width]));
        let weights = Fact::new(DType::F32, [4, 3, 3, 3]);
        let padding = SlidingPadding::Explicit(vec![1; 4]);
        let sliding = Sliding { strides: vec![2, 2], padding, ..Sliding::default() };
        let filter = Filter { groups: 2, sliding, ..Filter::default() };
        let conv = ConvTranspose { filter, output_padding: vec![1, 0], ..ConvTranspose::default() };
        let facts = infer(&conv, "conv", &[Some(&x), Some(&weights)]).unwrap();
        assert_eq!(facts[0].shape.as_ref().unwrap().to_string(), "[batch, 6, 2*height, 2*width - 1]");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let fault = |conv: ConvTranspose| {
            let (x, weights) = (Fact::new(DType::F32, [1, 4, 2]), Fact::new(DType::F32, [4, 3, 3]));
            infer(&conv, "conv", &[Some(&x), Some(&weights)]).unwrap_err().to_string()
        };
        let padded = |pads: Vec<i64>| Filter {
            sliding: Sliding { padding: SlidingPadding::Explicit(pads), ..Sliding::default() },
            ..Filter::default()
        };
        insta::assert_snapshot!(
            [
                fault(ConvTranspose { filter: Filter { groups: 3, ..Filter::default() }, ..ConvTranspose::default() }),
                fault(ConvTranspose { filter: padded(vec![3, 2]), ..ConvTranspose::default() }),
                fault(ConvTranspose { output_padding: vec![-1], ..ConvTranspose::default() }),
                fault(ConvTranspose { output_shape: vec![1, 3, 4], ..ConvTranspose::default() }),
                fault(ConvTranspose { output_shape: vec![-4], ..ConvTranspose::default() }),
                fault(ConvTranspose { output_shape: vec![i64::MIN], ..ConvTranspose::default() }),
                fault(ConvTranspose {
                    filter: Filter { extents: vec![2], ..Filter::default() },
                    ..ConvTranspose::default()
                }),
            ]
            .join("\n")
        );
    }
}
