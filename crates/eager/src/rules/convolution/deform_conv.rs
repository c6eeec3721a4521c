//! `DeformConv`: what is seen between elements, as a sum over the corners around it, times the weights.

use stratal_kernels::convolution::ConvolutionAxis;
use stratal_ops::DeformConv;
use stratal_tensor::Tensor;
use stratal_tensor_base::{Bool, DType};

use crate::derivative::{Call, Derivative, Gradients, Need, Saves, by_composition};
use crate::{EagerError, Var};

impl Derivative for DeformConv {
    fn saves(&self, need: &Need<'_>) -> Saves {
        Saves::inputs(0..need.count())
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        by_composition(call, |inputs| Ok(vec![convolved(self, inputs)?]))
    }
}

/// The operator, of operations that have derivatives.
fn convolved(operator: &DeformConv, inputs: &[Option<Var>]) -> Result<Var, EagerError> {
    let given = |input: usize| inputs.get(input).and_then(Option::as_ref);
    let needed = |input| given(input).ok_or_else(|| EagerError::Unfit(format!("input {input} was left out")));
    let (x, weights, offsets) = (needed(0)?, needed(1)?, needed(2)?);
    let convolution = operator.filter.on(x.shape(), weights.shape())?;
    let output = convolution.output_shape(x.shape(), weights.shape())?;
    let spatial = |shape: &stratal_tensor_base::Shape| -> Vec<i64> {
        shape.extents()[2..].iter().map(|extent| i64::from(*extent)).collect()
    };
    let sight = Sight {
        axes: &convolution.axes,
        image: spatial(x.shape()),
        kernel: spatial(weights.shape()),
        output: spatial(&output),
    };
    let (taps, places) = (sight.kernel.iter().product::<i64>(), sight.output.iter().product::<i64>());
    let [batch, channels, of_group] = [x.extent(0)?, x.extent(1)?, weights.extent(1)?].map(|extent| extent as i64);
    let (offset_groups, groups) = (operator.offset_groups as i64, operator.filter.groups as i64);
    let outputs = output.extent(1) as i64;

    let offsets = offsets.reshape(&[batch, offset_groups, taps, convolution.axes.len() as i64, places])?;
    let corners = sight.corners(&offsets)?;
    let channels_each = channels / offset_groups;
    let mut seen: Option<Var> = None;
    for Corner { share, elements } in &corners {
        let indices = through_channels(elements, taps * places, channels_each, sight.image.iter().product());
        let indices = Tensor::from_vec(indices, &[batch, offset_groups, channels_each, taps, places])?;
        let part = x.taken_at(&indices.into())?.mul(&share.unsqueeze(2)?)?;
        seen = Some(match seen {
            None => part,
            Some(seen) => seen.add(&part)?,
        });
    }
    let mut seen = seen.ok_or_else(|| EagerError::Unfit("a window without axes".into()))?;
    if let Some(mask) = given(4) {
        seen = seen.mul(&mask.reshape(&[batch, offset_groups, 1, taps, places])?)?;
    }
    let seen = seen.reshape(&[batch, groups, of_group * taps, places])?;
    let sums = weights.reshape(&[groups, outputs / groups, of_group * taps])?.matmul(&seen)?.reshape_to(&output)?;
    match given(3) {
        None => Ok(sums),
        Some(bias) => {
            let by_channel: Vec<i64> = (1..output.rank()).map(|axis| if axis == 1 { outputs } else { 1 }).collect();
            sums.add(&bias.reshape(&by_channel)?)
        }
    }
}

/// Where the elements of a kernel look.
struct Sight<'a> {
    axes: &'a [ConvolutionAxis],
    image: Vec<i64>,
    kernel: Vec<i64>,
    output: Vec<i64>,
}

/// One of the elements around each place that is looked at.
struct Corner {
    /// Its share of what is seen.
    share: Var,
    /// Which element of the image it is; -1 outside.
    elements: Vec<i64>,
}

impl Sight<'_> {
    /// The corners around all places, of offsets of shape (batch, offset groups, elements of the kernel, axes, places).
    fn corners(&self, offsets: &Var) -> Result<Vec<Corner>, EagerError> {
        let mut corners = vec![Corner { share: offsets.number(1.0)?, elements: Vec::new() }];
        for (axis, steps) in self.axes.iter().enumerate() {
            let moved = offsets.select(3, axis as i64)?;
            let values = moved.detach().cast(DType::F64)?.to_vec::<f64>()?;
            // Infinite offsets look at nothing, and have no gradient.
            let is_near: Vec<Bool> = values.iter().map(|value| Bool::from(!value.is_infinite())).collect();
            let floors: Vec<f64> =
                values.iter().map(|value| if value.is_infinite() { 0.0 } else { value.floor() }).collect();
            let shape = crate::views::extents(moved.shape());
            let floors = Var::from(Tensor::from_vec(floors, &shape)?).cast(moved.dtype())?;
            let is_near = Var::from(Tensor::from_vec(is_near, &shape)?);
            let fraction = is_near.select_by(&moved.sub(&floors)?, &moved.number(0.0)?)?;
            let before = fraction.number(1.0)?.sub(&fraction)?;
            let firsts = self.firsts(axis, steps, &values);
            let mut further = Vec::with_capacity(2 * corners.len());
            for corner in &corners {
                for (is_second, own) in [(0, &before), (1, &fraction)] {
                    let elements = firsts.iter().enumerate().map(|(number, first)| {
                        let outer = if axis == 0 { 0 } else { corner.elements[number] };
                        let place = first.saturating_add(is_second);
                        let is_inside = outer >= 0 && (0..self.image[axis]).contains(&place);
                        if is_inside { outer * self.image[axis] + place } else { -1 }
                    });
                    further.push(Corner { share: corner.share.mul(own)?, elements: elements.collect() });
                }
            }
            corners = further;
        }
        Ok(corners)
    }

    /// The element along an axis at or before each place, of offsets of shape (batch, offset groups, elements of the kernel,
    /// places).
    fn firsts(&self, axis: usize, steps: &ConvolutionAxis, offsets: &[f64]) -> Vec<i64> {
        let taps: i64 = self.kernel.iter().product();
        let places: i64 = self.output.iter().product();
        let first = |(number, offset): (usize, &f64)| {
            let (tap, place) = (number as i64 / places % taps, number as i64 % places);
            let (in_kernel, in_output) = (along(axis, tap, &self.kernel), along(axis, place, &self.output));
            let begin = in_output * steps.stride - steps.pad_begin + in_kernel * steps.dilation;
            (begin as f64 + offset).floor() as i64
        };
        offsets.iter().enumerate().map(first).collect()
    }
}

/// The index along an axis of an element counted in row-major order.
fn along(axis: usize, element: i64, extents: &[i64]) -> i64 {
    element / extents[axis + 1..].iter().product::<i64>() % extents[axis]
}

/// Elements of one image, each for all channels of an offset group, counted through all images.
fn through_channels(elements: &[i64], each: i64, channels: i64, image: i64) -> Vec<i64> {
    let groups = elements.chunks(each.max(1) as usize).zip(0..);
    let of_group = |(elements, group): (&[i64], i64)| {
        let elements = elements.to_vec();
        (0..channels).flat_map(move |channel| {
            let before = (group * channels + channel) * image;
            elements.clone().into_iter().map(move |element| if element < 0 { -1 } else { before + element })
        })
    };
    groups.flat_map(of_group).collect()
}
