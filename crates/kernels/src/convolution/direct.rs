//! The direct strategy: sixteen outputs of a row at a time, term after term, from a padded copy of the image.

use super::filter::Filter;
use super::padded::Pad;
use super::patches::Patches;
use crate::matmul::{Part, Rectangle, Term};
use crate::simd::{Isa, LANES, Simd, Task};

/// Computes rows of results, each all positions of an output channel.
pub(crate) fn compute<T: Pad>(
    isa: Isa,
    filter: &Filter<'_, T>,
    patches: &Patches<'_, T>,
    block: usize,
    part: &Part,
    result: &mut Rectangle<'_, T>,
) {
    for (index, row) in part.rows.clone().enumerate() {
        let result = result.row(index);
        isa.run(Row { filter: filter.line(part.matrix, row), patches, block, part, result });
    }
}

struct Row<'a, T> {
    filter: &'a [T],
    patches: &'a Patches<'a, T>,
    /// Terms of a block of depth.
    block: usize,
    part: &'a Part,
    result: &'a mut [T],
}

impl<T: Term> Task for Row<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { filter, patches, block, part, result } = self;
        let elements = &patches.elements()[patches.start(part.matrix)..];
        let mut window = part.columns.start;
        while window < part.columns.end {
            // As many outputs of a row of windows as there are registers for.
            let rest = (patches.row() - window % patches.row()).min(part.columns.end - window);
            let count = rest.min(4 * LANES);
            let to = &mut result[window - part.columns.start..][..count];
            let from = &elements[patches.window(window)..];
            let terms = patches.terms();
            match count.div_ceil(LANES) {
                1 => outputs::<S, T, 1>(simd, filter, terms, block, from, patches.step(), to),
                2 => outputs::<S, T, 2>(simd, filter, terms, block, from, patches.step(), to),
                3 => outputs::<S, T, 3>(simd, filter, terms, block, from, patches.step(), to),
                _ => outputs::<S, T, 4>(simd, filter, terms, block, from, patches.step(), to),
            }
            window += count;
        }
    }
}

/// Up to `16 * VECTORS` outputs.
#[inline(always)]
fn outputs<S: Simd, T: Term, const VECTORS: usize>(
    simd: S,
    filter: &[T],
    terms: &[usize],
    block: usize,
    from: &[T],
    step: usize,
    to: &mut [T],
) {
    let zero = T::splat(simd, T::zeroed());
    let mut total = [zero; VECTORS];
    let mut is_first = true;
    for (filter, terms) in filter.chunks(block).zip(terms.chunks(block)) {
        let mut sums = if T::IS_CONTINUED { total } else { [zero; VECTORS] };
        for (weight, term) in filter.iter().zip(terms) {
            let weight = T::splat(simd, *weight);
            for vector in 0..VECTORS {
                let x = neighbours::<S, T>(simd, from, term + vector * LANES * step, step);
                sums[vector] = T::accumulate::<S>(weight, x, sums[vector]);
            }
        }
        for vector in 0..VECTORS {
            total[vector] =
                if is_first || T::IS_CONTINUED { sums[vector] } else { T::add::<S>(total[vector], sums[vector]) };
        }
        is_first = false;
    }
    let mut room = [[T::zeroed(); LANES]; VECTORS];
    for vector in 0..VECTORS {
        T::store::<S>(total[vector], &mut room[vector]);
    }
    let count = to.len();
    to.copy_from_slice(&room.as_flattened()[..count]);
}

/// Sixteen elements that are one or some apart; of those behind the end, anything.
#[inline(always)]
fn neighbours<S: Simd, T: Term>(simd: S, from: &[T], start: usize, step: usize) -> T::Vector<S> {
    let from = from.get(start..).unwrap_or_default();
    if step == 1
        && let Some(from) = from.first_chunk()
    {
        return T::load(simd, from);
    }
    if step == 2
        && T::IS_TRANSPOSED
        && let Some(from) = from.first_chunk::<{ 2 * LANES }>()
        && let ([even, odd], []) = from.as_chunks::<LANES>()
    {
        return T::even(simd, T::load(simd, even), T::load(simd, odd));
    }
    let mut lanes = [T::zeroed(); LANES];
    for (lane, from) in lanes.iter_mut().zip(from.iter().step_by(step.max(1))) {
        *lane = *from;
    }
    T::load(simd, &lanes)
}
