//! Operators that sample images, and boxes in them.

use crate::registry::operators;

operators! {}
