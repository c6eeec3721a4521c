//! The driver of pooling: which elements are neighbours, and who works on which rows.

use std::marker::PhantomData;

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::{DType, Element, Geometry, MAX_RANK, Shape, ShapeError};

use super::fold::Fold;
use super::images::{Scratch, rows};
use super::maximum::{MaxByKeys, MaxF32};
use super::plan::Plan;
use super::sum::{Mean, SumF32, SumF64};
use super::{Span, Window};
use crate::convert::Half;
use crate::ordered::match_ordered;
use crate::parallel::Threads;
use crate::simd::{Isa, Simd, Task};

/// Elements of windows that one thread looks at, about.
const GRAIN: usize = 256 * 1024;

/// Fewer channels than this are not worth a loop of their own: rows of such images are taken apart.
const FEWEST_CHANNELS: usize = 8;

/// What is taken from each window.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// The maximum.
    Max,
    /// The average; whether padding counts.
    Average(bool),
    /// A power mean without the division.
    Power(i64),
}

/// A checked problem.
pub(crate) struct Pooling<'a> {
    plan: Plan,
    dtype: DType,
    x: &'a [u8],
    /// The first element of each image, and how many rows of results it has.
    starts: Vec<usize>,
    rows: usize,
    /// Where results lie without gaps, in the order in which they are computed.
    order: Geometry,
}

impl<'a> Pooling<'a> {
    pub(crate) fn new(
        window: &Window,
        kind: Kind,
        (x, geometry): (&'a [u8], &Geometry),
        dtype: DType,
        result: &Shape,
    ) -> Result<Self, ShapeError> {
        let images = geometry.shape();
        let axes = window.axes.len();
        let one = super::WindowAxis::default();
        let (mut spans, mut windows, mut strides) = ([Span::new(&one, 1); 3], [1; 3], [0; 3]);
        for (axis, window) in window.axes.iter().enumerate() {
            let to = 3 - axes + axis;
            spans[to] = Span::new(window, images.extents()[axis + 2]);
            windows[to] = result.extent(axis + 2);
            strides[to] = geometry.strides()[axis + 2] as isize;
        }
        let channels = images.extent(1);
        let are_neighbours =
            geometry.strides()[1] == 1 && channels >= FEWEST_CHANNELS && strides[2] != 1 && spans[2].extent > 1;
        let (outer, together) = if are_neighbours { (1, channels) } else { (2, 1) };
        let offsets = prefix(geometry, outer)?;
        let order = if are_neighbours { channels_last(result)? } else { Geometry::contiguous(*result) };
        let plan = Plan::new(spans, windows, strides, together, matches!(kind, Kind::Average(true)));
        Ok(Self { dtype, x, starts: offsets.offsets().collect(), rows: windows[0] * windows[1], order, plan })
    }

    /// Where results lie if they are written without gaps.
    pub(crate) const fn order(&self) -> &Geometry {
        &self.order
    }

    /// Computes all results in their [order](Self::order), and where maxima come from if there is room for it.
    pub(crate) fn run(&self, kind: Kind, isa: Isa, threads: &Threads, result: &mut [u8], indices: Option<&mut [i32]>) {
        let mean = match kind {
            Kind::Max => return self.run_max(isa, threads, result, indices),
            Kind::Average(_) => Mean::Average,
            Kind::Power(power) => Mean::Power(power),
        };
        match (self.dtype, Half::of(self.dtype)) {
            (DType::F32, _) => {
                self.divide(threads, result, None, &|part: Part<'_, f32>| {
                    isa.run(SumOfPart { part, isa, mean, half: None });
                });
            }
            (DType::F64, _) => {
                self.divide(threads, result, None, &|part: Part<'_, f64>| part.run(SumF64 { isa, mean }));
            }
            (_, half) => {
                self.divide(threads, result, None, &|part: Part<'_, u16>| isa.run(SumOfPart { part, isa, mean, half }));
            }
        }
    }

    fn run_max(&self, isa: Isa, threads: &Threads, result: &mut [u8], indices: Option<&mut [i32]>) {
        match self.dtype {
            DType::F32 => self.divide(threads, result, indices, &|part: Part<'_, f32>| isa.run(part)),
            dtype => match_ordered!(dtype, T => {
                self.divide(threads, result, indices, &|part| part.run(MaxByKeys::<T>::new(isa)));
            }),
        }
    }

    /// Gives each thread rows of results.
    fn divide<E: Element>(
        &self,
        threads: &Threads,
        result: &mut [u8],
        indices: Option<&mut [i32]>,
        work: &(dyn Fn(Part<'_, E>) + Sync),
    ) {
        let result: &mut [E] = cast_slice_mut(result);
        let length = self.plan.row_length();
        if result.is_empty() {
            return;
        }
        // As many rows as make a grain, of whole images where those are small.
        let looks: i64 = self.plan.spans.iter().map(|span| span.kernel.min(span.extent)).product();
        let rows = (GRAIN / length.saturating_mul(looks as usize).max(1)).max(1);
        let rows = if rows < self.rows { rows.max(self.rows / 8) } else { rows / self.rows * self.rows };
        let chunk = rows * length;
        match indices {
            None => threads.for_each_chunk(result, chunk, |start, result| {
                work(Part { pooling: self, first: start / length, result, indices: None });
            }),
            Some(indices) => {
                threads.for_each_chunk_of_two((result, chunk), (indices, chunk), |index, result, indices| {
                    work(Part { pooling: self, first: index * rows, result, indices: Some(indices) });
                })
            }
        }
    }
}

/// Some rows of results.
struct Part<'a, E> {
    pooling: &'a Pooling<'a>,
    /// The first row.
    first: usize,
    result: &'a mut [E],
    indices: Option<&'a mut [i32]>,
}

impl<E: Element> Part<'_, E> {
    #[inline(always)]
    fn run<F: Fold<Element = E>>(self, fold: F) {
        let Pooling { plan, starts, rows: per_image, .. } = self.pooling;
        let x: &[E] = cast_slice(self.pooling.x);
        let length = plan.row_length();
        let mut scratch = Scratch::new::<F>(plan, self.indices.is_some());
        let (mut row, mut result, mut indices) = (self.first, self.result, self.indices);
        while !result.is_empty() {
            let within = row % per_image;
            let count = (per_image - within).min(result.len() / length);
            let (part, rest) = result.split_at_mut(count * length);
            let (part_of_indices, rest_of_indices) = match indices {
                Some(indices) => {
                    let (part, rest) = indices.split_at_mut(count * length);
                    (Some(part), Some(rest))
                }
                None => (None, None),
            };
            let image = (x, starts[row / per_image]);
            rows(fold, plan, image, &mut scratch, within..within + count, part, part_of_indices);
            (row, result, indices) = (row + count, rest, rest_of_indices);
        }
    }
}

impl Task for Part<'_, f32> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        Part::run(self, MaxF32(simd));
    }
}

/// Sums in f32 of some rows.
struct SumOfPart<'a, E> {
    part: Part<'a, E>,
    isa: Isa,
    mean: Mean,
    half: Option<Half>,
}

