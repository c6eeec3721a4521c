//! What all reductions share: dtypes, threads, and where the elements of a row are.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::{Bool, DType, bf16, f16};

use super::columns::Columns;
use super::order::{BLOCK, Pairs, across_lanes, lanes_of};
use super::rows::{DirectRows, Lanes};
use super::strips::{STRIP, Strips, in_strips};
use super::wide::Wide;
use super::{Max, ReductionFormula};
use crate::convert::{Half, widen};
use crate::rows::Places;
use crate::simd::{Float, Isa, LANES, Portable, Simd};
use crate::{AnyView, Integer, Threads};

/// Elements that one thread takes at a time, and below which a problem stays on the calling thread.
const GRAIN: usize = 64 * BLOCK;

/// Elements that are gathered at a time: 16 KiB of f32, and a power of two of blocks.
pub(super) const PIECE: usize = 4 * BLOCK;

/// The elements that a reduction reads: one row for each result.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    pub(super) dtype: DType,
    pub(super) bytes: &'a [u8],
    pub(super) places: &'a Places,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(x: &AnyView<'a>, places: &'a Places) -> Self {
        Self { dtype: x.dtype(), bytes: x.bytes(), places }
    }

    /// Elements of each row.
    pub(super) fn length(&self) -> usize {
        self.places.along().count()
    }
}

/// The reductions of all rows, into results that lie side by side.
pub(super) fn run<F: ReductionFormula>(formula: F, isa: Isa, threads: &Threads, rows: &Rows<'_>, results: &mut [u8]) {
    match rows.dtype {
        DType::F32 => floats(formula, isa, threads, rows, cast_slice_mut(results)),
        DType::F16 => {
            let results: &mut [f16] = cast_slice_mut(results);
            each(threads, rows, results, |row| f16::from_bits(f32_to_bits::<true>(float(formula, isa, rows, row))));
        }
        DType::BF16 => {
            let results: &mut [bf16] = cast_slice_mut(results);
            each(threads, rows, results, |row| bf16::from_bits(f32_to_bits::<false>(float(formula, isa, rows, row))));
        }
        DType::F64 => {
            let results: &mut [f64] = cast_slice_mut(results);
            each(threads, rows, results, |row| double(formula, rows, row));
        }
        DType::Bool => {
            let results: &mut [Bool] = cast_slice_mut(results);
            let byte = |x: u8| i64::from(x != 0);
            each(threads, rows, results, |row| Bool::from(integer(formula, rows, row, byte) != 0));
        }
        DType::I8 => integers(formula, threads, rows, cast_slice_mut(results), |x: i8| i64::from(x)),
        DType::I16 => integers(formula, threads, rows, cast_slice_mut(results), |x: i16| i64::from(x)),
        DType::I32 => integers(formula, threads, rows, cast_slice_mut(results), |x: i32| i64::from(x)),
        DType::I64 => integers(formula, threads, rows, cast_slice_mut(results), |x: i64| i128::from(x)),
        DType::U8 => integers(formula, threads, rows, cast_slice_mut(results), |x: u8| i64::from(x)),
        DType::U16 => integers(formula, threads, rows, cast_slice_mut(results), |x: u16| i64::from(x)),
        DType::U32 => integers(formula, threads, rows, cast_slice_mut(results), |x: u32| i64::from(x)),
        DType::U64 => integers(formula, threads, rows, cast_slice_mut(results), |x: u64| i128::from(x)),
    }
}

/// Results one by one, on all threads.
pub(super) fn each<T: Send>(threads: &Threads, rows: &Rows<'_>, results: &mut [T], result: impl Fn(usize) -> T + Sync) {
    threads.for_each_chunk(results, (GRAIN / rows.length().max(1)).max(1), |start, part| {
        for (index, place) in part.iter_mut().enumerate() {
            *place = result(start + index);
        }
    });
}

fn f32_to_bits<const IS_F16: bool>(value: f32) -> u16 {
    use stratal_tensor_base::half::{f32_to_bf16, f32_to_f16};
    if IS_F16 { f32_to_f16(value).to_bits() } else { f32_to_bf16(value).to_bits() }
}

