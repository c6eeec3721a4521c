//! `Report`: what a run found, ready to be written.

pub(crate) mod json;
pub(crate) mod text;

use std::time::Duration;

use serde::Serialize;

use crate::{
    options::Options,
    run::{engine::Ready, ledger::Ledger},
    sweep::{Extent, Row},
    tally::{KEPT_MISMATCHES, Mismatch, Tally, WorstError},
};

/// The results of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    pub(crate) quick: bool,
    pub(crate) threads: usize,
    /// From start to end; of a resumed run, of its last stretch.
    pub(crate) seconds: f64,
    pub(crate) sweeps: Vec<SweepReport>,
}

/// The results of one sweep.
#[derive(Debug, Serialize)]
pub(crate) struct SweepReport {
    pub(crate) name: String,
    pub(crate) parts: usize,
    /// How many of the parts an earlier, interrupted run had done.
    pub(crate) resumed_parts: usize,
    pub(crate) rows: Vec<RowReport>,
    /// The first mismatches of each failing row, few in all.
    pub(crate) mismatches: Vec<MismatchReport>,
}

/// The results of one comparison.
#[derive(Debug, Serialize)]
pub(crate) struct RowReport {
    pub(crate) backend: &'static str,
    pub(crate) against: &'static str,
    pub(crate) patterns: u64,
    pub(crate) mismatches: u64,
    /// The time of all threads added up, without that of the reference.
    pub(crate) seconds: f64,
    pub(crate) patterns_per_second: f64,
    pub(crate) witness: Option<WitnessReport>,
    pub(crate) error: Option<ErrorReport>,
}

/// How a witness stands to the two NaN rules. All its deviations are on signaling NaNs; others are mismatches.
#[derive(Debug, Serialize)]
pub(crate) struct WitnessReport {
    pub(crate) deviations_from_quiet: u64,
    pub(crate) deviations_from_preserving: u64,
    /// On so many inputs the rules differ, so that any witness follows one and leaves the other. Known of a full sweep.
    pub(crate) expected: Option<u64>,
}

/// The largest error of a function, among those that pass.
#[derive(Debug, Serialize)]
pub(crate) struct ErrorReport {
    #[serde(flatten)]
    pub(crate) worst: WorstError,
    pub(crate) bound: f64,
}

/// One wrong result and who gave it.
#[derive(Debug, Serialize)]
pub(crate) struct MismatchReport {
    pub(crate) backend: &'static str,
    pub(crate) against: &'static str,
    #[serde(flatten)]
    pub(crate) mismatch: Mismatch,
}

impl Report {
    /// The results in `ledger`, of which those in `resumed` come from an earlier run.
    pub(crate) fn new(options: &Options, sweeps: &[Ready], ledger: &Ledger, resumed: &Ledger, time: Duration) -> Self {
        let sweeps = sweeps.iter().map(|ready| {
            let rows = ready.sweep.rows();
            let totals = ledger.totals(&ready.name, rows.len());
            SweepReport {
                name: ready.name.clone(),
                parts: ledger.parts(&ready.name),
                resumed_parts: resumed.parts(&ready.name),
                mismatches: first_mismatches(&rows, &totals),
                rows: rows
                    .iter()
                    .zip(&totals)
                    .map(|(row, tally)| RowReport::new(*row, tally, options.extent()))
                    .collect(),
            }
        });
        Self {
            quick: options.quick,
            threads: rayon::current_num_threads(),
            seconds: time.as_secs_f64(),
            sweeps: sweeps.collect(),
        }
    }

    /// Whether nothing differed and the witnesses deviated as often as they must.
    pub(crate) fn passed(&self) -> bool {
        self.rows().all(|row| {
            let is_explained = row.witness.as_ref().is_none_or(WitnessReport::is_as_expected);
            row.mismatches == 0 && is_explained
        })
    }

    /// The largest error of each unary function.
    pub(crate) fn unary_errors(&self) -> Vec<(&str, WorstError)> {
        let errors = self.sweeps.iter().filter_map(|sweep| {
            let name = sweep.name.strip_prefix("unary-")?;
            let error = sweep.rows.iter().find_map(|row| row.error.as_ref())?;
            Some((name, error.worst))
        });
        errors.collect()
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &RowReport> {
        self.sweeps.iter().flat_map(|sweep| &sweep.rows)
    }
}

impl RowReport {
    fn new(row: Row, tally: &Tally, extent: Extent) -> Self {
        let seconds = tally.busy.as_secs_f64();
        Self {
            backend: row.backend,
            against: row.against,
            patterns: tally.patterns,
            mismatches: tally.mismatches,
            seconds,
            patterns_per_second: if seconds > 0.0 { tally.patterns as f64 / seconds } else { 0.0 },
            witness: row.deviations.map(|deviations| WitnessReport {
                deviations_from_quiet: tally.deviations.from_quiet,
                deviations_from_preserving: tally.deviations.from_preserving,
                expected: (extent == Extent::Full).then_some(deviations),
            }),
            error: row.error_bound.map(|bound| ErrorReport { worst: tally.worst, bound }),
        }
    }
}

impl WitnessReport {
    pub(crate) fn is_as_expected(&self) -> bool {
        let counted = self.deviations_from_quiet + self.deviations_from_preserving;
        self.expected.is_none_or(|expected| expected == counted)
    }
}

/// A few mismatches of every failing row, and not more in all than are kept of one, unless more rows fail than that.
fn first_mismatches(rows: &[Row], totals: &[Tally]) -> Vec<MismatchReport> {
    let failing = totals.iter().filter(|tally| tally.mismatches > 0).count();
    let share = (KEPT_MISMATCHES / failing.max(1)).max(1);
    let shares = rows.iter().zip(totals).flat_map(|(row, tally)| {
        tally.first.iter().take(share).map(|mismatch| MismatchReport {
            backend: row.backend,
            against: row.against,
            mismatch: mismatch.clone(),
        })
    });
    shares.take(KEPT_MISMATCHES).collect()
}
