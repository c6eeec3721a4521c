//! The files that may do what a rule forbids to all others, each with its reason.

use super::Rule;

/// One rule lifted for one file.
#[derive(Debug)]
pub(super) struct Allowed {
    pub(super) rule: Rule,
    /// Path from the workspace root, with forward slashes.
    pub(super) path: &'static str,
    /// Why the file may; for the reader of this list.
    #[expect(dead_code, reason = "a reason is written for people")]
    pub(super) reason: &'static str,
}

/// All that is allowed. Empty is best: the numbers below need neither unsafe code nor atomics.
/// A door for atomics gets its entry here together with the crate that it serves.
pub(super) const ALLOWED: &[Allowed] = &[];
