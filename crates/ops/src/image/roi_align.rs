//! `RoiAlign`: boxes in images, pooled without rounding their corners.

use stratal_tensor::Tensor;
use stratal_tensor_base::{CastFrom, DType, Element, Shape, cast};

use crate::operands::unfit;
use crate::{
    Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, attribute, dtypes, read,
    write,
};

/// Pools each of some boxes `[boxes, 4]`, `x1, y1, x2, y2`, of images `[batch, channels, height, width]` to
/// `[boxes, channels, output height, output width]`. The third input says which image a box lies in.
///
/// A box is divided into bins, a bin into samples: `sampling_ratio` along each axis, or about one a pixel if that is 0. A sample
/// is made of four pixels by distance, or is zero more than a pixel beyond the image. A bin is the mean of its samples; with
/// [`RoiMode::Max`] the largest of their four weighted pixels, which is what ONNX Runtime computes and ONNX's tests expect. A
/// box with a corner that is NaN or infinite gives NaN. Everything is computed in f64 and rounded once.
#[derive(Debug, Clone, Copy)]
pub struct RoiAlign {
    /// Whether coordinates count from half a pixel before the first: the centre of the first pixel is 0.5. Without, a box is at
    /// least one pixel wide and high.
    pub half_pixel: bool,
    /// How samples become a bin.
    pub mode: RoiMode,
    /// Bins along the height.
    pub output_height: usize,
    /// Bins along the width.
    pub output_width: usize,
    /// Samples of a bin along each axis; 0 for about one a pixel.
    pub sampling_ratio: usize,
    /// What coordinates of boxes are multiplied by to be those of pixels.
    pub spatial_scale: f32,
}

/// How [`RoiAlign`] makes a bin of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RoiMode {
    /// Their mean.
    #[default]
    Mean,
    /// The largest of their weighted pixels.
    Max,
}

/// The most samples along an axis of a bin that an attribute may ask for: a bin takes the square of it.
const MOST_SAMPLES: usize = 1 << 8;

impl RoiAlign {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "RoiAlign",
        since: 22,
        inputs: 3..=3,
        outputs: 1..=1,
        attributes: &[
            "coordinate_transformation_mode",
            "mode",
            "output_height",
            "output_width",
            "sampling_ratio",
            "spatial_scale",
        ],
        dtypes: dtypes::FLOATS,
        build: |node| {
            let transformations = [("half_pixel", true), ("output_half_pixel", false)];
            let size = |name| match node.size_or(name, 1)? {
                0 => Err(attribute(name, 0, "a positive number")),
                size => Ok(size),
            };
            let sampling_ratio = node.size_or("sampling_ratio", 0)?;
            if sampling_ratio > MOST_SAMPLES {
                return Err(attribute("sampling_ratio", sampling_ratio, "at most 256"));
            }
            Ok(Box::new(Self {
                half_pixel: node.word(
                    "coordinate_transformation_mode",
                    "half_pixel or output_half_pixel",
                    &transformations,
                )?,
                mode: node.word("mode", "avg or max", &[("avg", RoiMode::Mean), ("max", RoiMode::Max)])?,
                output_height: size("output_height")?,
                output_width: size("output_width")?,
                sampling_ratio,
                spatial_scale: node.float_or("spatial_scale", 1.0)?,
            }))
        },
    };
}

