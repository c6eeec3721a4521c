//! Which binary32 magnitudes the narrowing sweep visits. Each is visited with both signs.

use std::ops::Range;

use crate::sweep::Extent;

/// How many magnitudes share their upper eight bits. They are a chunk, and with a sign have a sum of their own.
pub(crate) const CHUNK: u32 = 1 << 24;

/// Chunks of magnitudes; as many follow with the other sign.
pub(crate) const CHUNKS: u32 = 128;

/// Chunks that the quick sweep does in full, so that it can check their sums.
#[rustfmt::skip]
const TURNING_POINTS: [u32; 6] = [
    0x00, // Zero, and the subnormals of bfloat16.
    0x33, // 2^-25, up to where binary16 is zero, and its smallest subnormals.
    0x38, // 2^-14, where the subnormals of binary16 end.
    0x3F, // 1.
    0x47, // 65520, from where binary16 is infinite.
    0x7F, // Where bfloat16 becomes infinite, and all NaNs.
];

/// The length of a sample from another chunk. It holds two whole steps of bfloat16, the coarser format, and so ties
/// that go up and ties that go down.
const SAMPLE: u32 = 1 << 17;

/// The magnitudes to visit in one chunk: all of them or a sample.
pub(crate) fn span(extent: Extent, chunk: u32) -> Range<u32> {
    let start = chunk * CHUNK;
    if extent == Extent::Full || TURNING_POINTS.contains(&chunk) {
        start..start + CHUNK
    } else {
        // An odd stride takes the samples through all positions within a chunk.
        let sample = start + chunk * 37 % (CHUNK / SAMPLE) * SAMPLE;
        sample..sample + SAMPLE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_full_plan_visits_every_magnitude_once() {
        let mut next = 0;
        for chunk in 0..CHUNKS {
            let span = span(Extent::Full, chunk);
            assert_eq!(span.start, next);
            next = span.end;
        }
        assert_eq!(next, 1 << 31);
    }

    #[test]
    fn the_quick_plan_visits_whole_chunks_where_results_turn() {
        let turning_points = [
            0.0,
            f32::from_bits(1),
            f32::MIN_POSITIVE.next_down(),
            2_f32.powi(-25),
            2_f32.powi(-24),
            2_f32.powi(-14).next_down(),
            2_f32.powi(-14),
            1.0,
            65519.996,
            65520.0,
            f32::from_bits(0x7F7F_8000),
            f32::MAX,
            f32::INFINITY,
            f32::from_bits(0x7F80_0001),
            f32::NAN,
            f32::from_bits(0x7FFF_FFFF),
        ];
        for value in turning_points {
            let chunk = value.to_bits() / CHUNK;
            assert_eq!(span(Extent::Quick, chunk), span(Extent::Full, chunk), "{value:e}");
        }
    }

    #[test]
    fn the_quick_plan_samples_every_chunk_at_varied_positions() {
        let mut positions = Vec::new();
        let mut magnitudes = 0;
        for chunk in 0..CHUNKS {
            let span = span(Extent::Quick, chunk);
            assert_eq!(span.start / CHUNK, chunk);
            assert_eq!((span.end - 1) / CHUNK, chunk);
            positions.push(span.start % CHUNK);
            magnitudes += span.len();
        }
        positions.sort_unstable();
        positions.dedup();
        assert!(positions.len() > 100);
        // At most one in sixteen.
        assert!(magnitudes < 1 << 27);
    }
}
