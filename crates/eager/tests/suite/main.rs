//! Tests of `stratal-eager`.
#![expect(missing_docs, reason = "tests")]

mod rules;
