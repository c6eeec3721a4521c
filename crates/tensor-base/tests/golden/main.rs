//! The golden vectors in `tests/fixtures`, computed by an independent program, reproduced bit for bit.

mod broadcast;
mod cast;
mod half;
mod layouts;
mod load;
mod reshape;
mod shape_limits;
mod views;

use stratal_tensor_base::{Geometry, Shape};

/// The geometry of a case that gives strides but no offset: its lowest element is element 0 of the largest buffer.
pub(crate) fn placed(extents: &[i64], strides: &[i64]) -> Geometry {
    let shape = Shape::new(extents).expect("the case has a shape");
    let backwards = extents.iter().zip(strides).map(|(extent, stride)| (extent - 1) * stride.min(&0));
    let offset = if shape.is_empty() { 0 } else { -backwards.sum::<i64>() };
    Geometry::strided(shape, strides, offset, u64::MAX).expect("the case fits a buffer")
}

/// Adds `value` at `position` to a checksum that notices both values and their order.
pub(crate) fn add_to_checksum(sum: u64, position: u64, value: u64) -> u64 {
    sum.wrapping_add(value.wrapping_mul(2 * position + 1))
}
