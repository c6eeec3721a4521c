//! Which blocks of magnitudes a sweep visits. Each is visited with both signs.

use crate::sweep::Extent;

/// Consecutive magnitudes that are computed at a time: few enough to stay in the nearest cache.
pub(crate) const BLOCK: u32 = 1 << 12;

/// Blocks that are a part: magnitudes with the same upper eight bits.
pub(crate) const BLOCKS_OF_PART: u32 = (1 << 24) / BLOCK;

/// Parts of all magnitudes.
pub(crate) const PARTS: u32 = 128;

/// Blocks with the same exponent.
const BLOCKS_OF_BINADE: u32 = (1 << 23) / BLOCK;

/// Of so many blocks the quick sweep does one. Prime, so that it visits all positions within a binade.
const SAMPLED: u32 = 257;

/// The blocks of one part, in order.
pub(crate) fn blocks(extent: Extent, part: u32) -> impl Iterator<Item = u32> {
    let first = part * BLOCKS_OF_PART;
    (first..first + BLOCKS_OF_PART).filter(move |block| extent == Extent::Full || is_quick(*block))
}

/// Whether the quick sweep does a block: where the exponent changes, and a sample of the rest.
fn is_quick(block: u32) -> bool {
    let place = block % BLOCKS_OF_BINADE;
    place == 0 || place == BLOCKS_OF_BINADE - 1 || block.is_multiple_of(SAMPLED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_full_plan_visits_every_magnitude_once() {
        let all: Vec<_> = (0..PARTS).flat_map(|part| blocks(Extent::Full, part)).collect();
        assert!(all.iter().copied().eq(0..(1 << 31) / BLOCK));
    }

    #[test]
    fn the_quick_plan_visits_a_hundredth_and_every_turning_point() {
        let all: Vec<_> = (0..PARTS).flat_map(|part| blocks(Extent::Quick, part)).collect();
        assert!(all.len() < (1 << 31) / BLOCK as usize / 100);
        for value in [0.0, f32::MIN_POSITIVE.next_down(), f32::MIN_POSITIVE, 1.0, f32::MAX, f32::INFINITY] {
            assert!(all.contains(&(value.to_bits() / BLOCK)), "{value:e}");
        }
    }
}
