//! Derivatives of operators that move elements.

mod cropped;
mod taps;
mod updates;

use super::derivatives;

derivatives! {
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
