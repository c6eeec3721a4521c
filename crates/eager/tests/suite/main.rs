//! Tests of `stratal-eager`.
#![expect(missing_docs, reason = "tests")]

mod edge_cases;
mod in_place;
mod rules;
