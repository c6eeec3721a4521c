//! The conversions between f32 and the 16-bit floats, swept over all patterns.

pub(crate) mod backends;
pub(crate) mod chunk_sums;
pub(crate) mod half_float;
pub(crate) mod narrow;
pub(crate) mod panel;
pub(crate) mod plan;
pub(crate) mod widen;
pub(crate) mod witnesses;
