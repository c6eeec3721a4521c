//! Operators that choose elements by their values.

use crate::registry::operators;

operators! {
    non_zero::NonZero,
}
