//! Cases through operators: each is tried, and whatever goes wrong is its own affair alone.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use stratal_kernels::Kernels;
use stratal_ops::Context;

use crate::case::Case;
use crate::judge::judge;
use crate::ledger::{Ledger, Outcome, Row};
use crate::reasons;
use crate::suite::{Content, Entry};

/// What became of the cases.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) ledger: Ledger,
    /// The cases that passed.
    pub(crate) passed: Vec<Case>,
    /// The names of the cases that failed, each with what was wrong.
    pub(crate) faults: Vec<(String, String)>,
}

/// Tries all cases.
pub(crate) fn run(entries: Vec<Entry>, kernels: &Arc<dyn Kernels>) -> Run {
    let mut run = Run { ledger: Ledger::default(), passed: Vec::new(), faults: Vec::new() };
    for Entry { name, operator, content } in entries {
        let (outcome, reason) = match content {
            Content::Absent(what) => (Outcome::Absent, what),
            Content::Case(case) => match guarded(|| judge(&case, &Context::with_kernels(kernels.clone()))) {
                Ok(()) => {
                    run.passed.push(case);
                    (Outcome::Passed, String::new())
                }
                Err(fault) => {
                    let fault = fault.replace(['\t', '\n'], " ");
                    run.faults.push((name.clone(), fault.clone()));
                    let reason =
                        reasons::of(&name).map_or(format!("unexplained: {fault}"), |reason| reason.text.into());
                    (Outcome::Failed, reason)
                }
            },
        };
        run.ledger.0.insert(name, Row { operator, outcome, reason });
    }
    run
}

/// What a judgement says; a panic is a fault like others.
fn guarded(judgement: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    // Whatever the operator was at is dropped with its case.
    panic::catch_unwind(AssertUnwindSafe(judgement)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        Err(format!("panicked: {}", text.unwrap_or("without a text")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_fault() {
        assert_eq!(guarded(|| Ok(())), Ok(()));
        assert_eq!(guarded(|| Err("wrong".into())), Err("wrong".into()));
        assert_eq!(guarded(|| panic!("plainly")), Err("panicked: plainly".into()));
        let three = 3;
        assert_eq!(guarded(|| panic!("at {three}")), Err("panicked: at 3".into()));
        assert_eq!(guarded(|| panic::resume_unwind(Box::new(3))), Err("panicked: without a text".into()));
    }

    /// A case of `Abs` that gives 2 for -2, and expects something.
    fn abs(name: &str, expected: f64) -> Entry {
        let text = format!(
            r#"{{"name": "{name}", "operator": "Abs", "relative": 0, "absolute": 0,
                "inputs": [{{"dtype": "float32", "shape": [1], "elements": [-2.0]}}],
                "outputs": [{{"dtype": "float32", "shape": [1], "elements": [{expected}]}}]}}"#
        );
        let content = Content::Case(serde_json::from_str(&text).unwrap());
        Entry { name: name.to_owned(), operator: "Abs".to_owned(), content }
    }

    #[test]
    fn each_case_gets_its_outcome_and_its_reason() {
        let absent = Entry { content: Content::Absent("sequences".into()), ..abs("test_c", 2.0) };
        let entries = vec![abs("test_a", 2.0), abs("test_b", 3.0), absent, abs("test_bernoulli", 3.0)];
        let Run { ledger, passed, faults } = run(entries, &stratal_kernels::process_kernels().unwrap());
        let expected = "case\toperator\toutcome\treason\n\
            test_a\tAbs\tpassed\t\n\
            test_b\tAbs\tfailed\tunexplained: output 0: element 0 is 2, not 3\n\
            test_bernoulli\tAbs\tfailed\tthe numbers expected were drawn by NumPy's generator\n\
            test_c\tAbs\tabsent\tsequences\n";
        assert_eq!(ledger.render(), expected);
        assert_eq!(passed.iter().map(|case| case.name.as_str()).collect::<Vec<_>>(), ["test_a"]);
        let fault = |name: &str| (name.to_owned(), "output 0: element 0 is 2, not 3".to_owned());
        assert_eq!(faults, [fault("test_b"), fault("test_bernoulli")]);
    }
}
