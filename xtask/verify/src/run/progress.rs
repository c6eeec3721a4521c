//! The progress bar, on stderr and only where that is a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over so many inputs, some of which may be done already.
pub(crate) fn bar(inputs: u64, done: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{elapsed_precise} [{bar:40}] {percent:>3}% {msg}, {eta} to go")
        .expect("the template is well-formed")
        .progress_chars("=> ");
    // indicatif draws nothing where stderr is no terminal.
    ProgressBar::new(inputs).with_style(style).with_position(done)
}
