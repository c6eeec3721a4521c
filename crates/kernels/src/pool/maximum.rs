//! Maxima: on vectors for f32, by keys for everything else.

use std::marker::PhantomData;

use super::fold::{Fold, Indexed};
use super::split::{split, split_floats};
use crate::ordered::Ordered;
use crate::simd::{Float, Int, Isa, LANES, Mask, Simd, Task};

/// Maxima of f32, inside a function that is compiled for an instruction set.
#[derive(Clone, Copy)]
pub(super) struct MaxF32<S>(pub(super) S);

impl<S: Simd> Fold for MaxF32<S> {
    type Element = f32;
    type Work = f32;

    const PADDING: f32 = f32::NEG_INFINITY;

    #[inline(always)]
    fn read(self, from: &[f32], to: &mut [f32]) -> bool {
        to.copy_from_slice(from);
        has_nan(self.0, from)
    }

    #[inline(always)]
    fn read_split(self, from: &[f32], even: &mut [f32], odd: &mut [f32]) -> bool {
        split_floats(self.0, from, even, odd)
    }

    #[inline(always)]
    fn borrow(self, row: &[f32]) -> Option<(&[f32], bool)> {
        Some((row, has_nan(self.0, row)))
    }

    #[inline(always)]
    fn borrow_mut(self, row: &mut [f32]) -> Option<&mut [f32]> {
        Some(row)
    }

    #[inline(always)]
    fn fold(self, taps: &[&[f32]], with_care: bool, onto: bool, to: &mut [f32]) {
        match with_care {
            true => fold(self.0, LargerOrNan, taps, onto, to),
            false => fold(self.0, Larger, taps, onto, to),
        }
    }

    #[inline(always)]
    fn fold_few<const N: usize>(self, taps: [&[f32]; N], with_care: bool, to: &mut [f32]) {
        match with_care {
            true => fold_few(self.0, LargerOrNan, taps, to),
            false => fold_few(self.0, Larger, taps, to),
        }
    }

    #[inline(always)]
    fn take(self, from: Indexed<'_, f32>, to: &mut [f32], indices: &mut [i32]) {
        let (simd, count) = (self.0, to.len());
        if count < LANES {
            return take_by_keys(from, to, indices);
        }
        let offset = simd.i32(from.offset);
        for index in 0..count.div_ceil(LANES) {
            // The last vector overlaps the one before: what has been taken is not taken again.
            let start = (index * LANES).min(count - LANES);
            let at = |start: usize| start..start + LANES;
            let (Some(values), Some(source), Some(best), Some(target)) = (
                from.values[at(start)].first_chunk::<LANES>(),
                from.indices[at(start)].first_chunk::<LANES>(),
                to[at(start)].first_chunk_mut::<LANES>(),
                indices[at(start)].first_chunk_mut::<LANES>(),
            ) else {
                return;
            };
            let (x, old) = (simd.load(values), simd.load(best));
            let comes_before = x.gt(old) | (x.is_nan() & !old.is_nan());
            simd.select(comes_before, x, old).store(best);
            simd.select_i32(comes_before, simd.load_i32(source) + offset, simd.load_i32(target)).store(target);
        }
    }

    #[inline(always)]
    fn write(self, from: &[f32], to: &mut [f32]) {
        to.copy_from_slice(from);
    }
}

#[inline(always)]
fn has_nan<S: Simd>(simd: S, row: &[f32]) -> bool {
    let (vectors, rest) = row.as_chunks::<LANES>();
    let mut is_nan = simd.f32(0.0).is_nan();
    for vector in vectors {
        is_nan = is_nan | simd.load(vector).is_nan();
    }
    is_nan.any() || rest.iter().any(|value| value.is_nan())
}

/// What folding does with an element and what it has so far. A type rather than a closure, since what is not inlined would
/// be compiled without the instruction set.
pub(super) trait Step: Copy {
    fn step<S: Simd>(self, simd: S, so_far: S::F32, x: S::F32) -> S::F32;
}

/// The larger, without care for NaN.
#[derive(Clone, Copy)]
struct Larger;

impl Step for Larger {
    #[inline(always)]
    fn step<S: Simd>(self, _simd: S, so_far: S::F32, x: S::F32) -> S::F32 {
        x.max(so_far)
    }
}

/// The larger, a NaN before everything, and what came first if neither comes before the other.
#[derive(Clone, Copy)]
struct LargerOrNan;

impl Step for LargerOrNan {
    #[inline(always)]
    fn step<S: Simd>(self, simd: S, so_far: S::F32, x: S::F32) -> S::F32 {
        simd.select(x.is_nan() & !so_far.is_nan(), x, x.max(so_far))
    }
}

