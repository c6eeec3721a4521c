//! Operators of transformers.

use crate::registry::operators;

operators! {}