/// Reductions of f32, in the way that suits where they are.
fn floats<F: ReductionFormula>(formula: F, isa: Isa, threads: &Threads, rows: &Rows<'_>, results: &mut [f32]) {
    let length = rows.length();
    let (along, across) = (rows.places.along(), rows.places.across());
    if threads.count() > 1 && length >= 2 * GRAIN && !F::IS_SHIFTED {
        return segments(formula, isa, threads, rows, results);
    }
    let elements: &[f32] = cast_slice(rows.bytes);
    let (extent, stride_across) = across.innermost();
    let stride_along = along.stride().filter(|_| length > 0);
    let grain = (GRAIN / length.max(1)).max(1);
    if stride_along == Some(1) {
        threads.for_each_chunk(results, grain, |first, part| {
            for_each_span(extent, first, part, |row, results| {
                let start = rows.places.start(row);
                isa.run(DirectRows { formula, elements, start, step: stride_across, length, results });
            });
        });
    } else if let (Some(step), 1) = (stride_along, stride_across) {
        let grain = if in_strips::<F>(length, extent) > 0 { grain.max(STRIP) } else { grain };
        threads.for_each_chunk(results, grain.next_multiple_of(64), |first, part| {
            for_each_span(extent, first, part, |row, results| {
                let start = rows.places.start(row);
                let (strips, results) = results.split_at_mut(in_strips::<F>(length, results.len()));
                if !strips.is_empty() {
                    isa.run(Strips { formula, elements, start, step, length, results: strips });
                }
                let start = rows.places.start(row) + strips.len();
                isa.run(Columns { formula, elements, start, step, length, results });
            });
        });
    } else {
        each(threads, rows, results, |row| float(formula, isa, rows, row));
    }
}

/// Cuts results where the innermost axis across the rows begins again.
fn for_each_span(extent: usize, first: usize, mut results: &mut [f32], mut work: impl FnMut(usize, &mut [f32])) {
    let mut row = first;
    while !results.is_empty() {
        let length = (extent - row % extent).min(results.len());
        let (part, rest) = results.split_at_mut(length);
        work(row, part);
        row += length;
        results = rest;
    }
}

/// Few long rows: their parts on all threads.
fn segments<F: ReductionFormula>(formula: F, isa: Isa, threads: &Threads, rows: &Rows<'_>, results: &mut [f32]) {
    let length = rows.length();
    let count = length.div_ceil(GRAIN);
    let mut partials = vec![[0.0; LANES]; count * results.len()];
    threads.for_each_chunk(&mut partials, 1, |first, part| {
        for (index, partial) in part.iter_mut().enumerate() {
            let (row, segment) = ((first + index) / count, (first + index) % count);
            let positions = segment * GRAIN..length.min((segment + 1) * GRAIN);
            *partial = lanes_of_floats(formula, isa, rows, row, positions, 0.0);
        }
    });
    let combine = |a, b| combine_lanes(formula, a, b);
    for (result, partials) in results.iter_mut().zip(partials.chunks(count)) {
        let mut pairs = Pairs::new([F::NEUTRAL; LANES]);
        partials.iter().for_each(|partial| pairs.push(*partial, combine));
        *result = finish(formula, pairs.finish(combine).unwrap_or([F::NEUTRAL; LANES]), length, 0.0);
    }
}

/// The reduction of one row of f32 or 16-bit floats, in f32.
fn float<F: ReductionFormula>(formula: F, isa: Isa, rows: &Rows<'_>, row: usize) -> f32 {
    let length = rows.length();
    let mut shift = 0.0;
    if F::IS_SHIFTED {
        let lanes = lanes_of_floats(Max, isa, rows, row, 0..length, 0.0);
        shift = finish(Max, lanes, length, 0.0);
        shift = if shift.is_finite() { shift } else { 0.0 };
    }
    finish(formula, lanes_of_floats(formula, isa, rows, row, 0..length, shift), length, shift)
}

/// The sixteen lanes of elements of a row: of all, or of a power of two of blocks.
fn lanes_of_floats<F: ReductionFormula>(
    formula: F,
    isa: Isa,
    rows: &Rows<'_>,
    row: usize,
    positions: std::ops::Range<usize>,
    shift: f32,
) -> [f32; LANES] {
    let half = Half::of(rows.dtype);
    if half.is_none()
        && let Some(range) = rows.places.direct(row)
    {
        let row = &cast_slice(rows.bytes)[range];
        return isa.run(Lanes { formula, row: &row[positions], shift });
    }
    let combine = |a, b| combine_lanes(formula, a, b);
    let mut pairs = Pairs::new([F::NEUTRAL; LANES]);
    let mut block = [0.0; PIECE];
    let mut start = positions.start;
    while start < positions.end {
        let piece = start..positions.end.min(start + PIECE);
        start = piece.end;
        let block = &mut block[..piece.len()];
        read(isa, rows, half, row, piece, block);
        pairs.push(isa.run(Lanes { formula, row: block, shift }), combine);
    }
    pairs.finish(combine).unwrap_or([F::NEUTRAL; LANES])
}

/// Elements of a row as f32, at most a piece of them.
pub(super) fn read(
    isa: Isa,
    rows: &Rows<'_>,
    half: Option<Half>,
    row: usize,
    positions: std::ops::Range<usize>,
    block: &mut [f32],
) {
    let Some(half) = half else {
        return rows.places.gather(rows.bytes, 4, row, positions, cast_slice_mut(block));
    };
    if let Some(range) = rows.places.direct(row) {
        return widen(isa, half, &cast_slice(rows.bytes)[range][positions], block);
    }
    let mut narrow = [0_u16; PIECE];
    let narrow = &mut narrow[..block.len()];
    rows.places.gather(rows.bytes, 2, row, positions, cast_slice_mut(narrow));
    widen(isa, half, narrow, block);
}

