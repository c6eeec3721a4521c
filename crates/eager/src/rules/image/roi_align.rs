//! `RoiAlign`: written in terms of other operations. Where samples of a box lie follows from its corners, and the weights of
//! their pixels from that; how many there are is a constant.
//!
//! - The mean over a bin is a product `rows * image * columns^T` of the weights along both axes.
//! - The largest one of a bin has all of its gradient, the first of equal ones.

use std::ops::Range;

use stratal_ops::{RoiAlign, RoiMode};
use stratal_tensor_base::DType;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves, by_composition};
use crate::private::indices;
use crate::{EagerError, Var};

impl Derivative for RoiAlign {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs(0..3)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let images = call.integers(2)?.unwrap_or_default();
        by_composition(call, |inputs| match inputs {
            [Some(x), Some(boxes), _] => Ok(vec![pooled(self, x, boxes, &images)?]),
            _ => Err(EagerError::Unfit("an input of RoiAlign was left out".into())),
        })
    }
}

fn pooled(operator: &RoiAlign, x: &Var, boxes: &Var, images: &[i64]) -> Result<Var, EagerError> {
    let [channels, height, width] = [1, 2, 3].map(|axis| x.shape().extent(axis) as i64);
    let (rows, columns) = (operator.output_height as i64, operator.output_width as i64);
    if images.is_empty() || x.shape().is_empty() {
        return Var::full(&[images.len() as i64, channels, rows, columns], 0_u8, x.dtype());
    }
    let work = if x.dtype() == DType::F64 { DType::F64 } else { DType::F32 };
    let (x, corners) = (x.cast(work)?, boxes.cast(DType::F64)?);
    let corners = corners.mul(f64::from(operator.spatial_scale))?;
    let corners = corners.sub(if operator.half_pixel { 0.5 } else { 0.0 })?;
    // A box without corners would have more samples than can be counted. It is NaN, whatever the image is.
    let numbers = corners.to_vec::<f64>()?;
    let is_box = |corners: &[f64]| {
        let sides = [corners[2] - corners[0], corners[3] - corners[1]];
        corners.iter().chain(&sides).all(|corner| corner.is_finite())
    };
    let are_boxes: Vec<bool> = numbers.chunks_exact(4).map(is_box).collect();
    let side = |first: i64, bins: i64, extent: i64| {
        Side::new(
            operator,
            &corners.select(1, first)?,
            &corners.select(1, first + 2)?,
            &are_boxes,
            [bins, extent],
            work,
        )
    };
    let (y, x_axis) = (side(1, rows, height)?, side(0, columns, width)?);
    match operator.mode {
        RoiMode::Mean => means(&x, &y, &x_axis, images),
        RoiMode::Max => largest(&x, &y, &x_axis, images),
    }?
    .cast(boxes.dtype())
}

/// The samples of all boxes along one axis.
struct Side {
    /// Bins of a box.
    bins: i64,
    /// Pixels of the image.
    extent: i64,
    /// The samples of each bin, of one box after the other.
    samples: Vec<Range<usize>>,
    /// How many samples a bin of each box has, with those that lie beyond the image.
    counts: Vec<f64>,
    /// The two pixels of each sample.
    pixels: Vec<i64>,
    /// Their weights.
    weights: Var,
}

/// A sample that lies on the image.
struct Sample {
    of_box: i64,
    /// Where it is from start to end, as a part of the side.
    part: f64,
    pixels: [i64; 2],
    /// Whether it moves as the corners do, from one pixel to the other.
    moves: bool,
}

