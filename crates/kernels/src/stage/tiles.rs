//! Tiles: rows that lie beside each other, staged together.
//!
//! Along an outer axis, a row has one element in each cache line that it touches, and its neighbours have the others. So
//! sixteen rows and more are copied at once, transposed, and each line is read and written whole.

use std::ops::Range;

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::{DType, Geometry};

use super::{Target, computed_size, read, write};
use crate::convert::{Half, narrow, widen};
use crate::map::driver::{Input, Output};
use crate::rows::Places;
use crate::simd::{Isa, LANES};
use crate::{Threads, copy};

/// Bytes of a tile, unless so many rows as make a cache line are more.
const BYTES: usize = 32 << 10;

/// Fewer rows beside each other are staged one by one.
const FEWEST: usize = 8;

impl Target<'_> {
    /// Whether rows are worked on in tiles.
    pub(super) fn has_tiles(&self, places: &Places) -> bool {
        let are_beside = |places: &Places| !places.are_direct() && places.beside(0) >= FEWEST;
        are_beside(places) || self.x.is_some_and(|x| are_beside(&x.places))
    }

    /// Works on rows in tiles.
    pub(super) fn in_tiles(&self, places: &Places, rows: Range<usize>, bytes: &mut [u8]) {
        let (isa, size) = (self.isa, self.dtype.size());
        let is_direct = Half::of(self.dtype).is_none() && places.are_direct();
        let length = places.along().count();
        let row_bytes = length * computed_size(self.dtype);
        let most = (BYTES / row_bytes).next_multiple_of(LANES).max(64 / size).min(rows.len());
        // In words, so that it is aligned for every type.
        let mut room = vec![0_u64; (most * row_bytes).div_ceil(8)];
        let mut row = rows.start;
        while row < rows.end {
            let mut count = most.min(rows.end - row);
            for places in [Some(places), self.x.map(|x| &x.places)].into_iter().flatten() {
                if !places.are_direct() && places.beside(0) >= FEWEST {
                    count = count.min(places.beside(row));
                }
            }
            let tile = row..row + count;
            let room = &mut cast_slice_mut(&mut room)[..count * row_bytes];
            match self.x {
                Some(x) if x.is_direct() => {}
                Some(x) => read_tile(isa, x.bytes, x.dtype, &x.places, tile.clone(), room),
                None => read_tile(isa, bytes, self.dtype, places, tile.clone(), room),
            }
            for (row, staged) in tile.clone().zip(room.chunks_exact_mut(row_bytes)) {
                let x = self.x.and_then(|x| x.direct(row));
                match places.direct(row).filter(|_| is_direct) {
                    Some(range) => {
                        (self.work)(row, Some(x.unwrap_or(staged)), &mut bytes[range.start * size..range.end * size]);
                    }
                    None => (self.work)(row, x, staged),
                }
            }
            if !is_direct {
                write_tile(isa, room, self.dtype, places, tile, bytes);
            }
            row += count;
        }
    }
}

/// Copies rows one behind the other, in the type that they compute in.
fn read_tile(isa: Isa, bytes: &[u8], dtype: DType, places: &Places, rows: Range<usize>, to: &mut [u8]) {
    let (half, size) = (Half::of(dtype), dtype.size());
    let mut narrow = vec![0_u16; if half.is_some() { to.len() / 4 } else { 0 }];
    let is_copied = geometries(places, &rows, bytes.len() / size).is_some_and(|(there, here)| {
        let target = if half.is_some() { cast_slice_mut(&mut narrow) } else { &mut *to };
        let result = Output { bytes: target, geometry: &here, size, is_read: false };
        copy::run(isa, Input { bytes, geometry: &there, size }, result, &Threads::calling()).is_ok()
    });
    match half {
        None if is_copied => {}
        Some(half) if is_copied => widen(isa, half, &narrow, cast_slice_mut(to)),
        _ => {
            let row_bytes = to.len() / rows.len();
            for (row, to) in rows.zip(to.chunks_exact_mut(row_bytes)) {
                read(isa, bytes, dtype, places, row, to);
            }
        }
    }
}

/// Copies rows that lie one behind the other to where they belong.
fn write_tile(isa: Isa, from: &[u8], dtype: DType, places: &Places, rows: Range<usize>, bytes: &mut [u8]) {
    let (half, size) = (Half::of(dtype), dtype.size());
    let is_copied = geometries(places, &rows, bytes.len() / size).is_some_and(|(there, here)| {
        let mut narrowed = vec![0_u16; if half.is_some() { from.len() / 4 } else { 0 }];
        let from = match half {
            Some(half) => {
                narrow(isa, half, cast_slice(from), &mut narrowed);
                cast_slice(&narrowed)
            }
            None => from,
        };
        let result = Output { bytes: &mut *bytes, geometry: &there, size, is_read: false };
        copy::run(isa, Input { bytes: from, geometry: &here, size }, result, &Threads::calling()).is_ok()
    });
    if !is_copied {
        let row_bytes = from.len() / rows.len();
        for (row, from) in rows.zip(from.chunks_exact(row_bytes)) {
            write(isa, from, dtype, places, row, bytes);
        }
    }
}

/// Rows that lie beside each other among so many elements, and the same one behind the other.
fn geometries(places: &Places, rows: &Range<usize>, elements: usize) -> Option<(Geometry, Geometry)> {
    let there = (places.beside(rows.start) >= rows.len()).then(|| places.tile(rows.start, rows.len(), elements))??;
    Some((there, Geometry::contiguous(*there.shape())))
}
