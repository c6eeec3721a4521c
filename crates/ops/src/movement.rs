//! Operators that move elements, or see them in another shape.

use crate::registry::operators;

operators! {
    concat::Concat,
    reshape::Reshape,
}
