//! `Panel`: all implementations of one conversion, each compared with what a block of inputs must become.

use std::time::Instant;

use stratal_tensor_base::DType;

use super::{
    backends::{Backend, Conversions, Convert},
    witnesses::Witness,
};
use crate::{
    pattern::{Hex, Pattern},
    reference::{format::FloatFormat, nan::NanRule},
    sweep::Row,
    tally::{Mismatch, Tally},
};

/// Inputs and what they must become: under the quiet rule, then under the preserving one.
pub(crate) struct Block<S, T> {
    pub(crate) inputs: Vec<S>,
    pub(crate) expected: [Vec<T>; 2],
}

/// The implementations of the conversion from `S` to `T`.
pub(crate) struct Panel<S, T> {
    source: DType,
    target: DType,
    /// The source's format tells which inputs are signaling NaNs.
    format: FloatFormat,
    members: Vec<Member<S, T>>,
}

struct Member<S, T> {
    row: Row,
    convert: Convert<S, T>,
    standard: Standard,
}

/// What a member is held to.
#[derive(Clone, Copy)]
enum Standard {
    /// Every bit of the expected results under the rule that has this place in the list of rules.
    Rule(usize),
    /// The same, under a rule that may change from one signaling NaN to the next.
    EitherRule,
}

impl<S: Pattern, T: Pattern> Panel<S, T> {
    /// The backends, held to each rule that they have, and the witnesses, whose number of deviations is known.
    ///
    /// `select` picks the conversion from an implementation's list.
    pub(crate) fn new(
        [source, target]: [DType; 2],
        backends: &[Backend],
        witnesses: &[Witness],
        deviations: u64,
        select: fn(&Conversions) -> Convert<S, T>,
    ) -> Self {
        let judged = backends.iter().flat_map(|backend| {
            NanRule::ALL.into_iter().enumerate().filter_map(move |(place, rule)| {
                Some(Member {
                    row: Row { backend: backend.name, against: rule.name(), deviations: None, error_bound: None },
                    convert: select(backend.under(rule)?),
                    standard: Standard::Rule(place),
                })
            })
        });
        let heard = witnesses.iter().map(|witness| Member {
            row: Row { backend: witness.name, against: "either rule", deviations: Some(deviations), error_bound: None },
            convert: select(&witness.conversions),
            standard: Standard::EitherRule,
        });
        Self {
            source,
            target,
            format: FloatFormat::of(source).expect("the panel judges conversions between floats"),
            members: judged.chain(heard).collect(),
        }
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = Row> {
        self.members.iter().map(|member| member.row)
    }

    /// Lets every member convert the block, into `outputs`, and counts in the member's tally.
    pub(crate) fn count(&self, block: &Block<S, T>, outputs: &mut [T], tallies: &mut [Tally]) {
        let [quiet, preserving] = &block.expected;
        for (member, tally) in self.members.iter().zip(tallies) {
            let start = Instant::now();
            (member.convert)(&block.inputs, outputs).expect("the slices have the same length");
            match member.standard {
                Standard::Rule(place) => {
                    if T::differ(outputs, &block.expected[place]) {
                        self.count_mismatches(block, place, outputs, tally);
                    }
                }
                Standard::EitherRule => {
                    if T::differ(outputs, quiet) || T::differ(outputs, preserving) {
                        self.count_deviations(block, outputs, tally);
                    }
                }
            }
            tally.count(outputs.len(), start);
        }
    }

    fn count_mismatches(&self, block: &Block<S, T>, place: usize, outputs: &[T], tally: &mut Tally) {
        for ((input, got), expected) in block.inputs.iter().zip(outputs).zip(&block.expected[place]) {
            if got.pattern() != expected.pattern() {
                tally.mismatch(|| self.describe(*input, *got, *expected));
            }
        }
    }

    fn count_deviations(&self, block: &Block<S, T>, outputs: &[T], tally: &mut Tally) {
        let [quiet, preserving] = &block.expected;
        let expected = quiet.iter().zip(preserving);
        for ((input, got), (quiet, preserving)) in block.inputs.iter().zip(outputs).zip(expected) {
            let is_quiet = got.pattern() == quiet.pattern();
            let is_preserving = got.pattern() == preserving.pattern();
            if is_quiet && is_preserving {
                continue;
            }
            if (is_quiet || is_preserving) && self.is_signaling_nan(*input) {
                tally.deviations.from_quiet += u64::from(!is_quiet);
                tally.deviations.from_preserving += u64::from(!is_preserving);
            } else {
                tally.mismatch(|| self.describe(*input, *got, *quiet));
            }
        }
    }

    fn is_signaling_nan(&self, input: S) -> bool {
        let magnitude = input.pattern() % self.format.sign();
        let infinity = self.format.infinity();
        magnitude > infinity && magnitude - infinity < self.format.quiet()
    }

    fn describe(&self, input: S, got: T, expected: T) -> Mismatch {
        Mismatch { input: hex(self.source, input), got: hex(self.target, got), expected: hex(self.target, expected) }
    }
}

fn hex(dtype: DType, value: impl Pattern) -> String {
    let pattern = value.pattern();
    Hex { dtype, pattern }.to_string()
}
