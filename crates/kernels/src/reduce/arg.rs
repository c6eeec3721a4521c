//! The index of the least or greatest element of each row.
//!
//! The first NaN wins over all numbers. Zeros of both signs are equal.

use bytemuck::cast_slice;
use stratal_tensor_base::DType;

use super::drive::{PIECE, Rows, each, finish, read};
use super::order::BLOCK;
use super::rows::Lanes;
use super::{Max, Min, ReductionFormula};
use crate::Threads;
use crate::convert::Half;
use crate::integer::match_integer;
use crate::simd::Isa;

/// Which element's index is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extreme {
    /// That of the least: `arg_min`.
    Min,
    /// That of the greatest: `arg_max`.
    Max,
}

/// Which of equal elements is taken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Tie {
    /// That of the lowest index.
    #[default]
    First,
    /// That of the highest index: ONNX's `select_last_index`. Of NaNs it is still the first.
    Last,
}

/// The index of an extreme element along an axis, from 0. The first NaN counts as more extreme than every number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArgReduction {
    /// Which element.
    pub extreme: Extreme,
    /// Which of equal ones.
    pub tie: Tie,
}

impl ArgReduction {
    /// The first of the least elements.
    pub const MIN: Self = Self { extreme: Extreme::Min, tie: Tie::First };
    /// The first of the greatest elements.
    pub const MAX: Self = Self { extreme: Extreme::Max, tie: Tie::First };

    /// The operation's name.
    pub const fn name(self) -> &'static str {
        match self.extreme {
            Extreme::Min => "arg_min",
            Extreme::Max => "arg_max",
        }
    }

    /// Whether the operation has a meaning for this dtype: for all but bool.
    pub const fn is_defined(self, dtype: DType) -> bool {
        !matches!(dtype, DType::Bool)
    }

    /// Whether an element that comes later takes the place of one, neither being NaN.
    pub(crate) fn wins<T: PartialOrd>(self, later: T, before: T) -> bool {
        match (self.extreme, self.tie) {
            (Extreme::Min, Tie::First) => later < before,
            (Extreme::Min, Tie::Last) => later <= before,
            (Extreme::Max, Tie::First) => later > before,
            (Extreme::Max, Tie::Last) => later >= before,
        }
    }
}

/// The indices for all rows, which have elements.
pub(crate) fn run(reduction: ArgReduction, isa: Isa, threads: &Threads, rows: &Rows<'_>, results: &mut [i64]) {
    if rows.dtype == DType::F32 || Half::of(rows.dtype).is_some() {
        each(threads, rows, results, |row| match reduction.extreme {
            Extreme::Min => of_floats(reduction, Min, isa, rows, row),
            Extreme::Max => of_floats(reduction, Max, isa, rows, row),
        } as i64);
    } else {
        match rows.dtype {
            DType::F64 => each(threads, rows, results, |row| of_others::<f64>(reduction, rows, row) as i64),
            dtype => match_integer!(dtype, T => {
                each(threads, rows, results, |row| of_others::<T>(reduction, rows, row) as i64);
            }),
        }
    }
}

/// Looks for the block with the extreme element, and then in that block alone.
fn of_floats<F: ReductionFormula>(reduction: ArgReduction, formula: F, isa: Isa, rows: &Rows<'_>, row: usize) -> usize {
    let (length, half) = (rows.length(), Half::of(rows.dtype));
    let direct = rows.places.direct(row).filter(|_| half.is_none()).map(|range| &cast_slice(rows.bytes)[range]);
    let mut room = [0.0; PIECE];
    let mut block = |start: usize, visit: &mut dyn FnMut(&[f32])| {
        let positions = start..length.min(start + BLOCK);
        match direct {
            Some(row) => visit(&row[positions]),
            None => {
                let room = &mut room[..positions.len()];
                read(isa, rows, half, row, positions, room);
                visit(room);
            }
        }
    };
    let mut best: Option<(f32, usize)> = None;
    for start in (0..length).step_by(BLOCK) {
        block(start, &mut |block| {
            let lanes = isa.run(Lanes { formula, row: block, shift: 0.0 });
            let extreme = finish(formula, lanes, block.len(), 0.0);
            let is_better =
                |(value, _): (f32, usize)| !value.is_nan() && (extreme.is_nan() || reduction.wins(extreme, value));
            if best.is_none_or(is_better) {
                best = Some((extreme, start));
            }
        });
    }
    let Some((value, start)) = best else {
        return 0;
    };
    let mut index = start;
    block(start, &mut |block| {
        let is_it = |x: &f32| if value.is_nan() { x.is_nan() } else { *x == value };
        let found = match reduction.tie {
            Tie::Last if !value.is_nan() => block.iter().rposition(is_it),
            _ => block.iter().position(is_it),
        };
        index = start + found.unwrap_or(0);
    });
    index
}

fn of_others<T: bytemuck::Pod + PartialOrd>(reduction: ArgReduction, rows: &Rows<'_>, row: usize) -> usize {
    let mut best: Option<(T, usize)> = None;
    let mut position = 0;
    super::drive::pieces::<T>(rows, row, |piece| {
        for x in piece {
            // Only NaN is not equal to itself.
            let is_nan = |x: T| x.partial_cmp(&x).is_none();
            if best.is_none_or(|(value, _)| !is_nan(value) && (is_nan(*x) || reduction.wins(*x, value))) {
                best = Some((*x, position));
            }
            position += 1;
        }
    });
    best.map_or(0, |(_, position)| position)
}
