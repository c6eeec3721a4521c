//! Operators that go along a sequence and keep a state.

use crate::registry::operators;

operators! {}
