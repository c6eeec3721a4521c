//! Operators that make tensors: constants, ranges, random numbers, windows.

use crate::registry::operators;

operators! {}
