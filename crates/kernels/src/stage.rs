//! Staging: rows of any dtype and strides, one after another as slices of the type that they compute in.
//!
//! A row that lies side by side in that type is worked on where it is. Others are gathered and, if they are of a 16-bit
//! float format, widened to f32; results go back the same way, those that lie beside each other as tiles. The text here knows
//! sizes and not types.

mod tiles;

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::{DType, Geometry};

use crate::convert::{Half, narrow, widen};
use crate::rows::{Along, Places, side_by_side};
use crate::simd::Isa;
use crate::{AnyView, AnyViewMut, Threads};

/// Elements that one thread takes at a time, and below which a problem stays on the calling thread.
const GRAIN: usize = 64 * 1024;

/// An operand as rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    bytes: &'a [u8],
    dtype: DType,
    pub(crate) places: Places,
}

impl<'a> Source<'a> {
    pub(crate) fn new(x: &AnyView<'a>, along: &Along) -> Self {
        Self { bytes: x.bytes(), dtype: x.dtype(), places: Places::new(x.geometry(), along) }
    }

    /// Whether rows lie side by side in the type that they compute in.
    pub(crate) fn is_direct(&self) -> bool {
        Half::of(self.dtype).is_none() && self.places.are_direct()
    }

    /// The row where it is, if it lies side by side in the type that it computes in.
    pub(crate) fn direct(&self, row: usize) -> Option<&'a [u8]> {
        let size = self.dtype.size();
        let range = self.places.direct(row).filter(|_| self.is_direct())?;
        Some(&self.bytes[range.start * size..range.end * size])
    }

    /// The size of the type that elements compute in.
    pub(crate) fn computed_size(&self) -> usize {
        computed_size(self.dtype)
    }

    /// Copies the first elements of a row, as many as there is room for, in the type that they compute in.
    pub(crate) fn read(&self, isa: Isa, row: usize, to: &mut [u8]) {
        read(isa, self.bytes, self.dtype, &self.places, row, to);
    }
}

/// Rows of f32 that lie side by side and begin at equal distances, and whose results lie without gaps in their order. A whole
/// problem is then one loop, in a function that is compiled for an instruction set; most problems are of this kind.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DirectRows<'a> {
    elements: &'a [f32],
    /// Where the first row begins.
    start: usize,
    /// From the beginning of a row to that of the next.
    step: isize,
    /// Elements of a row, at least one.
    pub(crate) length: usize,
}

impl<'a> DirectRows<'a> {
    /// The rows of an operand, if they and a result with this geometry are such.
    pub(crate) fn new(x: &AnyView<'a>, along: &Along, result: &Geometry) -> Option<Self> {
        if x.dtype() != DType::F32 || x.shape().is_empty() {
            return None;
        }
        let (length, step) = side_by_side(x.geometry(), along)?;
        let (_, step_of_result) = side_by_side(result, along)?;
        let is_dense = step_of_result == length as isize || result.shape().count() == length;
        is_dense.then(|| Self { elements: cast_slice(x.bytes()), start: x.geometry().offset(), step, length })
    }

    /// A row.
    #[inline(always)]
    pub(crate) fn row(&self, index: usize) -> &'a [f32] {
        let start = self.start.wrapping_add_signed(self.step.wrapping_mul(index as isize));
        &self.elements[start..start + self.length]
    }

    /// Calls with parts of a result on all threads, each with the number of its first row; and with parts of something else
    /// that has one element a row, or none at all.
    pub(crate) fn for_each_part<T: Send>(
        &self,
        threads: &Threads,
        result: &mut AnyViewMut<'_>,
        beside: &mut [T],
        work: impl Fn(usize, &mut [f32], &mut [T]) + Sync,
    ) {
        let (geometry, bytes) = result.parts();
        let start = geometry.offset();
        let result = &mut cast_slice_mut(bytes)[start..start + geometry.shape().count()];
        let rows = (GRAIN / self.length).max(1);
        if beside.is_empty() {
            let work = |position: usize, part: &mut [f32]| work(position / self.length, part, &mut []);
            return threads.for_each_chunk(result, rows * self.length, work);
        }
        threads.for_each_chunk_of_two((result, rows * self.length), (beside, rows), |index, part, beside| {
            work(index * rows, part, beside);
        });
    }
}

/// The size of the type that elements compute in.
fn computed_size(dtype: DType) -> usize {
    if Half::of(dtype).is_some() { 4 } else { dtype.size() }
}