impl Side {
    fn new(
        operator: &RoiAlign,
        start: &Var,
        end: &Var,
        are_boxes: &[bool],
        [bins, extent]: [i64; 2],
        work: DType,
    ) -> Result<Self, EagerError> {
        let mut size = end.sub(start)?;
        if !operator.half_pixel {
            size = size.greater(1.0)?.select_by(&size, &size.number(1.0)?)?;
        }
        let (mut samples, mut ranges, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        let sides = start.to_vec::<f64>()?.into_iter().zip(size.to_vec::<f64>()?).zip(are_boxes);
        for (of_box, ((start, size), &is_box)) in sides.enumerate() {
            let of_bin = size / bins as f64;
            let count = match operator.sampling_ratio {
                _ if !is_box => 0.0,
                0 => of_bin.ceil().max(0.0),
                ratio => ratio as f64,
            };
            counts.push(count);
            for bin in 0..bins {
                let first = samples.len();
                samples.extend(on_image(start + bin as f64 * of_bin, of_bin / count, count, extent).filter_map(
                    |index| {
                        let part = (bin as f64 + (index as f64 + 0.5) / count) / bins as f64;
                        Sample::new(of_box as i64, part, start + size * part, extent)
                    },
                ));
                ranges.push(first..samples.len());
            }
        }
        let of_samples = |number: &dyn Fn(&Sample) -> f64| {
            Var::from_slice(&samples.iter().map(number).collect::<Vec<_>>(), &[samples.len() as i64])
        };
        let boxes = indices(samples.iter().map(|sample| sample.of_box).collect())?;
        let place = size.gather(0, &boxes)?.mul(&of_samples(&|sample| sample.part)?)?.add(&start.gather(0, &boxes)?)?;
        let behind = place.sub(&of_samples(&|sample| sample.pixels[0] as f64)?)?;
        let behind = behind.mul(&of_samples(&|sample| f64::from(u8::from(sample.moves)))?)?;
        let weights = Var::stack(&[&behind.neg()?.add(1.0)?, &behind], 1)?.cast(work)?;
        let weights = weights.reshape(&[2 * samples.len() as i64])?;
        let pixels = samples.iter().flat_map(|sample| sample.pixels).collect();
        Ok(Self { bins, extent, samples: ranges, counts, pixels, weights })
    }

    /// The mean's weights of all pixels: `[boxes, bins, extent]`.
    fn matrix(&self) -> Result<Var, EagerError> {
        let (mut places, mut shares) = (Vec::new(), Vec::new());
        for (bin, samples) in self.samples.iter().enumerate() {
            let taps = &self.pixels[2 * samples.start..2 * samples.end];
            places.extend(taps.iter().map(|pixel| bin as i64 * self.extent + pixel));
            shares.resize(places.len(), 1.0 / self.counts[bin / self.bins as usize]);
        }
        let shares = Var::from_slice(&shares, &[shares.len() as i64])?.cast(self.weights.dtype())?;
        let shape = [self.counts.len() as i64, self.bins, self.extent];
        let shape = stratal_tensor_base::Shape::new(&shape)?;
        self.weights.mul(&shares)?.reshape(&[-1])?.added_at(&indices(places)?, &shape)
    }

    /// The pixels and weights of a bin's samples: two of each for a sample.
    fn taps(&self, bin: usize) -> Result<(Var, Var), EagerError> {
        let Range { start, end } = self.samples[bin];
        let pixels = indices(self.pixels[2 * start..2 * end].to_vec())?;
        Ok((pixels, self.weights.narrow(0, 2 * start as i64, 2 * (end - start) as i64)?))
    }

    /// Whether all samples of a bin lie on the image.
    fn is_inside(&self, bin: usize) -> bool {
        self.samples[bin].len() as f64 == self.counts[bin / self.bins as usize]
    }
}

/// Which samples of a bin lie on the image, or nearly: not all are looked at, of a box that is far larger.
fn on_image(first: f64, step: f64, count: f64, extent: i64) -> Range<u64> {
    if step == 0.0 || count == 0.0 {
        return 0..count as u64;
    }
    let at = |place: f64| ((place - first) / step - 0.5).clamp(0.0, count);
    let (one, other) = (at(-1.0), at(extent as f64));
    let (from, to) = (one.min(other).floor() - 1.0, one.max(other).ceil() + 1.0);
    from.max(0.0) as u64..(to + 1.0).min(count).max(0.0) as u64
}

impl Sample {
    /// One at a place; none where it is zero.
    fn new(of_box: i64, part: f64, place: f64, extent: i64) -> Option<Self> {
        if !(-1.0..=extent as f64).contains(&place) {
            return None;
        }
        let last = extent - 1;
        let low = place.max(0.0) as i64;
        let (pixels, moves) = if low >= last { ([last, last], false) } else { ([low, low + 1], place >= 0.0) };
        Some(Self { of_box, part, pixels, moves })
    }
}

/// The means of all bins: `[boxes, channels, rows, columns]`.
fn means(x: &Var, y: &Side, x_axis: &Side, images: &[i64]) -> Result<Var, EagerError> {
    let (rows, columns) = (y.matrix()?, x_axis.matrix()?);
    let (mut means, mut order) = (Vec::new(), Vec::<i64>::new());
    for image in 0..x.shape().extent(0) as i64 {
        let boxes: Vec<i64> =
            (0..).zip(images).filter(|&(_, &of_box)| of_box == image).map(|(of_box, _)| of_box).collect();
        if boxes.is_empty() {
            continue;
        }
        let count = boxes.len() as i64;
        order.extend(&boxes);
        let boxes = indices(boxes)?;
        let rows = rows.gather(0, &boxes)?.reshape(&[count * y.bins, y.extent])?;
        let columns = columns.gather(0, &boxes)?.t()?;
        let of_rows = rows.matmul(&x.select(0, image)?)?.reshape(&[-1, count, y.bins, x_axis.extent])?;
        means.push(of_rows.matmul(&columns)?.permute(&[1, 0, 2, 3])?);
    }
    let mut places = vec![0; order.len()];
    for (place, of_box) in order.into_iter().enumerate() {
        places[of_box as usize] = place as i64;
    }
    Var::concat(&means.iter().collect::<Vec<_>>(), 0)?.gather(0, &indices(places)?)
}

/// The largest weighted pixels of all bins: `[boxes, channels, rows, columns]`.
fn largest(x: &Var, y: &Side, x_axis: &Side, images: &[i64]) -> Result<Var, EagerError> {
    let channels = x.shape().extent(1) as i64;
    let mut bins = Vec::new();
    for (of_box, &image) in images.iter().enumerate() {
        let image = x.select(0, image)?;
        for row in 0..y.bins as usize {
            let row = of_box * y.bins as usize + row;
            let (row_pixels, row_weights) = y.taps(row)?;
            let of_rows = image.gather(1, &row_pixels)?;
            for column in 0..x_axis.bins as usize {
                let column = of_box * x_axis.bins as usize + column;
                let (column_pixels, column_weights) = x_axis.taps(column)?;
                let weights = row_weights.unsqueeze(1)?.mul(&column_weights)?;
                let weighted = of_rows.gather(2, &column_pixels)?.mul(&weights)?;
                // Sample by sample, and then its four pixels: of equal ones the first is taken.
                let [height, width] = [&y.samples[row], &x_axis.samples[column]].map(|samples| samples.len() as i64);
                let weighted = weighted.reshape(&[channels, height, 2, width, 2])?.permute(&[0, 1, 3, 2, 4])?;
                let mut weighted = weighted.reshape(&[channels, 4 * height * width])?;
                if !(y.is_inside(row) && x_axis.is_inside(column)) || weighted.shape().is_empty() {
                    // Samples beyond the image are zeros.
                    weighted = weighted.pad(&[0, 0], &[0, 1], 0.0)?;
                }
                let first = weighted.arg_max(1)?.unsqueeze(1)?;
                bins.push(weighted.gather_elements(1, &first)?);
            }
        }
    }
    let bins = Var::concat(&bins.iter().collect::<Vec<_>>(), 1)?;
    let bins = bins.reshape(&[channels, images.len() as i64, y.bins, x_axis.bins])?;
    bins.permute(&[1, 0, 2, 3])
}
