//! Operators that slide weights over images.

use crate::registry::operators;

operators! {}
