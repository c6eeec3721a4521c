//! Tests of `stratal-eager`.

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