impl Operator for RoiAlign {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.check_dtype(1, dtype)?;
        inputs.dtype(2, dtypes::INDICES)?;
        let (x, boxes) = (inputs.shape_of_rank(0, 4)?, inputs.shape_of_rank(1, 2)?);
        inputs.check_shape(1, &SymbolicShape::new([boxes[0].clone(), 4.into()]))?;
        inputs.check_shape(2, &SymbolicShape::new([boxes[0].clone()]))?;
        let (height, width) = (self.output_height as i64, self.output_width as i64);
        Ok(vec![Fact::new(dtype, SymbolicShape::new([boxes[0].clone(), x[1].clone(), height.into(), width.into()]))])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let images = inputs.required(0)?;
        let boxes = inputs.numbers(1).unwrap_or_default();
        let batch = images.shape().extent(0);
        let image = |&index: &i64| {
            let expected = || format!("0 to {}, an image of the batch", batch as i64 - 1);
            let image = usize::try_from(index).ok().filter(|&image| image < batch);
            image.ok_or_else(|| Cause::Element { input: 2, value: index.into(), expected: expected() })
        };
        let of_boxes = inputs.integers(2)?.unwrap_or_default();
        let of_boxes = of_boxes.iter().map(image).collect::<Result<Vec<_>, _>>()?;
        // Of the dtype that 16 bits are computed in; f64 sums either way.
        if images.dtype() == DType::F64 {
            let images = context.converted(images, DType::F64)?;
            return self.pool::<f64>(context, &images, &boxes, &of_boxes, outputs);
        }
        let images = context.converted(images, DType::F32)?;
        self.pool::<f32>(context, &images, &boxes, &of_boxes, outputs)
    }
}

/// A sample along one axis: two pixels and their weights.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sample {
    pixels: [usize; 2],
    weights: [f64; 2],
}

/// The samples of a bin along one axis.
#[derive(Debug, Clone, PartialEq)]
struct Bin {
    /// Those that are not zero.
    samples: Vec<Sample>,
    /// How many there are in all.
    count: f64,
}

impl RoiAlign {
    fn pool<T>(
        &self,
        context: &Context<'_>,
        images: &Tensor,
        boxes: &[f64],
        of_boxes: &[usize],
        outputs: &mut Outputs<'_>,
    ) -> Result<(), Cause>
    where
        T: Element,
        f64: CastFrom<T>,
    {
        let &[_, channels, height, width] = images.shape().extents() else {
            return Err(unfit(images.dtype(), images.shape()));
        };
        let (channels, height, width) = (channels as usize, height as usize, width as usize);
        let shape = [of_boxes.len(), channels, self.output_height, self.output_width].map(|extent| extent as i64);
        let pooled = context.scratch(DType::F64, &Shape::new(&shape)?)?;
        let images = read(images)?;
        let images = images.view()?.typed::<T>();
        write(&pooled, |pooled| {
            let unfit = unfit(pooled.dtype(), pooled.shape());
            let (Some(images), Some(mut pooled)) =
                (images.as_ref().and_then(|images| images.as_slice()), pooled.typed())
            else {
                return Err(unfit);
            };
            let Some(pooled) = pooled.as_mut_slice() else { return Err(unfit) };
            if pooled.is_empty() {
                return Ok(());
            }
            let bins = self.output_height * self.output_width;
            let results = pooled.chunks_exact_mut(channels * bins).zip(of_boxes).zip(boxes.chunks_exact(4));
            for ((results, image), corners) in results {
                let corner = |index: usize| {
                    corners[index] * f64::from(self.spatial_scale) - if self.half_pixel { 0.5 } else { 0.0 }
                };
                let sides = [corner(2) - corner(0), corner(3) - corner(1)];
                // A side beyond f64 would have more samples than can be counted.
                if !(0..4).map(corner).chain(sides).all(f64::is_finite) {
                    results.fill(f64::NAN);
                    continue;
                }
                let columns = self.bins(corner(0), corner(2), self.output_width, width);
                let rows = self.bins(corner(1), corner(3), self.output_height, height);
                for (channel, results) in results.chunks_exact_mut(bins).enumerate() {
                    let pixels = &images[(image * channels + channel) * height * width..][..height * width];
                    let pixel = |row: usize, column: usize| cast::<T, f64>(pixels[row * width + column]);
                    let bins = rows.iter().flat_map(|row| columns.iter().map(move |column| (row, column)));
                    for (result, (row, column)) in results.iter_mut().zip(bins) {
                        *result = self.bin(row, column, pixel);
                    }
                }
            }
            Ok::<_, Cause>(())
        })?;
        outputs.write(0, |result| Ok::<_, Cause>(context.kernels().cast(&read(&pooled)?.view()?, result)?))
    }

