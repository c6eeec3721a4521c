//! Operators between numbers and the integers that stand for them.

use crate::registry::operators;

operators! {}
