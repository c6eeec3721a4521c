//! `GridSample`: written in terms of other operations. A sample is a sum of pixels, weighted by how far each is from the place
//! along each axis; pixels are gathered by numbers, and only their weights depend on the grid.

use stratal_ops::{GridMode, GridPadding, GridSample};
use stratal_tensor_base::{Bool, DType};

use crate::derivative::{Call, Derivative, Gradients, Need, Saves, by_composition};
use crate::views::extents;
use crate::{EagerError, Var};

impl Derivative for GridSample {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs([0, 1])
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        by_composition(call, |inputs| match inputs {
            [Some(x), Some(grid)] => Ok(vec![samples(*self, x, grid)?]),
            _ => Err(EagerError::Unfit("an input of GridSample was left out".into())),
        })
    }
}

/// The pixels that samples are made of along one axis: so many for each sample.
struct Axis {
    taps: Vec<Tap>,
}

/// One pixel for each sample, along one axis.
struct Tap {
    /// Which, or none beyond the image.
    pixels: Vec<Option<i64>>,
    /// Its weight, `[batch, samples]`.
    weights: Var,
}

fn samples(operator: GridSample, x: &Var, grid: &Var) -> Result<Var, EagerError> {
    let (of_x, of_grid) = (extents(x.shape()), extents(grid.shape()));
    let (batch, channels, images) = (of_x[0], of_x[1], &of_x[2..]);
    let places = &of_grid[1..of_grid.len() - 1];
    let shape: Vec<i64> = [batch, channels].iter().chain(places).copied().collect();
    if [&of_x[..], places].concat().contains(&0) {
        return Var::full(&shape, 0_u8, x.dtype());
    }
    let (samples, pixels) = (places.iter().product::<i64>(), images.iter().product::<i64>());
    let work = if x.dtype() == DType::F64 { DType::F64 } else { DType::F32 };
    let flat = x.cast(work)?.reshape(&[batch, channels, pixels])?;
    let zero = flat.number(0.0)?;
    let coordinates = grid.cast(DType::F64)?.reshape(&[batch, samples, images.len() as i64])?;
    let axes = images.iter().rev().enumerate().map(|(number, &extent)| {
        // Coordinates are counted from the innermost axis out.
        Axis::new(operator, &coordinates.select(-1, number as i64)?, extent)
    });
    let mut axes = axes.collect::<Result<Vec<_>, EagerError>>()?;
    axes.reverse();
    let mut sum: Option<Var> = None;
    for choice in choices(&axes) {
        let mut weights: Option<Var> = None;
        for tap in &choice {
            weights = Some(match weights {
                Some(weights) => weights.mul(&tap.weights)?,
                None => tap.weights.clone(),
            });
        }
        let Some(weights) = weights else { continue };
        let numbers = (0..(batch * samples) as usize).map(|sample| {
            let along = choice.iter().zip(images);
            along.clone().try_fold(0, |number, (tap, extent)| Some(number * extent + tap.pixels[sample]?))
        });
        let numbers: Vec<Option<i64>> = numbers.collect();
        let is_inside: Vec<Bool> = numbers.iter().map(|number| number.is_some().into()).collect();
        let is_inside = Var::from_slice(&is_inside, &[batch, 1, samples])?;
        let numbers: Vec<i64> = numbers.into_iter().map(|number| number.unwrap_or(0)).collect();
        let numbers = Var::from_slice(&numbers, &[batch, 1, samples])?.expand(&[batch, channels, samples])?;
        // Chosen, not multiplied by zero: a place that is NaN has weights that are.
        let pixels = is_inside.select_by(&flat.gather_elements(2, &numbers)?, &zero)?;
        let term = pixels.mul(&weights.cast(work)?.unsqueeze(1)?)?;
        sum = Some(match sum {
            Some(sum) => sum.add(&term)?,
            None => term,
        });
    }
    let sum = sum.ok_or_else(|| EagerError::Unfit("GridSample makes samples of no pixels".into()))?;
    sum.reshape(&shape)?.cast(x.dtype())
}

/// One tap of each axis, in all combinations.
fn choices(axes: &[Axis]) -> Vec<Vec<&Tap>> {
    let mut choices = vec![Vec::new()];
    for axis in axes {
        let mut longer = Vec::with_capacity(choices.len() * axis.taps.len());
        for choice in choices {
            longer.extend(axis.taps.iter().map(|tap| [&choice[..], &[tap]].concat()));
        }
        choices = longer;
    }
    choices
}

/// A place along an axis, in pixels.
struct Place {
    /// Behind which pixel it is.
    first: f64,
    /// How far.
    behind: f64,
    /// How much it moves as the coordinate does.
    slope: f64,
}

