//! Tests of `stratal-eager`.

mod edge_cases;
mod in_place;
mod rules;
