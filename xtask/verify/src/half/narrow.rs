//! The narrowing sweep: every float to a 16-bit type.

use std::{ops::Range, time::Instant};

use anyhow::Result;
use stratal_tensor_base::DType;

use super::{
    backends::Backend,
    chunk_sums::{self, ChunkSums},
    half_float::HalfFloat,
    panel::{Block, Panel},
    plan,
    witnesses::Witness,
};
use crate::{
    pattern::Pattern,
    reference::{format::FloatFormat, nan::NanRule, nearest::NearestTable},
    sweep::{Extent, Part, Row, Sweep},
    tally::{Mismatch, Tally},
};

/// Inputs that are converted at a time: few enough to stay in the nearest cache.
const BLOCK: usize = 1 << 12;

/// All floats to `H`. Its parts are chunks of magnitudes, each with both signs.
pub(crate) struct NarrowSweep<H> {
    extent: Extent,
    table: NearestTable,
    /// Under the quiet rule, then under the preserving one.
    sums: [ChunkSums; 2],
    panel: Panel<f32, H>,
}

impl<H: HalfFloat> NarrowSweep<H> {
    pub(crate) fn new(extent: Extent, backends: &[Backend], witnesses: &[Witness]) -> Result<Self> {
        let [quiet, preserving] = NanRule::ALL.map(|rule| ChunkSums::read(H::KEY, rule));
        Ok(Self {
            extent,
            table: NearestTable::new(H::FORMAT),
            sums: [quiet?, preserving?],
            panel: Panel::new([DType::F32, H::DTYPE], backends, witnesses, H::NARROWINGS_THAT_DIFFER, H::narrow),
        })
    }

    /// Counts magnitudes with both signs. The reference walks once; negative floats mirror the positive ones.
    fn count_span(&self, span: Range<u32>) -> Vec<Tally> {
        let mut tallies = vec![Tally::default(); self.rows().len()];
        let [reference, members @ ..] = tallies.as_mut_slice() else {
            unreachable!("the reference has a row");
        };
        let mut magnitudes = [[0; BLOCK]; 2];
        let mut block = Block {
            inputs: vec![0.0; BLOCK],
            expected: [vec![H::from_pattern(0); BLOCK], vec![H::from_pattern(0); BLOCK]],
        };
        let mut outputs = block.expected[0].clone();
        let mut sums = [[0_u64; 2]; 2];
        let is_whole = span.len() == plan::CHUNK as usize;
        for first in span.clone().step_by(BLOCK) {
            let start = Instant::now();
            let [quiet, preserving] = &mut magnitudes;
            self.table.narrow(first, quiet, preserving);
            reference.busy += start.elapsed();
            for (sign, sums) in (0..).zip(&mut sums) {
                let start = Instant::now();
                let first = u64::from(first) + sign * FloatFormat::BINARY32.sign();
                fill(&mut block, first, &magnitudes, sign * H::FORMAT.sign());
                for (sum, expected) in sums.iter_mut().zip(&block.expected) {
                    *sum = sum.wrapping_add(chunk_sums::sum(first, expected));
                }
                if is_whole {
                    reference.count(BLOCK, start);
                }
                self.panel.count(&block, &mut outputs, members);
            }
        }
        if is_whole {
            self.check_sums(span.start / plan::CHUNK, sums, reference);
        }
        tallies
    }

    /// Compares the sums of the reference's results with the published ones: by sign, then by rule.
    fn check_sums(&self, chunk: u32, sums: [[u64; 2]; 2], tally: &mut Tally) {
        for (sums, chunk) in sums.into_iter().zip([chunk, chunk + plan::CHUNKS]) {
            for ((got, published), rule) in sums.into_iter().zip(&self.sums).zip(NanRule::ALL) {
                let expected = published.narrow[chunk as usize];
                if got != expected {
                    tally.mismatch(|| Mismatch {
                        input: format!("chunk {chunk:#04x}, {}", rule.name()),
                        got: format!("{got:#018x}"),
                        expected: format!("{expected:#018x}"),
                    });
                }
            }
        }
    }
}

impl<H: HalfFloat> Sweep for NarrowSweep<H> {
    fn rows(&self) -> Vec<Row> {
        let reference = Row { backend: "reference", against: "chunk sums", deviations: None, error_bound: None };
        [reference].into_iter().chain(self.panel.rows()).collect()
    }

    fn parts(&self) -> Vec<Part> {
        (0..plan::CHUNKS)
            .map(|chunk| Part { number: chunk, patterns: 2 * plan::span(self.extent, chunk).len() as u64 })
            .collect()
    }

    fn count(&self, part: u32) -> Vec<Tally> {
        self.count_span(plan::span(self.extent, part))
    }
}