impl Axis {
    fn new(operator: GridSample, coordinates: &Var, extent: i64) -> Result<Self, EagerError> {
        let numbers = coordinates.to_vec::<f64>()?;
        let along = Along { operator, size: extent as f64 };
        let places: Vec<Place> = numbers.iter().map(|&coordinate| along.place(coordinate)).collect();
        let tap = |distance: f64, weights: Var| Tap {
            pixels: places.iter().map(|place| along.pixel(place.first + distance)).collect(),
            weights,
        };
        let shape = extents(coordinates.shape());
        if operator.mode == GridMode::Nearest {
            return Ok(Self { taps: vec![tap(0.0, Var::full(&shape, 1_u8, DType::F64)?)] });
        }
        // The same numbers, with the way in which they depend on the grid.
        let slopes: Vec<f64> = places.iter().map(|place| place.slope).collect();
        let rests: Vec<f64> = places.iter().zip(&numbers).map(|(place, x)| place.behind - place.slope * x).collect();
        let behind = coordinates.mul(&Var::from_slice(&slopes, &shape)?)?.add(&Var::from_slice(&rests, &shape)?)?;
        let ahead = behind.neg()?.add(1.0)?;
        let taps = match operator.mode {
            GridMode::Cubic => vec![
                tap(-1.0, far(&behind.add(1.0)?)?),
                tap(0.0, near(&behind)?),
                tap(1.0, near(&ahead)?),
                tap(2.0, far(&ahead.add(1.0)?)?),
            ],
            GridMode::Linear | GridMode::Nearest => vec![tap(0.0, ahead), tap(1.0, behind)],
        };
        Ok(Self { taps })
    }
}

/// The coefficient of cubic convolution.
const A: f64 = -0.75;

/// The weight of a pixel at a distance from 1 to 2.
fn far(distance: &Var) -> Result<Var, EagerError> {
    let sum = distance.mul(A)?.sub(5.0 * A)?;
    let sum = sum.mul(distance)?.add(8.0 * A)?;
    sum.mul(distance)?.sub(4.0 * A)
}

/// The weight of a pixel at a distance up to 1.
fn near(distance: &Var) -> Result<Var, EagerError> {
    let sum = distance.mul(A + 2.0)?.sub(A + 3.0)?;
    sum.mul(&distance.square()?)?.add(1.0)
}

/// An axis that is sampled.
#[derive(Clone, Copy)]
struct Along {
    operator: GridSample,
    /// Its extent.
    size: f64,
}

impl Along {
    /// Where the outermost pixels end: what places are mirrored at.
    fn ends(self) -> [f64; 2] {
        if self.operator.align_corners { [0.0, self.size - 1.0] } else { [-0.5, self.size - 0.5] }
    }

    /// The place of a coordinate.
    fn place(self, coordinate: f64) -> Place {
        let Self { operator, size } = self;
        let [low, high] = self.ends();
        let slope = if operator.align_corners { (size - 1.0) / 2.0 } else { size / 2.0 };
        let place = if operator.align_corners {
            (coordinate + 1.0) / 2.0 * (size - 1.0)
        } else {
            ((coordinate + 1.0) * size - 1.0) / 2.0
        };
        let place = if operator.mode == GridMode::Nearest { place.round_ties_even() } else { place };
        let clamped = |low: f64, high: f64| (place.clamp(low, high), 0.0);
        let (place, sign) = match operator.padding {
            GridPadding::Border if operator.mode == GridMode::Cubic && !(-3.0..=size + 2.0).contains(&place) => {
                clamped(-3.0, size + 2.0)
            }
            GridPadding::Border if operator.mode != GridMode::Cubic && (place < low || place > high) => {
                clamped(0.0, size - 1.0)
            }
            GridPadding::Reflection => reflected(place, low, high),
            GridPadding::Zeros | GridPadding::Border => (place, 1.0),
        };
        if !place.is_finite() {
            // Zeros lie at infinity, where nothing moves; NaN is no place, and has no slope either.
            let slope = if place.is_nan() { place } else { 0.0 };
            return Place { first: place, behind: slope, slope };
        }
        let first = place.floor();
        Place { first, behind: place - first, slope: slope * sign }
    }

    /// The pixel at a place, if there is one.
    fn pixel(self, place: f64) -> Option<i64> {
        let [low, high] = self.ends();
        let last = self.size - 1.0;
        let place = match self.operator.padding {
            GridPadding::Zeros => place,
            GridPadding::Border => place.clamp(0.0, last),
            GridPadding::Reflection => reflected(place, low, high).0.clamp(0.0, last),
        };
        (0.0..=last).contains(&place).then_some(place as i64)
    }
}

/// A place mirrored at both ends until it lies between them, and which way it moves then. NaN for infinite ones.
fn reflected(place: f64, low: f64, high: f64) -> (f64, f64) {
    let range = high - low;
    if (low..=high).contains(&place) || place.is_nan() {
        return (place, 1.0);
    }
    if range == 0.0 {
        return (if place.is_finite() { low } else { f64::NAN }, 0.0);
    }
    let distance = (place - low).rem_euclid(2.0 * range);
    if distance <= range { (low + distance, 1.0) } else { (low + 2.0 * range - distance, -1.0) }
}
