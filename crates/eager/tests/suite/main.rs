//! Tests of `stratal-eager`.
#![expect(missing_docs, reason = "tests")]

mod attack;
mod clip;
mod edge_cases;
mod in_place;
mod long_chains;
mod optimizer;
mod parameters;
mod random;
mod rules;
mod training;
mod variables;
