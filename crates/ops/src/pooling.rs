//! Operators that slide windows over images.

use crate::registry::operators;

operators! {}
