//! The widening sweep: every pattern of a 16-bit type to f32.

use std::time::Instant;

use anyhow::Result;
use stratal_tensor_base::DType;

use super::{
    backends::Backend,
    chunk_sums::{self, ChunkSums},
    half_float::HalfFloat,
    panel::{Block, Panel},
    witnesses::Witness,
};
use crate::{
    reference::{format::FloatFormat, nan::NanRule, nearest::NearestTable},
    sweep::{Part, Row, Sweep},
    tally::{Mismatch, Tally},
};

const PATTERNS: usize = 1 << 16;

/// All patterns of `H`, in one part: they are few.
pub(crate) struct WidenSweep<H> {
    table: NearestTable,
    /// Under the quiet rule, then under the preserving one.
    sums: [ChunkSums; 2],
    panel: Panel<H, f32>,
}

impl<H: HalfFloat> WidenSweep<H> {
    pub(crate) fn new(backends: &[Backend], witnesses: &[Witness]) -> Result<Self> {
        let [quiet, preserving] = NanRule::ALL.map(|rule| ChunkSums::read(H::KEY, rule));
        Ok(Self {
            table: NearestTable::new(H::FORMAT),
            sums: [quiet?, preserving?],
            panel: Panel::new([H::DTYPE, DType::F32], backends, witnesses, H::WIDENINGS_THAT_DIFFER, H::widen),
        })
    }

    /// The values of all patterns: the magnitudes, then the same with a sign.
    fn expected(&self, rule: NanRule) -> Vec<f32> {
        let magnitudes = self.table.widen(rule);
        let sign = FloatFormat::BINARY32.sign() as u32;
        let negative = magnitudes.iter().map(|magnitude| magnitude + sign);
        magnitudes.iter().copied().chain(negative).map(f32::from_bits).collect()
    }

    /// Compares the sum of the reference's results with the published one.
    fn check_sum(&self, place: usize, outputs: &[f32], tally: &mut Tally) {
        let got = chunk_sums::sum(0, outputs);
        let expected = self.sums[place].widen;
        if got != expected {
            tally.mismatch(|| Mismatch {
                input: format!("all patterns, {}", NanRule::ALL[place].name()),
                got: format!("{got:#018x}"),
                expected: format!("{expected:#018x}"),
            });
        }
    }
}

impl<H: HalfFloat> Sweep for WidenSweep<H> {
    fn rows(&self) -> Vec<Row> {
        let reference = Row { backend: "reference", against: "chunk sums", deviations: None, error_bound: None };
        [reference].into_iter().chain(self.panel.rows()).collect()
    }

    fn parts(&self) -> Vec<Part> {
        vec![Part { number: 0, patterns: PATTERNS as u64 }]
    }

    fn count(&self, _: u32) -> Vec<Tally> {
        let mut tallies = vec![Tally::default(); self.rows().len()];
        let [reference, members @ ..] = tallies.as_mut_slice() else {
            unreachable!("the reference has a row");
        };
        let start = Instant::now();
        let block = Block {
            inputs: (0..PATTERNS as u64).map(H::from_pattern).collect(),
            expected: NanRule::ALL.map(|rule| self.expected(rule)),
        };
        for (place, expected) in block.expected.iter().enumerate() {
            self.check_sum(place, expected, reference);
        }
        reference.count(PATTERNS, start);
        let mut outputs = vec![0.0; PATTERNS];
        self.panel.count(&block, &mut outputs, members);
        tallies
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::{bf16, f16, half};

    use super::{
        super::{
            backends::{BACKENDS, SCALAR, each},
            witnesses::WITNESSES,
        },
        *,
    };

    fn tallies<H: HalfFloat>(backends: &[Backend]) -> Vec<Tally> {
        WidenSweep::<H>::new(backends, WITNESSES).unwrap().count(0)
    }

    #[test]
    fn right_backends_pass_and_witnesses_deviate_as_known() {
        for (tallies, rules_differ) in [
            (tallies::<f16>(&BACKENDS), f16::WIDENINGS_THAT_DIFFER),
            (tallies::<bf16>(&BACKENDS), bf16::WIDENINGS_THAT_DIFFER),
        ] {
            for tally in &tallies {
                assert_eq!((tally.mismatches, tally.patterns), (0, 0x1_0000));
            }
            for witness in &tallies[tallies.len() - WITNESSES.len()..] {
                let deviations = witness.deviations;
                assert_eq!(deviations.from_quiet + deviations.from_preserving, rules_differ);
            }
        }
    }

    #[test]
    fn flushing_subnormals_shows() {
        let mut wrong = SCALAR;
        wrong.quiet.f16_to_f32 = |source, target| {
            each(source, target, |value| match value.to_bits() & 0x7FFF {
                1..0x0400 => 0.0,
                _ => half::f16_to_f32(value),
            })
        };
        let tally = &tallies::<f16>(&[wrong])[1];
        assert_eq!(tally.mismatches, 2 * 0x03FF);
        assert_eq!(tally.first[0].input, "0x0001");
        assert_eq!(tally.first[0].got, "0x00000000");
        assert_eq!(tally.first[0].expected, "0x33800000");
    }
}
