//! Operators that move elements, or see them in another shape.

pub(crate) mod axes;
pub(crate) mod elements;

use crate::registry::operators;

operators! {
    concat::Concat,
    expand::Expand,
    flatten::Flatten,
    gather::Gather,
    gather_elements::GatherElements,
    gather_nd::GatherND,
    reshape::Reshape,
    scatter::Scatter,
    scatter_elements::ScatterElements,
    scatter_nd::ScatterND,
    shape::Shape,
    size::Size,
    slice::Slice,
    split::Split,
    squeeze::Squeeze,
    tile::Tile,
    transpose::Transpose,
    unsqueeze::Unsqueeze,
}