fn read(isa: Isa, bytes: &[u8], dtype: DType, places: &Places, row: usize, to: &mut [u8]) {
    let Some(half) = Half::of(dtype) else {
        let count = to.len() / dtype.size();
        return places.gather(bytes, dtype.size(), row, 0..count, to);
    };
    let to: &mut [f32] = cast_slice_mut(to);
    if let Some(range) = places.direct(row) {
        return widen(isa, half, &cast_slice(bytes)[range][..to.len()], to);
    }
    let mut room = [0_u16; ROOM];
    for (index, to) in to.chunks_mut(ROOM).enumerate() {
        let room = &mut room[..to.len()];
        places.gather(bytes, 2, row, index * ROOM..index * ROOM + to.len(), cast_slice_mut(room));
        widen(isa, half, room, to);
    }
}

/// 16-bit floats that are gathered at a time.
const ROOM: usize = 1024;

fn write(isa: Isa, from: &[u8], dtype: DType, places: &Places, row: usize, bytes: &mut [u8]) {
    let Some(half) = Half::of(dtype) else {
        return places.scatter(from, dtype.size(), row, 0..from.len() / dtype.size(), bytes);
    };
    let from: &[f32] = cast_slice(from);
    if let Some(range) = places.direct(row) {
        return narrow(isa, half, from, &mut cast_slice_mut(bytes)[range]);
    }
    let mut room = [0_u16; ROOM];
    for (index, from) in from.chunks(ROOM).enumerate() {
        let room = &mut room[..from.len()];
        narrow(isa, half, from, room);
        places.scatter(cast_slice(room), 2, row, index * ROOM..index * ROOM + from.len(), bytes);
    }
}

/// The work on one row: its number, the operand's row, and the place for the result. Without an operand's row, the place
/// holds its elements.
pub(crate) type Work<'a> = &'a (dyn Fn(usize, Option<&[u8]>, &mut [u8]) + Sync);

/// Makes each row of the result from that of the operand, or from what it holds itself if there is none.
pub(crate) fn each_row(
    isa: Isa,
    threads: &Threads,
    x: Option<&Source<'_>>,
    result: &mut AnyViewMut<'_>,
    along: &Along,
    work: Work<'_>,
) {
    if result.shape().is_empty() {
        return;
    }
    let dtype = result.dtype();
    let (geometry, bytes) = result.parts();
    let places = Places::new(geometry, along);
    let step = outer_step(geometry, &places);
    let target = Target { isa, dtype, x, work };
    let Some((rows, elements)) = step.filter(|_| threads.count() > 1 && geometry.shape().count() > GRAIN) else {
        return target.rows(&places, 0..places.across().count(), bytes);
    };
    let start = geometry.offset();
    let steps = (GRAIN / elements).max(1);
    let size = dtype.size();
    let whole = &mut bytes[start * size..(start + geometry.shape().count()) * size];
    threads.for_each_chunk(whole, steps * elements * size, |position, part| {
        let first = position / size / elements * rows;
        let count = part.len() / size / elements * rows;
        target.rows(&places.without_first(start + position / size), first..first + count, part);
    });
}

/// The rows and elements in one step of the outermost axis, if that is across the rows and the result is dense.
fn outer_step(geometry: &Geometry, places: &Places) -> Option<(usize, usize)> {
    let (extent, stride) = places.across().outermost();
    let count = geometry.shape().count();
    let is_outermost = geometry.is_contiguous() && stride > 0 && stride.unsigned_abs() * extent == count;
    is_outermost.then(|| (places.across().count() / extent, count / extent))
}

#[derive(Clone, Copy)]
struct Target<'a> {
    isa: Isa,
    dtype: DType,
    x: Option<&'a Source<'a>>,
    work: Work<'a>,
}

impl Target<'_> {
    fn rows(&self, places: &Places, rows: std::ops::Range<usize>, bytes: &mut [u8]) {
        if self.has_tiles(places) {
            return self.in_tiles(places, rows, bytes);
        }
        let (isa, size) = (self.isa, self.dtype.size());
        let is_direct = Half::of(self.dtype).is_none() && places.are_direct();
        let room_bytes = if is_direct { 0 } else { places.along().count() * computed_size(self.dtype) };
        // In words, so that it is aligned for every type.
        let mut room = vec![0_u64; room_bytes.div_ceil(8)];
        let room = &mut cast_slice_mut(&mut room)[..room_bytes];
        for row in rows {
            let range = places.direct(row).filter(|_| is_direct);
            if range.is_none() && self.x.is_none() {
                read(isa, bytes, self.dtype, places, row, room);
            }
            let target = match &range {
                Some(range) => &mut bytes[range.start * size..range.end * size],
                None => &mut *room,
            };
            match self.x {
                Some(x) => match x.direct(row) {
                    Some(x) => (self.work)(row, Some(x), target),
                    None => {
                        x.read(isa, row, target);
                        (self.work)(row, None, target);
                    }
                },
                None => (self.work)(row, None, target),
            }
            if range.is_none() {
                write(isa, room, self.dtype, places, row, bytes);
            }
        }
    }
}
