//! `DeformConv`: convolutions that look at other places.

use stratal_kernels::convolution::ConvolutionAxis;
use stratal_kernels::{AnyView, AnyViewMut, Epilogue};
use stratal_tensor::ViewMut;
use stratal_tensor_base::{CastFrom, DType, Element, Shape, cast};

use super::filter::spatial;
use super::{Filter, check_bias};
use crate::operands::unfit;
use crate::{
    Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, Reading, SymbolicShape,
    attribute, dtypes, read, write,
};

/// A convolution whose windows see other places than the next ones: each element of the kernel looks so much further along
/// each axis as the third input says, of shape (batch, offset groups * elements of the kernel * axes, ...).
///
/// Between elements it sees what lies on the straight line, or plane, between them; outside the image lie zeros. A fourth input
/// is added to each output channel, and a fifth, of shape (batch, offset groups * elements of the kernel, ...), is what each
/// element seen is multiplied by. Places are computed in f64, and NaN and infinite ones do no harm: what is seen is NaN or 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeformConv {
    /// How the weights slide over the images.
    pub filter: Filter,
    /// The groups of channels that have places of their own.
    pub offset_groups: usize,
}

impl DeformConv {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "DeformConv",
        since: 22,
        inputs: 3..=5,
        outputs: 1..=1,
        attributes: &["dilations", "group", "kernel_shape", "offset_group", "pads", "strides"],
        dtypes: dtypes::FLOATS,
        build: |node| {
            let offset_groups = node.size_or("offset_group", 1)?;
            if offset_groups == 0 {
                return Err(attribute("offset_group", 0, "1 or more"));
            }
            Ok(Box::new(Self { filter: Filter::of_node(node)?, offset_groups }))
        },
    };

    /// Checks an input with a number for each place that is looked at, or several.
    fn check_places(&self, inputs: &Facts<'_>, input: usize, output: &SymbolicShape, each: i64) -> Result<(), Cause> {
        let (images, weights) = (inputs.shape(0)?, inputs.shape(1)?);
        let taps = crate::symbolic_shape::product(spatial(weights))?;
        let channels = taps.multiply(&(each.saturating_mul(self.offset_groups as i64)).into())?;
        let behind = spatial(output).iter().cloned();
        let expected: SymbolicShape = [images[0].clone(), channels].into_iter().chain(behind).collect();
        let found = inputs.shape(input)?;
        let differs = |(found, expected): (&Extent, &Extent)| {
            found.known().zip(expected.known()).is_some_and(|(found, expected)| found != expected)
        };
        if found.rank() == expected.rank() && !found.iter().zip(expected.iter()).any(differs) {
            return Ok(());
        }
        Err(Cause::Shape { input, shape: found.to_string(), expected: format!("shape {expected}") })
    }
}

