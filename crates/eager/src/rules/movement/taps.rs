//! What resizing an axis makes of each element: the elements of the operand that it is made of, with their weights.

use stratal_kernels::resize::{Coordinates, Interpolation};
use stratal_ops::{Aspect, Resize};
use stratal_tensor_base::{DType, Shape};

use crate::derivative::Call;
use crate::private::indices;
use crate::views::extents;
use crate::{EagerError, Var, apply};

/// The gradient of a resized operand: axis by axis, each element gives its gradient to those that it was made of.
pub(crate) fn gradient(
    call: &Call<'_>,
    resize: &Resize,
    region: Option<&[f64]>,
    factors: Option<&[f64]>,
) -> Result<Var, EagerError> {
    let (mut gradient, from) = (call.gradient()?, call.shape(0));
    if gradient.shape().is_empty() || from.is_empty() {
        return call.zeros_like(0);
    }
    let dtype = gradient.dtype();
    if matches!(dtype, DType::F16 | DType::BF16) {
        gradient = gradient.cast(DType::F32)?;
    }
    let axes = resize.axes.clone().unwrap_or_else(|| (0..from.rank() as i64).collect());
    for (position, &axis) in axes.iter().enumerate() {
        let axis = from.axis(axis)?;
        let along = Along {
            resize,
            region: region.map(|region| [region[position], region[position + axes.len()]]),
            // The ends of a region fall onto the ends of the result, whatever the factor is.
            factor: factors.filter(|_| region.is_none()).map(|factors| factors[position]),
            extents: [from, gradient.shape()].map(|shape| shape.extent(axis) as i64),
        };
        if !along.is_kept() {
            gradient = along.taps()?.undone(&gradient, axis, along.extents[0])?;
        }
    }
    gradient.cast(dtype)
}

/// How one axis was resized.
struct Along<'a> {
    resize: &'a Resize,
    region: Option<[f64; 2]>,
    factor: Option<f64>,
    /// Of operand and result.
    extents: [i64; 2],
}

/// Which elements of a result are made of which of the operand, with weights unless those are 1.
#[derive(Default)]
struct Taps {
    results: Vec<i64>,
    elements: Vec<i64>,
    weights: Option<Vec<f64>>,
}

impl Along<'_> {
    /// Whether the axis stayed what it was.
    fn is_kept(&self) -> bool {
        self.extents[0] == self.extents[1] && self.region.is_none() && self.factor.is_none_or(|factor| factor == 1.0)
    }

    /// Resizes the first axis of something else in the same way. What is outside becomes -1 or 0.
    fn applied(&self, x: &Var, outside: f32) -> Result<Var, EagerError> {
        let resize =
            Resize { axes: Some(vec![0]), extrapolation: outside, aspect: Aspect::Stretch, ..self.resize.clone() };
        let region = self.region.map(|region| Var::from_slice(&region, &[2])).transpose()?;
        let factor = self.factor.map(|factor| Var::from_slice(&[factor], &[1])).transpose()?;
        let extent = Var::from_slice(&[self.extents[1]], &[1])?;
        let extent = if factor.is_none() { Some(&extent) } else { None };
        apply(&resize, &[Some(x), region.as_ref(), factor.as_ref(), extent])
    }

    fn taps(&self) -> Result<Taps, EagerError> {
        let [from, to] = self.extents;
        if matches!(self.resize.interpolation, Interpolation::Nearest(_)) {
            let elements = indices((0..from).collect())?;
            let elements = self.applied(&elements, -1.0)?.to_vec::<i64>()?;
            let (results, elements) = (0..to).zip(elements).filter(|&(_, element)| element >= 0).unzip();
            return Ok(Taps { results, elements, weights: None });
        }
        // Elements in as many classes as may lie together, so that each class shows the weight of one element, and which one.
        let classes = self.span().min(from);
        let probe = |number: &dyn Fn(i64) -> f64| {
            let of_class = |element: i64, class: i64| if element % classes == class { number(element) } else { 0.0 };
            let all = (0..from).flat_map(|element| (0..classes).map(move |class| (element, class)));
            let probe: Vec<f64> = all.map(|(element, class)| of_class(element, class)).collect();
            self.applied(&Var::from_slice(&probe, &[from, classes])?, 0.0)?.to_vec::<f64>()
        };
        let (weights, places) = (probe(&|_| 1.0)?, probe(&|element| element as f64)?);
        let mut taps = Taps::default();
        let mut kept = Vec::new();
        for (place, (&weight, sum)) in weights.iter().zip(places).enumerate().filter(|(_, (weight, _))| **weight != 0.0)
        {
            taps.results.push(place as i64 / classes);
            taps.elements.push((sum / weight).round() as i64);
            kept.push(weight);
        }
        taps.weights = Some(kept);
        Ok(taps)
    }

    /// How many elements that lie together an element of the result may be made of, at most.
    fn span(&self) -> i64 {
        let radius = if self.resize.interpolation == Interpolation::Linear { 1.0 } else { 2.0 };
        let scale = self.factor.unwrap_or(self.extents[1] as f64 / self.extents[0] as f64);
        let scale = if self.resize.antialias { scale.min(1.0) } else { 1.0 };
        2 * (radius / scale).ceil() as i64
    }
}

impl Taps {
    /// The gradient of an axis before it was resized.
    fn undone(self, gradient: &Var, axis: usize, extent: i64) -> Result<Var, EagerError> {
        let mut extents = extents(gradient.shape());
        let is_all = self.results.iter().copied().eq(0..extents[axis]);
        extents[axis] = extent;
        let results = indices(self.results)?;
        let mut spread = if is_all { gradient.clone() } else { gradient.gather(axis as i64, &results)? };
        if let Some(weights) = self.weights {
            let mut shape = vec![1; gradient.rank() - axis];
            shape[0] = weights.len() as i64;
            spread = spread.mul(&Var::from_slice(&weights, &shape)?.cast(gradient.dtype())?)?;
        }
        spread.slices_summed_at(&indices(self.elements)?, &Shape::new(&extents)?, axis)
    }
}

/// The region that was taken, if one was.
pub(crate) fn is_cropped(resize: &Resize) -> bool {
    resize.coordinates == Coordinates::CropAndResize
}
