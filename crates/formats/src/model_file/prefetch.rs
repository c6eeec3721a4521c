//! Telling the system which bytes are read next.

use std::{num::NonZeroU64, ops::Range};

use super::{ModelFile, Source};

impl ModelFile {
    /// Tells the system that a range is read soon, so that it may fetch it in the background. A hint: what cannot be
    /// followed is left out, and a range past the end is cut there.
    pub fn prefetch(&self, range: Range<u64>) {
        let end = range.end.min(self.length);
        let Some(length) = NonZeroU64::new(end.saturating_sub(range.start)) else { return };
        match &self.source {
            Source::OnDemand(file) | Source::Mapped(_, file) => advise(file, range.start, length),
            Source::Memory(_) => {}
        }
    }
}

/// Reads into the page cache, which a mapping of the file shares.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn advise(file: &std::fs::File, offset: u64, length: NonZeroU64) {
    // A hint that is refused changes nothing.
    let _ = rustix::fs::fadvise(file, offset, Some(length), rustix::fs::Advice::WillNeed);
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn advise(_file: &std::fs::File, _offset: u64, _length: NonZeroU64) {}
