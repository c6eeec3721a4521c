//! Operators that combine the elements along axes.

use crate::registry::operators;

operators! {}
