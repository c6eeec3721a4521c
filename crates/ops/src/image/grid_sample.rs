//! `GridSample`: images sampled at places that a grid gives.

use stratal_tensor::{View, ViewMut};
use stratal_tensor_base::{CastFrom, DType, Element, Geometry, cast, match_dtype};

use crate::operands::unfit;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes, read};

/// Samples images `[batch, channels, ..]` of one to three axes at the places in a grid `[batch, .., axes]`.
///
/// The coordinates of a place, from the innermost axis out, are -1 and 1 at the centres of the outermost pixels if
/// `align_corners`, else at their outer edges. Places and weights are computed in f64, and sums are rounded once; what is no
/// float is cut to an integer. The nearest pixel is taken as it is; halves go to the even one.
///
/// A coordinate that is NaN, or infinite where it is mirrored, gives NaN, or 0 for integers. No coordinate is too large: ONNX
/// Runtime reads pixels at wrapped places for some.
#[derive(Debug, Clone, Copy, Default)]
pub struct GridSample {
    /// Whether -1 and 1 are centres of pixels.
    pub align_corners: bool,
    /// How pixels become samples.
    pub mode: GridMode,
    /// What lies beyond images.
    pub padding: GridPadding,
}

/// How [`GridSample`] makes a sample of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GridMode {
    /// Of the two neighbours along each axis, by distance.
    #[default]
    Linear,
    /// The nearest one.
    Nearest,
    /// Of four neighbours along each axis: cubic convolution with a coefficient of -0.75.
    Cubic,
}

/// What lies beyond the images of [`GridSample`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GridPadding {
    /// Zeros.
    #[default]
    Zeros,
    /// The outermost pixel, again and again.
    Border,
    /// The image mirrored, as often as needed: at the places -1 and 1.
    Reflection,
}

impl GridSample {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "GridSample",
        since: 22,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &["align_corners", "mode", "padding_mode"],
        dtypes: dtypes::ALL,
        build: |node| {
            let modes = [
                ("linear", GridMode::Linear),
                ("bilinear", GridMode::Linear),
                ("nearest", GridMode::Nearest),
                ("cubic", GridMode::Cubic),
                ("bicubic", GridMode::Cubic),
            ];
            let paddings = [
                ("zeros", GridPadding::Zeros),
                ("border", GridPadding::Border),
                ("reflection", GridPadding::Reflection),
            ];
            Ok(Box::new(Self {
                align_corners: node.flag("align_corners", false)?,
                mode: node.word("mode", "linear, nearest or cubic", &modes)?,
                padding: node.word("padding_mode", "zeros, border or reflection", &paddings)?,
            }))
        },
    };
}

impl Operator for GridSample {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.required(0)?.dtype;
        inputs.dtype(1, dtypes::FLOATS)?;
        let x = inputs.shape(0)?;
        if !(3..=5).contains(&x.rank()) {
            return Err(Cause::Shape { input: 0, shape: x.to_string(), expected: "3 to 5 axes".into() });
        }
        let axes = x.rank() - 2;
        let grid = inputs.shape_of_rank(1, axes + 2)?;
        let expected = [x[0].clone()].into_iter().chain(grid[1..=axes].iter().cloned()).chain([(axes as i64).into()]);
        inputs.check_shape(1, &SymbolicShape::new(expected))?;
        let extents = x[..2].iter().chain(&grid[1..=axes]).cloned();
        Ok(vec![Fact::new(dtype, SymbolicShape::new(extents))])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let grid = context.converted(inputs.required(1)?, DType::F64)?;
        let grid = read(&grid)?;
        let grid = grid.view()?;
        let Some(grid) = grid.typed::<f64>() else { return Err(unfit(grid.dtype(), grid.shape())) };
        outputs.write(0, |result| {
            let unfit = unfit(result.dtype(), result.shape());
            match_dtype!(x.dtype(), T => match (x.typed::<T>(), result.typed::<T>()) {
                (Some(x), Some(result)) => self.sample(&x, &grid, result),
                _ => Err(unfit),
            })
        })
    }
}

/// The pixels that make up a sample along one axis: their places, or none beyond the image, and weights.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Taps {
    places: [Option<usize>; 4],
    weights: [f64; 4],
    /// How many there are.
    count: usize,
}

/// Pixels that a sample may be made of: four along each of three axes.
const MOST_PIXELS: usize = 64;

