//! The tile: some rows of one side times some panels of the other, all sums in registers.
//!
//! Each sum takes its terms in order of depth, so the shape of a tile is a matter of speed alone. Shapes are chosen so that
//! the sums, a vector of each panel and one element spread fill the registers of an instruction set.
#![expect(
    clippy::needless_range_loop,
    reason = "loops by index are unrolled before the compiler looks for what can be in registers"
)]

use std::array::from_fn;

use super::rectangle::Rectangle;
use super::term::Term;
use crate::simd::{Isa, LANES, Simd, Task};

/// A tile to compute.
#[derive(Debug)]
pub(crate) struct Tile<'a, T> {
    pub(crate) a: &'a [T],
    pub(crate) rows: usize,
    pub(crate) b: &'a [T],
    pub(crate) panels: usize,
    /// How both sides lie.
    pub(crate) order: Order,
    pub(crate) depth: usize,
    /// Whether these are the first terms: what is in the result's places is then not read.
    pub(crate) is_first: bool,
    /// As many rows as the tile, and up to as many columns as its panels.
    pub(crate) result: Rectangle<'a, T>,
}

/// How the sides of a tile lie.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Order {
    /// On the left, for each index of depth an element of each row. On the right, panels one behind the other, each with
    /// sixteen elements for each index of depth.
    Packed,
    /// Row by row: rows of the left side along the depth, those of the right side across all panels. Each has the distance of
    /// neighbouring rows.
    Rows {
        /// On the left side.
        a: usize,
        /// On the right side.
        b: usize,
    },
}

/// The most rows of a tile, for the instruction set and the type.
pub(crate) fn rows<T: Term>(isa: Isa) -> usize {
    shapes::<T>(isa).iter().map(|(_, rows)| *rows).max().unwrap_or(1)
}

/// The most rows of a tile whose left side lies row by row: so many rows have a register for their place each.
pub(crate) fn rows_in_place<T: Term>(isa: Isa) -> usize {
    rows::<T>(isa).min(6)
}

/// The most panels, a power of two, of a tile of so many rows.
pub(crate) fn panels<T: Term>(isa: Isa, rows: usize) -> usize {
    shapes::<T>(isa).iter().find(|(_, most)| rows <= *most).map_or(1, |(panels, _)| *panels)
}

/// Panels, and the most rows with so many, from the most panels on.
pub(super) type Shapes = &'static [(usize, usize)];

/// One register holds a vector, and there are 32.
pub(super) const ONE: Shapes = &[(8, 2), (4, 6), (2, 14), (1, 14)];
/// Two of 32.
pub(super) const TWO: Shapes = &[(4, 2), (2, 6), (1, 14)];
/// Two of 16, or four of 32.
pub(super) const QUARTER: Shapes = &[(4, 1), (2, 2), (1, 6)];
/// Four of 16, or eight of 32, or whatever the compiler makes of arrays.
pub(super) const HALF: Shapes = &[(2, 1), (1, 2)];

fn shapes<T: Term>(isa: Isa) -> Shapes {
    let [wide, narrow] = T::SHAPES;
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512(_) | Isa::Avx512Vnni(_) => wide,
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2(_) => narrow,
        #[cfg(target_arch = "aarch64")]
        Isa::Neon(_) => narrow,
        _ => HALF,
    }
}

/// Computes a tile whose rows and panels are those of a shape, or fewer.
pub(crate) fn run<T: Term>(isa: Isa, tile: &mut Tile<'_, T>) {
    match isa {
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512(token) => T::run_wide(token, tile),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512Vnni(token) => T::run_vnni(token, tile),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2(token) => T::run_narrow(token, tile),
        #[cfg(target_arch = "aarch64")]
        Isa::Neon(token) => T::run_narrow(token, tile),
        Isa::Scalar(token) => half(token, tile),
        #[cfg(test)]
        Isa::Reference(token) => half(token, tile),
    }
}

/// Compiles the shapes of a class, and chooses among them.
macro_rules! class {
    ($name:ident: $($panels:literal x [$($low:literal)+ $(; $($high:literal)+)?])+) => {
        pub(super) fn $name<S: Simd, T: Term>(token: S, tile: &mut Tile<'_, T>) {
            match (tile.order, tile.panels, tile.rows) {
                $(
                    $((Order::Packed, $panels, $low) => token.vectorize(Shape::<T, $low, $panels, true>(tile)),)+
                    $($((Order::Packed, $panels, $high) => token.vectorize(Shape::<T, $high, $panels, true>(tile)),)+)?
                    $((Order::Rows { .. }, $panels, $low) => token.vectorize(Shape::<T, $low, $panels, false>(tile)),)+
                )+
                // No shape has them.
                _ => debug_assert!(false, "a tile of {} rows and {} panels", tile.rows, tile.panels),
            }
        }
    };
}

class!(one: 8 x [1 2] 4 x [1 2 3 4 5 6] 2 x [1 2 3 4 5 6; 7 8 9 10 11 12 13 14] 1 x [1 2 3 4 5 6; 7 8 9 10 11 12 13 14]);
class!(two: 4 x [1 2] 2 x [1 2 3 4 5 6] 1 x [1 2 3 4 5 6; 7 8 9 10 11 12 13 14]);
class!(quarter: 4 x [1] 2 x [1 2] 1 x [1 2 3 4 5 6]);
class!(half: 2 x [1] 1 x [1 2]);

/// A tile of a shape that the compiler knows.
struct Shape<'a, 'b, T, const ROWS: usize, const PANELS: usize, const IS_PACKED: bool>(&'a mut Tile<'b, T>);