impl<E: Element> Task for SumOfPart<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { part, isa, mean, half } = self;
        part.run(SumF32 { simd, isa, mean, half, element: PhantomData });
    }
}

/// The first axes of a geometry alone.
fn prefix(geometry: &Geometry, axes: usize) -> Result<Geometry, ShapeError> {
    let extents: Vec<i64> = geometry.shape().extents()[..axes].iter().map(|extent| i64::from(*extent)).collect();
    let strides: Vec<i64> = geometry.strides()[..axes].iter().map(|stride| i64::from(*stride)).collect();
    let shape = Shape::new(&extents)?;
    // Fewer axes reach no further than all of them.
    let offset = geometry.offset() as i64;
    Ok(Geometry::strided(shape, &strides, offset, u64::MAX).unwrap_or(Geometry::contiguous(shape)))
}

/// Without gaps, channels as neighbours.
fn channels_last(shape: &Shape) -> Result<Geometry, ShapeError> {
    let rank = shape.rank();
    let extents: Vec<i64> = shape.extents().iter().map(|extent| i64::from(*extent)).collect();
    let mut physical = extents.clone();
    physical.remove(1);
    physical.push(extents[1]);
    let mut axes: [i64; MAX_RANK] = [0, 1, 2, 3, 4, 5, 6, 7];
    axes[1] = rank as i64 - 1;
    for (axis, from) in axes.iter_mut().enumerate().take(rank).skip(2) {
        *from = axis as i64 - 1;
    }
    let dense = Geometry::contiguous(Shape::new(&physical)?);
    Ok(dense.permute(&axes[..rank]).unwrap_or(dense))
}