impl GridSample {
    /// The taps at a normalised coordinate; none where it means no place at all.
    fn taps(self, coordinate: f64, extent: usize) -> Option<Taps> {
        let size = extent as f64;
        let (low, high) = if self.align_corners { (0.0, size - 1.0) } else { (-0.5, size - 0.5) };
        let place = if self.align_corners {
            (coordinate + 1.0) / 2.0 * (size - 1.0)
        } else {
            ((coordinate + 1.0) * size - 1.0) / 2.0
        };
        if extent == 0 {
            return (!place.is_nan()).then_some(Taps { places: [None; 4], weights: [0.0; 4], count: 0 });
        }
        let place = if self.mode == GridMode::Nearest { place.round_ties_even() } else { place };
        let place = match self.padding {
            GridPadding::Zeros => place,
            // The pixels of a cubic are clamped one by one; from here on they are all the same.
            GridPadding::Border if self.mode == GridMode::Cubic => place.clamp(-3.0, size + 2.0),
            GridPadding::Border if place < low || place > high => place.clamp(0.0, size - 1.0),
            GridPadding::Border => place,
            GridPadding::Reflection => reflect(place, low, high),
        };
        if place.is_nan() {
            return None;
        }
        let first = place.floor();
        let (before, weights, count) = match self.mode {
            GridMode::Nearest => (0.0, [1.0, 0.0, 0.0, 0.0], 1),
            GridMode::Linear => (0.0, [1.0 - (place - first), place - first, 0.0, 0.0], 2),
            GridMode::Cubic => (1.0, cubic(place - first), 4),
        };
        let pixel = |tap: usize| {
            let pixel = first - before + tap as f64;
            let pixel = match self.padding {
                GridPadding::Zeros => pixel,
                GridPadding::Border => pixel.clamp(0.0, size - 1.0),
                GridPadding::Reflection => reflect(pixel, low, high).clamp(0.0, size - 1.0),
            };
            (pixel >= 0.0 && pixel < size).then_some(pixel as usize)
        };
        Some(Taps { places: std::array::from_fn(pixel), weights, count })
    }

    /// The pixels of a sample, as distances from the first one of a channel, and their weights; none where there is no place.
    fn pixels<'a>(
        self,
        point: &[f64],
        extents: &[u32],
        strides: &[i32],
        pixels: &'a mut [(isize, f64); MOST_PIXELS],
    ) -> Option<&'a [(isize, f64)]> {
        pixels[0] = (0, 1.0);
        let mut count = 1;
        let axes = extents.iter().zip(strides).zip(point.iter().rev());
        for ((&extent, &stride), &coordinate) in axes {
            let taps = self.taps(coordinate, extent as usize)?;
            let before = *pixels;
            let found = before[..count].iter().flat_map(|&(distance, weight)| {
                let taps = taps.places[..taps.count].iter().zip(taps.weights);
                taps.filter_map(move |(place, factor)| {
                    place.map(|place| (distance + place as isize * stride as isize, weight * factor))
                })
            });
            count = 0;
            for (place, pixel) in pixels.iter_mut().zip(found) {
                *place = pixel;
                count += 1;
            }
        }
        Some(&pixels[..count])
    }

    fn sample<T>(self, x: &View<'_, T>, grid: &View<'_, f64>, mut result: ViewMut<'_, T>) -> Result<(), Cause>
    where
        T: Element + CastFrom<f64>,
        f64: CastFrom<T>,
    {
        let (of_x, of_result) = (*x.geometry(), *result.geometry());
        if of_result.shape().is_empty() {
            return Ok(());
        }
        let axes = of_x.shape().rank() - 2;
        let (extents, strides) = (&of_x.shape().extents()[2..], &of_x.strides()[2..]);
        let (batches, channels) = (of_result.shape().extent(0), of_result.shape().extent(1));
        let samples = of_result.shape().count() / batches / channels;
        let at = |geometry: &Geometry, batch: usize, channel: usize| {
            let strides = [geometry.strides()[0] as isize, geometry.strides()[1] as isize];
            geometry.offset().wrapping_add_signed(batch as isize * strides[0] + channel as isize * strides[1])
        };
        let mut pixels = [(0, 0.0); MOST_PIXELS];
        let mut points = grid.as_slice().unwrap_or_default().chunks_exact(axes);
        for batch in 0..batches {
            let places = of_result.select(0, batch as i64)?.select(0, 0)?;
            let origin = places.offset();
            for (place, point) in places.offsets().zip(points.by_ref().take(samples)) {
                let pixels = self.pixels(point, extents, strides, &mut pixels);
                for channel in 0..channels {
                    let first = at(&of_x, batch, channel);
                    let pixel = |distance: isize| x.elements()[first.wrapping_add_signed(distance)];
                    let value = match pixels {
                        None if T::DTYPE.is_float() => cast(f64::NAN),
                        None => T::zeroed(),
                        Some(pixels) if self.mode == GridMode::Nearest => {
                            pixels.first().map_or(T::zeroed(), |&(distance, _)| pixel(distance))
                        }
                        Some(pixels) => {
                            let products =
                                pixels.iter().map(|&(distance, weight)| weight * cast::<T, f64>(pixel(distance)));
                            cast(products.sum::<f64>())
                        }
                    };
                    result.elements_mut()[place + at(&of_result, batch, channel) - origin] = value;
                }
            }
        }
        Ok(())
    }
}