impl Operator for DeformConv {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.check_dtypes(dtype)?;
        let shape = self.filter.infer(inputs, [0, 1])?;
        let channels = &inputs.shape(0)?[1];
        if channels.known().is_some_and(|channels| channels.checked_rem(self.offset_groups as i64) != Some(0)) {
            return Err(Cause::Unfit(format!(
                "{channels:?} channels do not make {} offset groups",
                self.offset_groups
            )));
        }
        self.check_places(inputs, 2, &shape, shape.rank() as i64 - 2)?;
        check_bias(inputs, 3, &shape[1])?;
        if inputs.get(4).is_some() {
            self.check_places(inputs, 4, &shape, 1)?;
        }
        Ok(vec![Fact::new(dtype, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let dtype = inputs.required(0)?.dtype();
        outputs.write(0, |result| match dtype {
            DType::F64 => self.compute_as::<f64>(context, inputs, result),
            // Elements of 16 bits are rounded once, at last.
            _ => self.compute_as::<f32>(context, inputs, result),
        })
    }
}

impl DeformConv {
    /// What is seen, image by image, is written out, and multiplied by the weights.
    fn compute_as<T: Element + Into<f64> + CastFrom<f64>>(
        &self,
        context: &Context<'_>,
        inputs: &Inputs<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), Cause> {
        let wide = |input| inputs.get(input).map(|view| context.converted(view, T::DTYPE)).transpose();
        let needed = |input| wide(input)?.ok_or(Cause::MissingInput { input });
        let [x, weights, offsets] = [needed(0)?, needed(1)?, needed(2)?];
        let [bias, mask] = [wide(3)?, wide(4)?];
        let (images, outputs) = (x.shape().extents(), result.shape().extents());
        let sight = Sight {
            image: spatial(images),
            kernel: spatial(weights.shape().extents()),
            output: spatial(outputs),
            axes: &self.filter.on(x.shape(), weights.shape())?.axes,
            channels: images[1] as usize / self.offset_groups,
        };
        let groups = self.filter.groups as i64;
        let (channels, of_group) = (i64::from(outputs[1]) / groups, i64::from(images[1]) / groups);
        let (terms, places) = (of_group * sight.taps() as i64, sight.places() as i64);
        let weights = weights.reshape(&[groups, channels, terms])?;
        let bias = bias.map(|bias| bias.reshape(&[groups, channels, 1])).transpose()?;
        let bias = bias.as_ref().map(read).transpose()?;
        let bias = bias.as_ref().map(Reading::view).transpose()?;
        let epilogue = Epilogue { bias: bias.as_ref(), ..Epilogue::default() };
        let seen = context.scratch(T::DTYPE, &Shape::new(&[groups, terms, places])?)?;
        let sums = context.scratch(T::DTYPE, &Shape::new(&[images[0].into(), groups, channels, places])?)?;
        let (weights, x, offsets) = (read(&weights)?, read(&x)?, read(&offsets)?);
        let mask = mask.as_ref().map(read).transpose()?;
        let (x, offsets) = (x.view()?, offsets.view()?);
        let mask = mask.as_ref().map(Reading::view).transpose()?;
        for image in 0..images[0] as usize {
            let (x, offsets) = (part::<T>(&x, image), part::<T>(&offsets, image));
            let mask = mask.as_ref().map(|mask| part::<T>(mask, image));
            write(&seen, |seen| {
                let unfit = unfit(seen.dtype(), seen.shape());
                if let Some(seen) = seen.typed::<T>().as_mut().and_then(ViewMut::as_mut_slice) {
                    (0..self.offset_groups).for_each(|group| sight.see(group, x, offsets, mask, seen));
                    return Ok(());
                }
                Err(unfit)
            })?;
            let seen = read(&seen)?;
            write(&sums.select(0, image as i64)?, |sums| {
                Ok::<_, Cause>(context.kernels().matmul(&weights.view()?, &seen.view()?, &epilogue, sums)?)
            })?;
        }
        let extents: Vec<i64> = outputs.iter().map(|extent| i64::from(*extent)).collect();
        let sums = sums.reshape(&extents)?;
        Ok(context.kernels().cast(&read(&sums)?.view()?, result)?)
    }
}

/// The elements of one image of a tensor that lies row by row.
fn part<'a, T: Element>(view: &AnyView<'a>, image: usize) -> &'a [T] {
    let elements = view.typed::<T>().and_then(|view| view.as_slice()).unwrap_or_default();
    let each = elements.len() / view.shape().extent(0).max(1);
    &elements[image * each..][..each]
}

/// Where the elements of a kernel look.
struct Sight<'a> {
    image: &'a [u32],
    kernel: &'a [u32],
    output: &'a [u32],
    axes: &'a [ConvolutionAxis],
    /// The channels of an offset group.
    channels: usize,
}

impl Sight<'_> {
    fn taps(&self) -> usize {
        count(self.kernel)
    }

    fn places(&self) -> usize {
        count(self.output)
    }

    /// Writes what the channels of an offset group of an image see: a row for each channel and element of the kernel.
    fn see<T: Element + Into<f64> + CastFrom<f64>>(
        &self,
        group: usize,
        x: &[T],
        offsets: &[T],
        mask: Option<&[T]>,
        seen: &mut [T],
    ) {
        let (taps, places, elements) = (self.taps(), self.places(), count(self.image));
        let axes = self.axes.len();
        for (tap, place) in (0..taps).flat_map(|tap| (0..places).map(move |place| (tap, place))) {
            let row = group * taps + tap;
            let (in_kernel, in_output) = (index(tap, self.kernel), index(place, self.output));
            let at = |axis: usize| {
                let ConvolutionAxis { stride, dilation, pad_begin, .. } = self.axes[axis];
                let begin = in_output[axis] as f64 * stride as f64 - pad_begin as f64;
                let offset: f64 = offsets[(row * axes + axis) * places + place].into();
                begin + in_kernel[axis] as f64 * dilation as f64 + offset
            };
            let corners = self.corners(at);
            let factor = mask.map_or(1.0, |mask| mask[row * places + place].into());
            for channel in group * self.channels..(group + 1) * self.channels {
                let image = &x[channel * elements..][..elements];
                let between = corners.iter().flatten().fold(0.0, |sum: f64, (share, element)| {
                    let element: f64 = image[*element].into();
                    sum + share * element
                });
                seen[(channel * taps + tap) * places + place] = cast(between * factor);
            }
        }
    }

    /// The elements around a place that lie within the image, each with its share.
    fn corners(&self, at: impl Fn(usize) -> f64) -> [Option<(f64, usize)>; 8] {
        let mut corners = [None; 8];
        for (number, corner) in corners.iter_mut().enumerate().take(1 << self.axes.len()) {
            *corner = (0..self.axes.len()).try_fold((1.0, 0), |(share, element), axis| {
                let (place, extent) = (at(axis), self.image[axis]);
                let (first, is_second) = (place.floor(), number >> axis & 1);
                let fraction = place - first;
                let place = (first as i64).saturating_add(is_second as i64);
                let inside = usize::try_from(place).ok().filter(|place| *place < extent as usize)?;
                let own = if is_second == 1 { fraction } else { 1.0 - fraction };
                Some((share * own, element * extent as usize + inside))
            });
        }
        corners
    }
}