    /// The bins of a box along an axis with so many pixels.
    fn bins(&self, start: f64, end: f64, bins: usize, extent: usize) -> Vec<Bin> {
        let size = if self.half_pixel { end - start } else { (end - start).max(1.0) };
        let size = size / bins as f64;
        let count = if self.sampling_ratio > 0 { self.sampling_ratio as f64 } else { size.ceil().max(0.0) };
        let step = size / count;
        let bin = |bin: usize| {
            let first = start + bin as f64 * size;
            // Samples that lie on the image, or less than a pixel beyond, and one more on both sides for rounding.
            let at = |place: f64| ((place - first) / step - 0.5).clamp(0.0, count);
            let (one, other) = (at(-1.0), at(extent as f64));
            let (from, to) = (one.min(other).floor() - 1.0, one.max(other).ceil() + 1.0);
            let indices =
                if step == 0.0 { 0..count as u64 } else { from.max(0.0) as u64..(to + 1.0).min(count).max(0.0) as u64 };
            let samples = indices.filter_map(|index| sample(first + (index as f64 + 0.5) * step, extent)).collect();
            Bin { samples, count }
        };
        (0..bins).map(bin).collect()
    }

    fn bin(&self, rows: &Bin, columns: &Bin, pixel: impl Fn(usize, usize) -> f64) -> f64 {
        let count = rows.count * columns.count;
        let mut result: Option<f64> = None;
        let mut sum = 0.0;
        for row in &rows.samples {
            for column in &columns.samples {
                for (y, of_row) in row.pixels.into_iter().zip(row.weights) {
                    for (x, of_column) in column.pixels.into_iter().zip(column.weights) {
                        let weighted = of_row * of_column * pixel(y, x);
                        sum += weighted;
                        result = Some(result.map_or(weighted, |result| larger(result, weighted)));
                    }
                }
            }
        }
        match self.mode {
            RoiMode::Mean => sum / count.max(1.0),
            RoiMode::Max => {
                // Samples beyond the image are zeros.
                let all_inside = (rows.samples.len() * columns.samples.len()) as f64 == count;
                result.map_or(0.0, |result| if all_inside { result } else { larger(result, 0.0) })
            }
        }
    }
}

/// A sample at a place along an axis; none where it is zero.
fn sample(place: f64, extent: usize) -> Option<Sample> {
    if extent == 0 || !(-1.0..=extent as f64).contains(&place) {
        return None;
    }
    let place = place.max(0.0);
    let (low, last) = (place as usize, extent - 1);
    if low >= last {
        return Some(Sample { pixels: [last, last], weights: [1.0, 0.0] });
    }
    let behind = place - low as f64;
    Some(Sample { pixels: [low, low + 1], weights: [1.0 - behind, behind] })
}