/// Folds a fixed number of rows: the loop over them is unrolled, and checks are done before. Rows may be longer than what is
/// folded.
#[inline(always)]
pub(super) fn fold_few<S: Simd, F: Step, const N: usize>(simd: S, step: F, taps: [&[f32]; N], to: &mut [f32]) {
    if to.len() < LANES {
        return fold(simd, step, &taps, false, to);
    }
    let taps = taps.map(|tap| &tap[..to.len()]);
    let vectors = taps.map(|tap| tap.as_chunks::<LANES>().0);
    for (index, target) in to.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let mut folded = simd.load(&vectors[0][index]);
        for tap in &vectors[1..] {
            folded = step.step(simd, folded, simd.load(&tap[index]));
        }
        folded.store(target);
    }
    let last = taps.map(|tap| tap.last_chunk::<LANES>());
    if let (false, Some(target), Some(first)) = (to.len().is_multiple_of(LANES), to.last_chunk_mut(), last[0]) {
        // A last vector that overlaps the one before gives the same once more.
        let mut folded = simd.load(first);
        for tap in last[1..].iter().flatten() {
            folded = step.step(simd, folded, simd.load(tap));
        }
        folded.store(target);
    }
}

/// Folds any number of rows vector by vector.
#[inline(always)]
pub(super) fn fold<S: Simd, F: Step>(simd: S, step: F, taps: &[&[f32]], onto: bool, to: &mut [f32]) {
    let count = to.len();
    let whole = count / LANES * LANES;
    for start in (0..whole).step_by(LANES) {
        store_at(fold_at(simd, step, taps, onto, start, to), start, to);
    }
    if whole == count {
        return;
    }
    if count >= LANES && !onto {
        // As above.
        let start = count - LANES;
        store_at(fold_at(simd, step, taps, onto, start, to), start, to);
    } else {
        let mut lanes = [0.0; LANES];
        fold_at(simd, step, taps, onto, whole, to).store(&mut lanes);
        to[whole..].copy_from_slice(&lanes[..count - whole]);
    }
}

/// Sixteen elements from a place on, folded.
#[inline(always)]
fn fold_at<S: Simd, F: Step>(simd: S, step: F, taps: &[&[f32]], onto: bool, start: usize, to: &[f32]) -> S::F32 {
    let mut folded = load_at(simd, taps[0], start);
    if onto {
        folded = step.step(simd, load_at(simd, to, start), folded);
    }
    for tap in &taps[1..] {
        folded = step.step(simd, folded, load_at(simd, tap, start));
    }
    folded
}

/// Sixteen elements from a place on; where the row ends before, the rest of them does not count.
#[inline(always)]
fn load_at<S: Simd>(simd: S, row: &[f32], start: usize) -> S::F32 {
    match row[start..].first_chunk::<LANES>() {
        Some(lanes) => simd.load(lanes),
        None => {
            let mut lanes = [0.0; LANES];
            lanes[..row.len() - start].copy_from_slice(&row[start..]);
            simd.load(&lanes)
        }
    }
}

#[inline(always)]
fn store_at<F: Float>(vector: F, start: usize, to: &mut [f32]) {
    if let Some(lanes) = to[start..].first_chunk_mut::<LANES>() {
        vector.store(lanes);
    }
}

/// Maxima of any type in scalar text, which the compiler turns into vectors of an instruction set.
#[derive(Clone, Copy)]
pub(super) struct MaxByKeys<T> {
    isa: Isa,
    element: PhantomData<T>,
}

impl<T> MaxByKeys<T> {
    pub(super) const fn new(isa: Isa) -> Self {
        Self { isa, element: PhantomData }
    }
}

impl<T: Ordered> Fold for MaxByKeys<T> {
    type Element = T;
    type Work = T;

    const PADDING: T = T::LOWEST;

    fn read(self, from: &[T], to: &mut [T]) -> bool {
        to.copy_from_slice(from);
        false
    }

    fn read_split(self, from: &[T], even: &mut [T], odd: &mut [T]) -> bool {
        split(from, even, odd);
        false
    }

    fn borrow(self, row: &[T]) -> Option<(&[T], bool)> {
        Some((row, false))
    }

    fn borrow_mut(self, row: &mut [T]) -> Option<&mut [T]> {
        Some(row)
    }

    fn fold(self, taps: &[&[T]], _with_care: bool, onto: bool, to: &mut [T]) {
        self.isa.run(FoldByKeys { taps, onto, to });
    }

    fn take(self, from: Indexed<'_, T>, to: &mut [T], indices: &mut [i32]) {
        take_by_keys(from, to, indices);
    }

    fn write(self, from: &[T], to: &mut [T]) {
        to.copy_from_slice(from);
    }
}

struct FoldByKeys<'a, T> {
    taps: &'a [&'a [T]],
    onto: bool,
    to: &'a mut [T],
}

impl<T: Ordered> Task for FoldByKeys<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let (to, mut taps) = (self.to, self.taps);
        if !self.onto
            && let Some((first, others)) = taps.split_first()
        {
            to.copy_from_slice(&first[..to.len()]);
            taps = others;
        }
        for tap in taps {
            for (best, x) in to.iter_mut().zip(*tap) {
                *best = if x.key() > best.key() { *x } else { *best };
            }
        }
    }
}

fn take_by_keys<T: Ordered>(from: Indexed<'_, T>, to: &mut [T], indices: &mut [i32]) {
    let source = from.values.iter().zip(from.indices);
    for ((best, index), (x, source)) in to.iter_mut().zip(indices).zip(source) {
        if x.key() > best.key() {
            (*best, *index) = (*x, source + from.offset);
        }
    }
}