fn count(extents: &[u32]) -> usize {
    extents.iter().map(|extent| *extent as usize).product()
}

/// The index along each axis of an element counted in row-major order.
fn index(mut element: usize, extents: &[u32]) -> [usize; 3] {
    let mut index = [0; 3];
    for (axis, extent) in extents.iter().enumerate().rev() {
        index[axis] = element % *extent as usize;
        element /= *extent as usize;
    }
    index
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::{Attributes, build};

    fn seen(offset: [f32; 2], attributes: &Attributes) -> Result<f32, String> {
        let x = Tensor::from_slice(&[1.0_f32, 2.0, 4.0, 8.0], &[1, 1, 2, 2]).unwrap();
        let weights = Tensor::ones(&[1, 1, 1, 1], DType::F32).unwrap();
        let offsets = Tensor::from_slice(&[offset[0], 0.0, 0.0, 0.0, offset[1], 0.0, 0.0, 0.0], &[1, 2, 2, 2]).unwrap();
        let conv = build("", "DeformConv", attributes, 3, 1).map_err(|error| error.to_string())?;
        let outputs = Context::new().unwrap().run(&*conv, &[Some(&x), Some(&weights), Some(&offsets)]);
        Ok(outputs.map_err(|error| error.to_string())?[0].to_vec::<f32>().unwrap()[0])
    }

    #[test]
    fn between_elements_lies_a_plane_and_outside_zeros() {
        let none = Attributes::new();
        assert_eq!(seen([0.5, 0.5], &none), Ok(3.75));
        assert_eq!(seen([-0.5, 0.0], &none), Ok(0.5));
        assert_eq!(seen([0.0, 1.5], &none), Ok(1.0));
        assert_eq!(seen([-1.0, 0.0], &none), Ok(0.0));
        assert_eq!(seen([1e20, f32::INFINITY], &none), Ok(0.0));
        assert!(seen([f32::NAN, 0.0], &none).unwrap().is_nan());
    }

    #[test]
    fn images_of_one_and_three_axes() {
        for rank in [3, 5] {
            let extents: Vec<i64> = (0..rank).map(|axis| if axis < 2 { 1 } else { 3 }).collect();
            let elements = 3_i64.pow(rank - 2);
            let x = Tensor::arange(0, elements, 1, DType::F64).unwrap().reshape(&extents).unwrap();
            let weights = Tensor::ones(&vec![1; rank as usize], DType::F64).unwrap();
            let mut offsets = extents.clone();
            offsets[1] = i64::from(rank) - 2;
            let offsets = Tensor::full(&offsets, 0.5, DType::F64).unwrap();
            let conv = build("", "DeformConv", &Attributes::new(), 3, 1).unwrap();
            let output =
                Context::new().unwrap().run(&*conv, &[Some(&x), Some(&weights), Some(&offsets)]).unwrap().remove(0);
            // Half an element along each axis from the first one.
            let middle: f64 = (0..rank - 2).map(|axis| 3_f64.powi(axis as i32) / 2.0).sum();
            assert_eq!(output.to_vec::<f64>().unwrap()[0], middle);
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let with = |name: &str, value: i64| seen([0.0; 2], &Attributes::new().with(name, value)).unwrap_err();
        insta::assert_snapshot!(
            [
                with("offset_group", 0),
                with("offset_group", 2),
                with("group", 2),
                seen([0.0; 2], &Attributes::new().with("strides", vec![2, 2])).unwrap_err(),
            ]
            .join("\n")
        );
    }
}
