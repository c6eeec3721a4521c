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
    one_hot::OneHot,
    reshape::Reshape,
    reverse_sequence::ReverseSequence,
    scatter::Scatter,
    scatter_elements::ScatterElements,
    scatter_nd::ScatterND,
    shape::Shape,
    size::Size,
    slice::Slice,
    split::Split,
    squeeze::Squeeze,
    tensor_scatter::TensorScatter,
    tile::Tile,
    transpose::Transpose,
    trilu::Trilu,
    unsqueeze::Unsqueeze,
}