/// Fills a block with consecutive inputs and what the magnitudes are with a sign.
fn fill<H: HalfFloat>(block: &mut Block<f32, H>, first: u64, magnitudes: &[[u16; BLOCK]; 2], sign: u64) {
    for (pattern, input) in (first..first + BLOCK as u64).zip(&mut block.inputs) {
        *input = f32::from_pattern(pattern);
    }
    for (magnitudes, expected) in magnitudes.iter().zip(&mut block.expected) {
        for (magnitude, expected) in magnitudes.iter().zip(expected) {
            *expected = H::from_pattern(u64::from(*magnitude) | sign);
        }
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::{bf16, f16};

    use super::{
        super::{
            backends::{BACKENDS, SCALAR, each},
            witnesses::WITNESSES,
        },
        *,
    };

    /// Around 65520, the overflow of binary16, whose last step is 32: ties are at odd multiples of 16.
    const OVERFLOW: Range<u32> = 0x477F_0000..0x4780_0000;
    /// The signaling NaNs with the smallest payloads and a part of the others.
    const NANS: Range<u32> = 0x7F80_0000..0x7F84_0000;

    fn sweep<H: HalfFloat>(backends: &[Backend], witnesses: &[Witness]) -> NarrowSweep<H> {
        NarrowSweep::new(Extent::Quick, backends, witnesses).unwrap()
    }

    /// The tally of a planted backend under the quiet rule.
    fn verdict<H: HalfFloat>(wrong: Backend, span: Range<u32>) -> Tally {
        let tallies = sweep::<H>(&[wrong], &[]).count_span(span);
        assert_eq!(tallies[0].mismatches, 0, "the reference itself");
        tallies[1].clone()
    }

    fn first(tally: &Tally) -> [&str; 3] {
        let Mismatch { input, got, expected } = &tally.first[0];
        [input, got, expected]
    }

    #[test]
    fn right_backends_and_witnesses_pass() {
        let [_, members @ ..] = &sweep::<f16>(&BACKENDS, WITNESSES).count_span(OVERFLOW)[..] else { unreachable!() };
        for tally in members {
            let inputs = 2 * OVERFLOW.len() as u64;
            assert_eq!((tally.mismatches, tally.patterns), (0, inputs));
        }
        let tallies = sweep::<bf16>(&BACKENDS, WITNESSES).count_span(NANS);
        assert!(tallies.iter().all(|tally| tally.mismatches == 0));
    }

    #[test]
    fn a_rounding_constant_off_by_one_shows_at_ties() {
        let mut wrong = SCALAR;
        wrong.quiet.f32_to_f16 = |source, target| {
            each(source, target, |value| {
                let magnitude = value.to_bits() & 0x7FFF_FFFF;
                let rebiased = magnitude - (112 << 23);
                // 0x1000 in place of 0x0FFF.
                let rounded = (rebiased + 0x1000 + (rebiased >> 13 & 1)) >> 13;
                let sign = value.to_bits() >> 16 & 0x8000;
                f16::from_bits((sign | rounded.min(0x7C00)) as u16)
            })
        };
        let tally = verdict::<f16>(wrong, OVERFLOW);
        assert_eq!(first(&tally), ["0x477f1000", "0x7bf9", "0x7bf8"]);
        // One float in each of the eight steps of 2^13: above an even pattern the tie goes up, above an odd one the float
        // before the tie.
        assert_eq!(tally.mismatches, 2 * 8);
    }

    #[test]
    fn truncation_shows_at_the_first_float_past_a_half() {
        let mut wrong = SCALAR;
        wrong.quiet.f32_to_bf16 =
            |source, target| each(source, target, |value| bf16::from_bits((value.to_bits() >> 16) as u16));
        let tally = verdict::<bf16>(wrong, 0x3F80_0000..0x3F82_0000);
        assert_eq!(first(&tally), ["0x3f808001", "0x3f80", "0x3f81"]);
        assert_eq!(tally.mismatches, 2 * (0x7FFF + 0x8000));
        assert_eq!(tally.first.len(), 8);
    }

    #[test]
    fn a_wrong_quiet_bit_shows_at_signaling_nans() {
        let mut wrong = SCALAR;
        wrong.quiet = wrong.preserving.unwrap();
        let tally = verdict::<f16>(wrong, NANS);
        // Smaller payloads are cut off, and the results are then quiet under both rules.
        assert_eq!(first(&tally), ["0x7f802000", "0x7c01", "0x7e01"]);
        assert_eq!(tally.mismatches, 2 * (NANS.len() as u64 - 0x2000));
    }

    #[test]
    fn a_witness_may_choose_the_nan_rule_and_nothing_else() {
        let witness = |narrow| Witness {
            name: "planted",
            conversions: super::super::backends::Conversions { f32_to_f16: narrow, ..SCALAR.quiet },
        };
        let tallies = sweep::<f16>(
            &[],
            &[
                witness(SCALAR.quiet.f32_to_f16),
                witness(SCALAR.preserving.unwrap().f32_to_f16),
                witness(|source, target| each(source, target, |_| f16::NAN)),
            ],
        )
        .count_span(NANS);
        let differing = 2 * (NANS.len() as u64 - 0x2000);
        let [_, quiet, preserving, wrong] = tallies.as_slice() else { unreachable!() };
        assert_eq!((quiet.mismatches, quiet.deviations.from_preserving), (0, differing));
        assert_eq!((preserving.mismatches, preserving.deviations.from_quiet), (0, differing));
        assert_eq!(first(wrong), ["0x7f800000", "0x7e00", "0x7c00"]);
    }

    #[test]
    fn a_wrong_reference_shows_in_the_chunk_sums() {
        let mut sweep = sweep::<bf16>(&[], &[]);
        sweep.sums[0].narrow[0x47 + 0x80] ^= 1;
        let tallies = sweep.count(0x47);
        assert_eq!(tallies[0].mismatches, 1);
        assert_eq!(tallies[0].first[0].input, "chunk 0xc7, quiet rule");
    }
}
