//! The command line.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::Parser;

use crate::sweep::Extent;

/// Proves stratal's numeric rules: sweeps every float and every cast against independent references
///
/// Ends with status 1 when anything differs, and prints the first differences in hex.
#[derive(Debug, Clone, Parser)]
#[command(name = "stratal-verify")]
pub(crate) struct Options {
    /// Take seconds: whole chunks where results turn, samples elsewhere
    #[arg(long)]
    pub(crate) quick: bool,

    /// Do this sweep and no others; may be given more than once
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,

    /// Name the sweeps and do none
    #[arg(long)]
    pub(crate) list: bool,

    /// Go on with a run that was interrupted
    #[arg(long)]
    pub(crate) resume: bool,

    /// Keep progress in this file [default: a file of these sweeps beside the program]
    #[arg(long, value_name = "PATH")]
    pub(crate) state: Option<PathBuf>,

    /// Write the report to this file too, as JSON
    #[arg(long, value_name = "PATH")]
    pub(crate) json: Option<PathBuf>,

    /// Use so many threads [default: one for each processor]
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

impl Options {
    pub(crate) fn extent(&self) -> Extent {
        if self.quick { Extent::Quick } else { Extent::Full }
    }
}
