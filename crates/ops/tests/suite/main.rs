//! Cases of ONNX's operator suite: a few for each operator, in `cases`, written by `cargo xtask conformance --write`.
//!
//! They are computed by the reference and by the fastest kernels, and what the rule says of the outputs is compared too.

mod case;
mod judge;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use stratal_kernels::{Backend, Selection};
use stratal_ops::{Context, definitions};

use case::Case;

/// The cases, or those in another folder of the same form.
fn cases() -> Vec<Case> {
    let folder = std::env::var_os("STRATAL_SUITE").map_or_else(|| PathBuf::from("tests/suite/cases"), PathBuf::from);
    let mut files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: PathBuf| -> Vec<Case> { serde_json::from_slice(&fs::read(&path).unwrap()).unwrap() };
    files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "json")).flat_map(read).collect()
}

#[test]
fn cases_give_what_they_expect() {
    let only = std::env::var("STRATAL_SUITE_ONLY").ok();
    let selections = [Selection::new().backend(Backend::Reference), Selection::new()];
    let mut faults = Vec::new();
    let mut passed = 0;
    for case in cases().iter().filter(|case| only.as_ref().is_none_or(|only| case.operator == *only)) {
        for selection in &selections {
            let context = Context::with_kernels(selection.kernels().unwrap());
            match judge::judge(case, &context) {
                Ok(()) => passed += 1,
                Err(fault) => faults.push(format!("{} ({selection:?}): {fault}", case.name)),
            }
        }
    }
    assert!(faults.is_empty(), "{passed} passed, {} failed:\n{}", faults.len(), faults.join("\n"));
}

/// What the suite has no case of, that passes, is listed, and tested beside the operator alone.
#[test]
fn every_operator_has_a_case_or_is_known_to_have_none() {
    let cases: BTreeSet<_> = cases().into_iter().map(|case| full_name(&case.domain, &case.operator)).collect();
    let operators: BTreeSet<_> = definitions().map(|d| full_name(d.domain, d.name)).collect();
    let without: Vec<_> = operators.difference(&cases).map(String::as_str).collect();
    let listed = fs::read_to_string("tests/suite/cases/missing.txt").unwrap();
    assert_eq!(
        without,
        listed.lines().collect::<Vec<_>>(),
        "`cargo xtask conformance --write` brings cases and list up"
    );
}

fn full_name(domain: &str, operator: &str) -> String {
    if domain.is_empty() { operator.to_owned() } else { format!("{domain}.{operator}") }
}