/// Mirrors a place at both ends until it lies between them. NaN for infinite ones.
fn reflect(place: f64, low: f64, high: f64) -> f64 {
    let range = high - low;
    if (low..=high).contains(&place) || place.is_nan() {
        return place;
    }
    if range == 0.0 {
        return if place.is_finite() { low } else { f64::NAN };
    }
    let distance = (place - low).rem_euclid(2.0 * range);
    low + distance.min(2.0 * range - distance)
}

/// The weights of four pixels, for a place behind the second one.
fn cubic(behind: f64) -> [f64; 4] {
    const A: f64 = -0.75;
    let far = |x: f64| ((A * x - 5.0 * A) * x + 8.0 * A) * x - 4.0 * A;
    let near = |x: f64| ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0;
    [far(behind + 1.0), near(behind), near(1.0 - behind), far(2.0 - behind)]
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::Bool;

    use super::*;
    use crate::infer;

    /// Samples of an image of one row.
    fn run<T: Element>(operator: GridSample, x: &[T], places: &[f32]) -> Vec<T> {
        let x = Tensor::from_slice(x, &[1, 1, x.len() as i64]).unwrap();
        let grid = Tensor::from_slice(places, &[1, places.len() as i64, 1]).unwrap();
        Context::new().unwrap().run(&operator, &[Some(&x), Some(&grid)]).unwrap()[0].to_vec().unwrap()
    }

    const MODES: [GridMode; 3] = [GridMode::Linear, GridMode::Nearest, GridMode::Cubic];
    const PADDINGS: [GridPadding; 3] = [GridPadding::Zeros, GridPadding::Border, GridPadding::Reflection];

    #[test]
    fn coordinates_that_mean_no_place_give_nan() {
        for (mode, padding, align_corners) in all() {
            let operator = GridSample { mode, padding, align_corners };
            let samples = run(operator, &[1.0_f32, 2.0], &[f32::NAN, 1e20, -1e20, f32::MAX, f32::INFINITY]);
            assert!(samples[0].is_nan());
            assert_eq!(samples[4].is_nan(), padding == GridPadding::Reflection, "{operator:?}");
            assert!(samples[1..4].iter().all(|x| x.is_finite()));
            match padding {
                GridPadding::Zeros => assert_eq!(samples[1..], [0.0; 4]),
                GridPadding::Border => assert_eq!(samples[1..], [2.0, 1.0, 2.0, 2.0]),
                GridPadding::Reflection => assert!(samples[1..4].iter().all(|x| (0.5..=2.5).contains(x))),
            }
            assert_eq!(run(operator, &[7_i32, 7], &[f32::NAN]), [0]);
            assert_eq!(run(operator, &[true, true].map(Bool::from), &[f32::NAN]), [false.into()]);
        }
    }

    fn all() -> impl Iterator<Item = (GridMode, GridPadding, bool)> {
        let pairs = MODES.into_iter().flat_map(|mode| PADDINGS.map(|padding| (mode, padding)));
        pairs.flat_map(|(mode, padding)| [false, true].map(|align_corners| (mode, padding, align_corners)))
    }

    #[test]
    fn infinite_pixels_beside_a_sample_count() {
        let operator = GridSample { align_corners: true, ..GridSample::default() };
        let samples = run(operator, &[f32::INFINITY, 1.0, 3.0], &[-0.5, 0.5]);
        assert_eq!(samples, [f32::INFINITY, 2.0]);
        // A pixel with no weight is one that counts: zero times infinity.
        assert!(run(operator, &[1.0, f32::INFINITY], &[-1.0])[0].is_nan());
    }

    #[test]
    fn halves_go_to_the_even_pixel() {
        let operator = GridSample { mode: GridMode::Nearest, align_corners: true, ..GridSample::default() };
        // Places 0.5 and 1.5 of three, and an integer that no f64 holds.
        assert_eq!(run(operator, &[i64::MAX, 1, 2], &[-0.5, 0.5]), [i64::MAX, 2]);
    }

    #[test]
    fn mirrors_stand_at_the_ends() {
        let operator = GridSample { padding: GridPadding::Reflection, align_corners: true, ..GridSample::default() };
        // Places -1, 3 and 5 of [0, 2].
        assert_eq!(run(operator, &[10.0_f32, 20.0, 40.0], &[-2.0, 2.0, 4.0]), [20.0, 20.0, 20.0]);
        assert_eq!(reflect(-3.5, -1.0, 1.0), 0.5);
        assert_eq!(run(operator, &[10.0_f32], &[7.0]), [10.0]);
        // Mirrored at the outer edges, the outermost pixel is there twice.
        let operator = GridSample { align_corners: false, ..operator };
        assert_eq!(run(operator, &[10.0_f32, 20.0], &[-1.5, 1.5]), [10.0, 20.0]);
    }

    #[test]
    fn the_border_is_repeated_for_each_pixel_of_a_cubic() {
        let operator = GridSample { mode: GridMode::Cubic, padding: GridPadding::Border, align_corners: true };
        // Place 1.5, from pixels 0, 1, 1 and 1: their weights are -3/32, 19/32, 19/32 and -3/32.
        assert_eq!(run(operator, &[0.0_f32, 1.0], &[2.0]), [1.0 + 3.0 / 32.0]);
        let operator = GridSample { mode: GridMode::Linear, ..operator };
        assert_eq!(run(operator, &[0.0_f32, 1.0], &[2.0]), [1.0]);
    }

    #[test]
    fn weights_of_four_pixels_add_up() {
        for behind in [0.0, 0.25, 0.5, 0.875] {
            assert_eq!(cubic(behind).iter().sum::<f64>(), 1.0);
        }
        assert_eq!(cubic(0.0), [0.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn any_strides_will_do() {
        let x = Tensor::from_slice(&[1.0_f32, 2.0, 3.0, 4.0], &[1, 2, 2, 1]).unwrap();
        // Channels are the last axis in memory.
        let x = x.permute(&[0, 3, 2, 1]).unwrap();
        let grid = Tensor::from_slice(&[-1.0_f32, 1.0, 1.0, -1.0], &[1, 1, 2, 2]).unwrap();
        let operator = GridSample { align_corners: true, mode: GridMode::Nearest, ..GridSample::default() };
        let outputs = Context::new().unwrap().run(&operator, &[Some(&x), Some(&grid)]).unwrap();
        assert_eq!(outputs[0].to_vec::<f32>().unwrap(), [2.0, 3.0]);
    }

    #[test]
    fn images_without_pixels_are_zeros() {
        let (x, grid) =
            (Tensor::from_slice::<f32>(&[], &[1, 1, 0]).unwrap(), Tensor::from_slice(&[0.5_f32], &[1, 1, 1]).unwrap());
        for (mode, padding, align_corners) in all() {
            let operator = GridSample { mode, padding, align_corners };
            let outputs = Context::new().unwrap().run(&operator, &[Some(&x), Some(&grid)]).unwrap();
            assert_eq!(outputs[0].to_vec::<f32>().unwrap(), [0.0]);
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let message = |x: &[i64], grid: &[i64]| {
            let [x, grid] = [x, grid]
                .map(|extents| Fact::new(DType::F32, extents.iter().map(|&x| x.into()).collect::<SymbolicShape>()));
            infer(&GridSample::default(), "grid", &[Some(&x), Some(&grid)]).unwrap_err().to_string()
        };
        insta::assert_snapshot!([
            message(&[1, 2], &[1, 0]),
            message(&[1, 1, 4, 4], &[1, 2, 2]),
            message(&[1, 1, 4, 4], &[1, 2, 2, 3]),
            message(&[1, 1, 4, 4], &[2, 2, 2, 2]),
        ].join("\n"), @r"
        GridSample: input 0 has shape [1, 2]: expected 3 to 5 axes
        GridSample: input 1 has shape [1, 2, 2]: expected rank 4
        GridSample: input 1 has shape [1, 2, 2, 3]: expected [1, 2, 2, 2]
        GridSample: input 1 has shape [2, 2, 2, 2]: expected [1, 2, 2, 2]
        ");
    }
}
