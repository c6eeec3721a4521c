//! `cargo xtask conformance`: builds and drives the program that runs ONNX's operator suite.

use anyhow::Result;

use crate::run::Run;

/// In the profile of the tests: optimised, with every check on, and mostly built where tests have run.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    Run::cargo()
        .arguments(["run", "--profile", "test", "--package", "stratal-conformance", "--"])
        .arguments(arguments)
        .run()
}
