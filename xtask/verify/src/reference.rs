//! What every conversion must give, worked out from definitions and never from the formulas under test.
//!
//! Formats are described by two numbers, values are exact, rounding is division with remainder or a walk past exact
//! midpoints. Nothing in here calls the library.

pub(crate) mod cast;
pub(crate) mod exact;
pub(crate) mod format;
pub(crate) mod nan;
pub(crate) mod nearest;
