//! Operators that move elements, or see them in another shape.

pub(crate) mod axes;
pub(crate) mod elements;

use crate::registry::operators;

operators! {
    concat::Concat,
    expand::Expand,
    flatten::Flatten,
    reshape::Reshape,
    shape::Shape,
    size::Size,
    squeeze::Squeeze,
    tile::Tile,
    transpose::Transpose,
    unsqueeze::Unsqueeze,
}