/// The larger one, NaN if one is.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attributes, build, infer};

    fn operator(size: usize, sampling_ratio: usize) -> RoiAlign {
        RoiAlign {
            half_pixel: true,
            mode: RoiMode::Mean,
            output_height: size,
            output_width: size,
            sampling_ratio,
            spatial_scale: 1.0,
        }
    }

    /// An image of 2 x 2 pixels.
    fn run(operator: RoiAlign, image: [f32; 4], corners: [f32; 4]) -> Vec<f32> {
        let image = Tensor::from_slice(&image, &[1, 1, 2, 2]).unwrap();
        let (corners, indices) =
            (Tensor::from_slice(&corners, &[1, 4]).unwrap(), Tensor::from_slice(&[0_i64], &[1]).unwrap());
        let inputs = [Some(&image), Some(&corners), Some(&indices)];
        Context::new().unwrap().run(&operator, &inputs).unwrap()[0].to_vec().unwrap()
    }

    #[test]
    fn the_whole_image_is_itself() {
        let image = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(run(operator(2, 0), image, [0.0, 0.0, 2.0, 2.0]), image);
        assert_eq!(run(operator(1, 0), image, [0.0, 0.0, 2.0, 2.0]), [2.5]);
        assert_eq!(run(operator(1, 1), image, [0.0, 0.0, 2.0, 2.0]), [2.5]);
    }

    #[test]
    fn boxes_of_any_size_are_safe() {
        let image = [1.0, 2.0, 3.0, 4.0];
        for corners in [[-1e30, -1e30, 1e30, 1e30], [1e30, 1e30, 1e30, 1e30], [5.0, 5.0, -5.0, -5.0], [0.0; 4]] {
            for ratio in [0, 2] {
                assert!(run(operator(2, ratio), image, corners).iter().all(|x| x.is_finite()), "{corners:?} {ratio}");
            }
        }
        assert!(run(operator(1, 0), image, [f32::NAN, 0.0, 1.0, 1.0])[0].is_nan());
        assert!(run(operator(1, 2), image, [0.0, 0.0, f32::INFINITY, 1.0])[0].is_nan());
        // A box far away sees nothing.
        assert_eq!(run(operator(1, 2), image, [100.0, 100.0, 102.0, 102.0]), [0.0]);
        // Half of this one lies on the image.
        let half = run(operator(1, 0), [1.0; 4], [0.0, 0.0, 8.0, 2.0]);
        assert_eq!(half, [3.0 / 8.0]);
    }

    #[test]
    fn the_largest_of_all_samples() {
        let max = RoiAlign { mode: RoiMode::Max, ..operator(1, 1) };
        assert!(run(max, [1.0, f32::NAN, 3.0, 4.0], [0.0, 0.0, 2.0, 2.0])[0].is_nan());
        assert_eq!(run(max, [-1.0; 4], [0.0, 0.0, 2.0, 2.0]), [-0.25]);
        // What lies beyond is larger.
        let max = RoiAlign { sampling_ratio: 2, ..max };
        assert_eq!(run(max, [-1.0; 4], [-7.25, 0.5, 3.75, 1.5]), [0.0]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let x = Fact::new(DType::F32, [2, 1, 4, 4]);
        let message = |boxes: [i64; 2], indices: i64| {
            let (boxes, indices) = (Fact::new(DType::F32, boxes), Fact::new(DType::I64, [indices]));
            infer(&operator(1, 0), "roi", &[Some(&x), Some(&boxes), Some(&indices)]).unwrap_err().to_string()
        };
        let built = |name: &str, value: crate::Attribute| {
            build(ONNX, "RoiAlign", &Attributes::new().with(name, value), 3, 1).unwrap_err().to_string()
        };
        let image = Tensor::from_slice(&[0.0_f32; 4], &[1, 1, 2, 2]).unwrap();
        let (corners, index) =
            (Tensor::from_slice(&[0.0_f32; 4], &[1, 4]).unwrap(), Tensor::from_slice(&[1_i64], &[1]).unwrap());
        let inputs = [Some(&image), Some(&corners), Some(&index)];
        insta::assert_snapshot!([
            message([3, 5], 3),
            message([3, 4], 2),
            built("sampling_ratio", 65_536.into()),
            built("output_height", 0.into()),
            built("mode", "sum".into()),
            Context::new().unwrap().run(&operator(1, 0), &inputs).unwrap_err().to_string(),
        ].join("\n"), @r#"
        RoiAlign: input 1 has shape [3, 5]: expected [3, 4]
        RoiAlign: input 2 has shape [2]: expected [3]
        RoiAlign: attribute sampling_ratio is 65536: expected at most 256
        RoiAlign: attribute output_height is 0: expected a positive number
        RoiAlign: attribute mode is "sum": expected avg or max
        RoiAlign: input 2 holds 1: expected 0 to 0, an image of the batch
        "#);
    }
}
