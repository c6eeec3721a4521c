//! Opening files as the command line says.
#![expect(unsafe_code, reason = "mapping a file is sound only while nobody changes it")]

use std::path::Path;

use anyhow::{Context as _, Result};
use stratal_formats::{Error, FileError, Limits, ModelFile, Weights};

/// How a file is opened.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct Access {
    /// Read the file instead of mapping it, which is right when somebody may change it meanwhile
    #[arg(long)]
    no_mmap: bool,
}

impl Access {
    /// The tensors of a file.
    pub(crate) fn weights(self, path: &Path) -> Result<Weights> {
        // What cannot be opened is named by the error.
        let file = self.file(path).map_err(Error::from)?;
        Weights::of_file(file, &Limits::default()).with_context(|| path.display().to_string())
    }

    /// What was done, for people.
    pub(crate) fn description(self) -> &'static str {
        if self.no_mmap {
            "read on demand"
        } else {
            "mapped (nobody may change the file meanwhile; --no-mmap reads it)"
        }
    }

    /// What was done, for programs.
    pub(crate) fn name(self) -> &'static str {
        if self.no_mmap { "read" } else { "mapped" }
    }

    fn file(self, path: &Path) -> Result<ModelFile, FileError> {
        if self.no_mmap {
            return ModelFile::open(path);
        }
        // SAFETY: whoever runs the command vouches that nobody changes the file meanwhile; the help, the README and the output
        // say so, and `--no-mmap` is there for those who cannot.
        unsafe { ModelFile::map(path) }
    }
}
