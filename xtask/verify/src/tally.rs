//! `Tally`: what one row of a sweep has counted so far.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// At most so many mismatches of a sweep are kept and printed.
pub(crate) const KEPT_MISMATCHES: usize = 8;

/// Counts of one row, over a part of its sweep or all of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) patterns: u64,
    pub(crate) mismatches: u64,
    /// The first mismatches in the order of the inputs.
    pub(crate) first: Vec<Mismatch>,
    /// Time that threads were busy with this row, added up.
    pub(crate) busy: Duration,
    pub(crate) deviations: Deviations,
    pub(crate) worst: WorstError,
}

/// One wrong result, in hex.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mismatch {
    pub(crate) input: String,
    pub(crate) got: String,
    pub(crate) expected: String,
}

/// Inputs on which a witness follows one NaN rule and so leaves the other: no mismatches, but counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Deviations {
    pub(crate) from_quiet: u64,
    pub(crate) from_preserving: u64,
}

/// The largest error of results that need not be exact, among those that pass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct WorstError {
    pub(crate) ulps: f64,
    /// The bits of the first input that has it.
    pub(crate) input: u32,
}

impl Tally {
    /// Counts patterns on which work began at `start` and has just ended.
    pub(crate) fn count(&mut self, patterns: usize, start: Instant) {
        self.patterns += patterns as u64;
        self.busy += start.elapsed();
    }

    /// Counts a mismatch, and describes it while there are few.
    pub(crate) fn mismatch(&mut self, describe: impl FnOnce() -> Mismatch) {
        self.mismatches += 1;
        if self.first.len() < KEPT_MISMATCHES {
            self.first.push(describe());
        }
    }

    /// Adds the counts of the part that follows.
    pub(crate) fn absorb(&mut self, next: &Self) {
        self.patterns += next.patterns;
        self.mismatches += next.mismatches;
        self.busy += next.busy;
        self.deviations.from_quiet += next.deviations.from_quiet;
        self.deviations.from_preserving += next.deviations.from_preserving;
        if next.worst.ulps > self.worst.ulps {
            self.worst = next.worst;
        }
        let room = KEPT_MISMATCHES - self.first.len();
        self.first.extend(next.first.iter().take(room).cloned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mismatch(input: usize) -> Mismatch {
        Mismatch { input: input.to_string(), got: String::new(), expected: String::new() }
    }

    #[test]
    fn all_mismatches_are_counted_and_the_first_ones_kept() {
        let mut tally = Tally::default();
        let mut next = Tally::default();
        for input in 0..5 {
            tally.mismatch(|| mismatch(input));
            next.mismatch(|| mismatch(5 + input));
        }
        tally.absorb(&next);
        assert_eq!(tally.mismatches, 10);
        assert_eq!(tally.first, Vec::from_iter((0..8).map(mismatch)));
    }
}
