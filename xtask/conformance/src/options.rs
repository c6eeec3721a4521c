//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Runs ONNX's operator suite through stratal's operators
///
/// Ends with status 1 when a case does not pass that the ledger has as passed. The suite is exported from the `onnx` package,
/// which is installed into a virtual environment in the target directory; that needs Python, and a package index once.
#[derive(Debug, Clone, Parser)]
#[command(name = "stratal-conformance")]
pub(crate) struct Options {
    /// Take the suite from this folder, as xtask/conformance/export.py writes it, instead of installing Python packages
    #[arg(long, value_name = "DIR")]
    pub(crate) from: Option<PathBuf>,

    /// Run the cases of this operator alone, such as Softmax or ai.onnx.preview.FlexAttention
    #[arg(long, value_name = "OPERATOR")]
    pub(crate) only: Option<String>,

    /// Compute with the reference kernels instead of the fastest
    #[arg(long)]
    pub(crate) reference: bool,

    /// Write the ledger, the committed cases and docs/operators.md
    #[arg(long, conflicts_with = "reference")]
    pub(crate) write: bool,
}