fn combine_lanes<F: ReductionFormula>(formula: F, a: [f32; LANES], b: [f32; LANES]) -> [f32; LANES] {
    let mut combined = [0.0; LANES];
    formula.combine(Portable::<LANES>, Portable.load(&a), Portable.load(&b)).store(&mut combined);
    combined
}

/// The result for the lanes of a whole row.
#[inline(always)]
pub(super) fn finish<F: ReductionFormula>(formula: F, lanes: [f32; LANES], count: usize, shift: f32) -> f32 {
    let simd = Portable::<1>;
    let total = across_lanes(lanes.map(|lane| simd.f32(lane)), |a, b| formula.combine(simd, a, b));
    let mut result = [0.0; LANES];
    formula.finish(simd, total, simd.f32(count as f32), simd.f32(shift)).store(&mut result);
    result[0]
}

/// The reduction of one row of f64.
fn double<F: ReductionFormula>(formula: F, rows: &Rows<'_>, row: usize) -> f64 {
    let length = rows.length();
    let mut shift = 0.0;
    if F::IS_SHIFTED {
        let greatest = across_lanes(lanes_of_doubles(Max, rows, row, 0.0), |a, b| Max.combine_f64(a, b));
        shift = if greatest.is_finite() { greatest } else { 0.0 };
    }
    let total = across_lanes(lanes_of_doubles(formula, rows, row, shift), |a, b| formula.combine_f64(a, b));
    formula.finish_f64(total, length as f64, shift)
}

fn lanes_of_doubles<F: ReductionFormula>(formula: F, rows: &Rows<'_>, row: usize, shift: f64) -> [f64; LANES] {
    let neutral = f64::from(F::NEUTRAL);
    let term = |x: f64| formula.term_f64(x, shift);
    let combine = |a, b| formula.combine_f64(a, b);
    let combine_lanes = |a: [f64; LANES], b: [f64; LANES]| std::array::from_fn(|lane| combine(a[lane], b[lane]));
    let mut pairs = Pairs::new([neutral; LANES]);
    pieces::<f64>(rows, row, |piece| pairs.push(lanes_of(neutral, piece, term, combine), combine_lanes));
    pairs.finish(combine_lanes).unwrap_or([neutral; LANES])
}

/// Reductions of integers of one type.
fn integers<F, T, W>(
    formula: F,
    threads: &Threads,
    rows: &Rows<'_>,
    results: &mut [T],
    wide: impl Fn(T) -> W + Copy + Sync,
) where
    F: ReductionFormula,
    T: Integer,
    W: Wide + Into<i128>,
{
    each(threads, rows, results, |row| {
        let total = integer(formula, rows, row, wide).into();
        // Limits of the wider type are nothing's neutral value but that of an extreme: they stand for the type's own.
        if rows.length() == 0 { T::nearest(total) } else { wrapped(total) }
    });
}

/// The value modulo 2^bits.
pub(crate) fn wrapped<T: Integer>(value: i128) -> T {
    let unused = 128 - T::BITS;
    let high = value << unused;
    T::nearest(if T::SIGNED { high >> unused } else { (high.cast_unsigned() >> unused).cast_signed() })
}

/// The reduction of one row of integers or truths: exact, so the order does not matter.
fn integer<F, T, W>(formula: F, rows: &Rows<'_>, row: usize, wide: impl Fn(T) -> W) -> W
where
    F: ReductionFormula,
    T: bytemuck::Pod,
    W: Wide,
{
    let mut total = formula.neutral_integer();
    pieces::<T>(rows, row, |piece| {
        for x in piece {
            total = formula.combine_integer(total, formula.term_integer(wide(*x)));
        }
    });
    formula.finish_integer(total, rows.length())
}

/// Calls with the elements of a row, a power of two of blocks at a time.
pub(super) fn pieces<T: bytemuck::Pod>(rows: &Rows<'_>, row: usize, mut work: impl FnMut(&[T])) {
    let length = rows.length();
    if let Some(range) = rows.places.direct(row) {
        let elements: &[T] = cast_slice(rows.bytes);
        return elements[range].chunks(PIECE).for_each(work);
    }
    let mut block = [T::zeroed(); PIECE];
    for start in (0..length).step_by(PIECE) {
        let piece = start..length.min(start + PIECE);
        let block = &mut block[..piece.len()];
        rows.places.gather(rows.bytes, size_of::<T>(), row, piece, cast_slice_mut(block));
        work(block);
    }
}
