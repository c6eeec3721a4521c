//! `Sweep`: one question put to every input of a kind, and how it falls into parts.

use crate::tally::Tally;

/// A sweep, made ready for an extent. Its parts are counted independently, in any order and on any thread.
pub(crate) trait Sweep: Send + Sync {
    /// What is compared with what, each with a row of its own in the report.
    fn rows(&self) -> Vec<Row>;

    /// The parts, in the order of their inputs.
    fn parts(&self) -> Vec<Part>;

    /// Counts the part with this number: a tally for each row.
    fn count(&self, part: u32) -> Vec<Tally>;
}

/// How much of each sweep is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Every input.
    Full,
    /// As much as takes seconds: what is likely to break in full, and samples of the rest.
    Quick,
}

/// One comparison of a sweep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row {
    /// The code under test.
    pub(crate) backend: &'static str,
    /// What its results are compared with.
    pub(crate) against: &'static str,
    /// On how many of all inputs a witness must follow one NaN rule and leave the other.
    pub(crate) deviations: Option<u64>,
    /// The greatest error that passes, in ulps, where results need not be exact.
    pub(crate) error_bound: Option<f64>,
}

/// A share of a sweep that one thread counts without a break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Tells the part from the others of its sweep.
    pub(crate) number: u32,
    /// How many inputs it has.
    pub(crate) patterns: u64,
}
