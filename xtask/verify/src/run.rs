//! Doing the sweeps: parts in parallel, progress shown and kept.

pub(crate) mod engine;
pub(crate) mod ledger;
pub(crate) mod progress;
pub(crate) mod state;
