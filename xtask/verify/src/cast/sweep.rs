//! The cast sweep: one source dtype to all 13, by element and by slice, lenient and strict.

use std::time::Instant;

use stratal_tensor_base::DType;

use super::{
    float_values::float_values,
    forms::{CastForms, Outcome},
    integer_values::integer_values,
};
use crate::{
    pattern::Hex,
    reference::cast::{Expected, Refusal, expected},
    sweep::{Part, Row, Sweep},
    tally::{Mismatch, Tally},
};

/// Values that are cast at a time.
const BLOCK: usize = 1 << 12;

/// Chosen or all values of one dtype. Its parts are the targets, numbered by dtype code.
///
/// All of them take about a second, so the quick sweep leaves none out.
pub(crate) struct CastSweep {
    source: DType,
    values: Vec<u64>,
    forms: fn(DType, DType) -> CastForms,
}

impl CastSweep {
    pub(crate) fn new(source: DType) -> Self {
        let values = match source.size() {
            bytes @ 1..=2 => (0..1 << (8 * bytes)).collect(),
            _ if source.is_float() => float_values(source),
            _ => integer_values(source),
        };
        Self { source, values, forms: CastForms::of }
    }

    fn count_pair(&self, target: DType) -> [Tally; 4] {
        let pair = Pair { source: self.source, target };
        let forms = (self.forms)(self.source, target);
        let mut tallies: [Tally; 4] = Default::default();
        let [cast, cast_slice, strict, strict_slice] = &mut tallies;
        for values in self.values.chunks(BLOCK) {
            let results: Vec<Expected> = values.iter().map(|value| expected(self.source, target, *value)).collect();
            pair.compare_casts(cast, forms.cast, values, &results);
            pair.compare_casts(cast_slice, forms.cast_slice, values, &results);
            pair.compare_outcomes(strict, forms.try_cast, values, &results);
            pair.compare_outcomes(strict_slice, forms.try_cast_slice, values, &results);
        }
        tallies
    }
}

impl Sweep for CastSweep {
    fn rows(&self) -> Vec<Row> {
        ["cast", "cast_slice", "try_cast", "try_cast_slice"]
            .map(|backend| Row { backend, against: "cast table", deviations: None, error_bound: None })
            .to_vec()
    }

    fn parts(&self) -> Vec<Part> {
        DType::ALL.map(|target| Part { number: target as u32, patterns: self.values.len() as u64 }).to_vec()
    }

    fn count(&self, part: u32) -> Vec<Tally> {
        let target =
            DType::ALL.into_iter().find(|target| *target as u32 == part).expect("parts are numbered by dtype code");
        self.count_pair(target).to_vec()
    }
}

/// The dtypes of a cast.
#[derive(Clone, Copy)]
struct Pair {
    source: DType,
    target: DType,
}

impl Pair {
    fn compare_casts(self, tally: &mut Tally, form: fn(&[u64]) -> Vec<u64>, values: &[u64], results: &[Expected]) {
        let start = Instant::now();
        let got = form(values);
        tally.count(values.len(), start);
        for ((value, got), expected) in values.iter().zip(got).zip(results) {
            if got != expected.cast {
                tally.mismatch(|| self.describe(*value, self.hex(got), self.hex(expected.cast)));
            }
        }
    }

    fn compare_outcomes(
        self,
        tally: &mut Tally,
        form: fn(&[u64]) -> Vec<Outcome>,
        values: &[u64],
        results: &[Expected],
    ) {
        let start = Instant::now();
        let got = form(values);
        tally.count(values.len(), start);
        for ((value, got), expected) in values.iter().zip(got).zip(results) {
            let expected = match expected.refusal {
                Some(refusal) => Outcome::Refused(refusal),
                None => Outcome::Value(expected.cast),
            };
            if got != expected {
                tally.mismatch(|| self.describe(*value, self.outcome(got), self.outcome(expected)));
            }
        }
    }

    fn describe(self, value: u64, got: String, expected: String) -> Mismatch {
        let Self { source, target } = self;
        let value = Hex { dtype: source, pattern: value };
        Mismatch { input: format!("{value} to {target}"), got, expected }
    }

    fn outcome(self, outcome: Outcome) -> String {
        match outcome {
            Outcome::Value(value) => self.hex(value),
            Outcome::Refused(Refusal::NotANumber) => "not a number".to_owned(),
            Outcome::Refused(Refusal::OutOfRange) => "out of range".to_owned(),
            Outcome::Refused(Refusal::Bool) => "no cast of bool".to_owned(),
            Outcome::Misreported => "an error about something else".to_owned(),
        }
    }

    fn hex(self, pattern: u64) -> String {
        let dtype = self.target;
        Hex { dtype, pattern }.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_every_pair_passes_on_the_small_sources() {
        for source in [DType::U8, DType::I8, DType::Bool, DType::F16] {
            let sweep = CastSweep::new(source);
            for part in sweep.parts() {
                for tally in sweep.count(part.number) {
                    assert_eq!(tally.patterns, 1 << (8 * source.size()));
                    assert_eq!(tally.first, []);
                }
            }
        }
    }

    /// The tallies of a cast sweep whose forms are planted.
    fn verdict(source: DType, target: DType, forms: fn(DType, DType) -> CastForms) -> [Tally; 4] {
        let sweep = CastSweep { forms, ..CastSweep::new(source) };
        sweep.count_pair(target)
    }

    #[test]
    fn saturation_in_place_of_wrapping_shows() {
        let [cast, cast_slice, ..] = verdict(DType::I8, DType::U8, |source, target| CastForms {
            cast: |values| values.iter().map(|value| (*value).min(0x7F)).collect(),
            ..CastForms::of(source, target)
        });
        assert_eq!(cast.mismatches, 0x80);
        let first = Mismatch { input: "0x80 to uint8".to_owned(), got: "0x7f".to_owned(), expected: "0x80".to_owned() };
        assert_eq!(cast.first[0], first);
        assert_eq!(cast_slice.mismatches, 0);
    }

    #[test]
    fn an_integer_rounded_twice_shows() {
        let [cast, ..] = verdict(DType::I64, DType::BF16, |source, target| CastForms {
            cast: |values| {
                let rounded = values.iter().map(|value| {
                    let single = value.cast_signed() as f32;
                    stratal_tensor_base::half::f32_to_bf16_bits(single.to_bits()).into()
                });
                rounded.collect()
            },
            ..CastForms::of(source, target)
        });
        assert!(cast.mismatches > 0);
    }

    #[test]
    fn a_strict_cast_that_lets_a_value_pass_shows() {
        let [.., strict, _] = verdict(DType::F16, DType::I8, |source, target| CastForms {
            try_cast: |values| {
                (CastForms::of(DType::F16, DType::I8).cast)(values).into_iter().map(Outcome::Value).collect()
            },
            ..CastForms::of(source, target)
        });
        // 128, the first that is out of range.
        let first = Mismatch {
            input: "0x5800 to int8".to_owned(),
            got: "0x7f".to_owned(),
            expected: "out of range".to_owned(),
        };
        assert_eq!(strict.first[0], first);
    }
}
