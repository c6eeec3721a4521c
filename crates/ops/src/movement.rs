//! Operators that move elements, or see them in another shape.

pub(crate) mod axes;
mod blocks;
pub(crate) mod elements;
#[cfg(test)]
mod tests;

pub use blocks::DepthOrder;
pub use pad::PadMode;
pub(crate) use reshape::copy_reshaped;
pub use resize::Aspect;

use crate::registry::operators;

operators! {
    center_crop_pad::CenterCropPad,
    col2im::Col2Im,
    concat::Concat,
    depth_to_space::DepthToSpace,
    expand::Expand,
    flatten::Flatten,
    gather::Gather,
    gather_elements::GatherElements,
    gather_nd::GatherND,
    one_hot::OneHot,
    pad::Pad,
    reshape::Reshape,
    resize::Resize,
    reverse_sequence::ReverseSequence,
    scatter::Scatter,
    scatter_elements::ScatterElements,
    scatter_nd::ScatterND,
    shape::Shape,
    size::Size,
    slice::Slice,
    space_to_depth::SpaceToDepth,
    split::Split,
    squeeze::Squeeze,
    tensor_scatter::TensorScatter,
    tile::Tile,
    transpose::Transpose,
    trilu::Trilu,
    unsqueeze::Unsqueeze,
    upsample::Upsample,
}
