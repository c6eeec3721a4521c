//! Operators that measure how far predictions are from what was to be predicted.

use crate::registry::operators;

operators! {}
