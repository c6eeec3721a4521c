//! The direct strategy: sixteen outputs of a row at a time, term after term, from a padded copy of the image.
#![expect(
    clippy::needless_range_loop,
    reason = "loops by index are unrolled before the compiler looks for what can be in registers"
)]

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
            let sums = Sums { filter, terms, block, from, step: patches.step() };
            match count.div_ceil(LANES) {
                1 => sums.outputs::<S, 1>(simd, to),
                2 => sums.outputs::<S, 2>(simd, to),
                3 => sums.outputs::<S, 3>(simd, to),
                _ => sums.outputs::<S, 4>(simd, to),
            }
            window += count;
        }
    }
}

/// What neighbouring outputs are summed from.
#[derive(Clone, Copy)]
struct Sums<'a, T> {
    filter: &'a [T],
    /// Where the element of each term is, from the first of the first window.
    terms: &'a [usize],
    block: usize,
    from: &'a [T],
    /// The distance of neighbouring windows.
    step: usize,
}

impl<T: Term> Sums<'_, T> {
    /// Up to `16 * VECTORS` outputs.
    #[inline(always)]
    fn outputs<S: Simd, const VECTORS: usize>(self, simd: S, to: &mut [T]) {
        let zero = T::splat(simd, T::zeroed());
        let mut total = [zero; VECTORS];
        let mut is_first = true;
        for (filter, terms) in self.filter.chunks(self.block).zip(self.terms.chunks(self.block)) {
            let mut sums = if T::IS_CONTINUED { total } else { [zero; VECTORS] };
            for (weight, term) in filter.iter().zip(terms) {
                let weight = T::splat(simd, *weight);
                let x = self.neighbours::<S, VECTORS>(simd, &self.from[*term..]);
                for vector in 0..VECTORS {
                    sums[vector] = T::accumulate(simd, weight, x[vector], sums[vector]);
                }
            }
            if is_first || T::IS_CONTINUED {
                total = sums;
            } else {
                for vector in 0..VECTORS {
                    total[vector] = T::add::<S>(total[vector], sums[vector]);
                }
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

    /// Elements that are one or some apart; of those behind the end, anything.
    #[inline(always)]
    fn neighbours<S: Simd, const VECTORS: usize>(self, simd: S, from: &[T]) -> [T::Vector<S>; VECTORS] {
        let mut vectors = [T::splat(simd, T::zeroed()); VECTORS];
        if self.step == 1 && from.len() >= VECTORS * LANES {
            let (chunks, _) = from[..VECTORS * LANES].as_chunks::<LANES>();
            for vector in 0..VECTORS {
                vectors[vector] = T::load(simd, &chunks[vector]);
            }
        } else if self.step == 2 && T::IS_TRANSPOSED && from.len() >= 2 * VECTORS * LANES {
            let (chunks, _) = from[..2 * VECTORS * LANES].as_chunks::<LANES>();
            for vector in 0..VECTORS {
                let (even, odd) = (T::load(simd, &chunks[2 * vector]), T::load(simd, &chunks[2 * vector + 1]));
                vectors[vector] = T::even(simd, even, odd);
            }
        } else {
            for vector in 0..VECTORS {
                let from = from.get(vector * LANES * self.step..).unwrap_or_default();
                let mut lanes = [T::zeroed(); LANES];
                for (lane, from) in lanes.iter_mut().zip(from.iter().step_by(self.step.max(1))) {
                    *lane = *from;
                }
                vectors[vector] = T::load(simd, &lanes);
            }
        }
        vectors
    }
}