impl<T: Term, const ROWS: usize, const PANELS: usize, const IS_PACKED: bool> Task
    for Shape<'_, '_, T, ROWS, PANELS, IS_PACKED>
{
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self(tile) = self;
        let columns = PANELS * LANES;
        let is_whole = tile.result.columns() == columns;
        let mut room = [[[T::zeroed(); LANES]; PANELS]; ROWS];
        let continued = T::IS_CONTINUED && !tile.is_first;
        let mut sums = [[T::splat(simd, T::zeroed()); PANELS]; ROWS];
        if continued {
            for row in 0..ROWS {
                let before = tile.result.row(row);
                room[row].as_flattened_mut()[..before.len()].copy_from_slice(before);
                for panel in 0..PANELS {
                    sums[row][panel] = T::load(simd, &room[row][panel]);
                }
            }
        }
        let sums = if IS_PACKED { sum_packed(simd, tile, sums) } else { sum_in_place(simd, tile, sums) };
        let is_added = !T::IS_CONTINUED && !tile.is_first;
        for row in 0..ROWS {
            let result = tile.result.row(row);
            if is_whole
                && let (result, []) = result.as_chunks_mut()
                && let Some(result) = result.first_chunk_mut()
            {
                finish::<S, T, PANELS>(simd, sums[row], is_added, result);
            } else {
                let room = &mut room[row];
                let count = result.len().min(columns);
                room.as_flattened_mut()[..count].copy_from_slice(&result[..count]);
                finish::<S, T, PANELS>(simd, sums[row], is_added, room);
                result[..count].copy_from_slice(&room.as_flattened()[..count]);
            }
        }
    }
}

/// Writes the sums of a row, or adds them to those of blocks before.
#[inline(always)]
fn finish<S: Simd, T: Term, const PANELS: usize>(
    simd: S,
    sums: [T::Vector<S>; PANELS],
    is_added: bool,
    result: &mut [[T; LANES]; PANELS],
) {
    for panel in 0..PANELS {
        let mut sum = sums[panel];
        if is_added {
            sum = T::add::<S>(T::load(simd, &result[panel]), sum);
        }
        T::store::<S>(sum, &mut result[panel]);
    }
}

/// Adds the terms of a packed tile to sums, in order of depth.
#[inline(always)]
fn sum_packed<S: Simd, T: Term, const ROWS: usize, const PANELS: usize>(
    simd: S,
    tile: &mut Tile<'_, T>,
    before: [[T::Vector<S>; PANELS]; ROWS],
) -> [[T::Vector<S>; PANELS]; ROWS] {
    let depth = tile.depth;
    let a = &tile.a.as_chunks::<ROWS>().0[..depth];
    let b = tile.b.as_chunks::<LANES>().0;
    let b: [&[[T; LANES]]; PANELS] = from_fn(|panel| &b[panel * depth..][..depth]);
    let mut sums = before;
    // What the sums are added to has left the first-level cache since the block before: it is asked for in time, a row a step.
    let steps = if tile.is_first { 0 } else { depth.min(ROWS) };
    for index in 0..steps {
        prefetch(simd, tile.result.row(index));
        step::<S, T, ROWS, PANELS>(simd, &a[index], from_fn(|panel| &b[panel][index]), &mut sums);
    }
    for index in steps..depth {
        step::<S, T, ROWS, PANELS>(simd, &a[index], from_fn(|panel| &b[panel][index]), &mut sums);
    }
    sums
}

/// Rows of the right side that are asked for ahead: they may be in different pages, which no machine foresees.
const AHEAD: usize = 12;

/// Adds the terms of a tile whose sides lie row by row to sums, in order of depth.
#[inline(always)]
fn sum_in_place<S: Simd, T: Term, const ROWS: usize, const PANELS: usize>(
    simd: S,
    tile: &mut Tile<'_, T>,
    before: [[T::Vector<S>; PANELS]; ROWS],
) -> [[T::Vector<S>; PANELS]; ROWS] {
    let depth = tile.depth;
    let Order::Rows { a: distance_of_a, b: distance_of_b } = tile.order else { return before };
    let a: [&[T]; ROWS] = from_fn(|row| &tile.a[row * distance_of_a..][..depth]);
    let mut sums = before;
    for index in 0..depth {
        let row = &tile.b[index * distance_of_b..];
        let (b, _) = row[..PANELS * LANES].as_chunks::<LANES>();
        if let Some(ahead) = row.get(AHEAD * distance_of_b..) {
            prefetch(simd, &ahead[..ahead.len().min(PANELS * LANES)]);
        }
        step::<S, T, ROWS, PANELS>(simd, &from_fn(|row| a[row][index]), from_fn(|panel| &b[panel]), &mut sums);
    }
    sums
}

#[inline(always)]
fn step<S: Simd, T: Term, const ROWS: usize, const PANELS: usize>(
    simd: S,
    a: &[T; ROWS],
    b: [&[T; LANES]; PANELS],
    sums: &mut [[T::Vector<S>; PANELS]; ROWS],
) {
    let b: [T::Vector<S>; PANELS] = from_fn(|panel| T::load(simd, b[panel]));
    // By index, so that the compiler unrolls these loops before it looks for what can be in registers.
    for row in 0..ROWS {
        let a = T::splat(simd, a[row]);
        for panel in 0..PANELS {
            sums[row][panel] = T::accumulate(simd, a, b[panel], sums[row][panel]);
        }
    }
}

/// Asks for all of a row.
#[inline(always)]
fn prefetch<S: Simd, T: Term>(simd: S, row: &[T]) {
    for line in row.chunks(64 / size_of::<T>()) {
        if let Some(place) = line.first() {
            simd.prefetch(place);
        }
    }
}
