//! What the generators draw from: numbers that mean something, and numbers that no one should send.

use proptest::prelude::*;
use stratal_tensor_base::{Geometry, Shape};

/// Any 64-bit number, with small ones and the edges of every limit likely.
pub(crate) fn hostile() -> impl Strategy<Value = i64> {
    let edges = [0, 1, 1 << 15, 1 << 16, 1 << 30, 1 << 31, 1 << 32, 1 << 62, i64::MAX, i64::MIN];
    prop_oneof![
        4 => -6..7_i64,
        2 => (proptest::sample::select(edges.to_vec()), -2..3_i64)
            .prop_map(|(edge, offset)| edge.saturating_add(offset)),
        1 => (proptest::sample::select(edges.to_vec()), -2..3_i64)
            .prop_map(|(edge, offset)| edge.saturating_neg().saturating_add(offset)),
        1 => any::<i64>(),
    ]
}

/// A list of hostile numbers, up to more than any rank.
pub(crate) fn hostile_list() -> impl Strategy<Value = Vec<i64>> {
    proptest::collection::vec(hostile(), 0..11)
}

/// Extents of a small tensor: every rank, with 0 and 1 likely.
pub(crate) fn small_extents() -> impl Strategy<Value = Vec<i64>> {
    let extent = prop_oneof![1 => Just(0_i64), 3 => Just(1), 6 => 2..5_i64];
    proptest::collection::vec(extent, 0..6)
}

/// Small tensors with any strides that fit a buffer.
pub(crate) fn small_geometry() -> impl Strategy<Value = Geometry> {
    let stride = prop_oneof![3 => -30..31_i64, 2 => Just(0_i64), 2 => Just(1)];
    small_extents()
        .prop_flat_map(move |extents| {
            let strides = proptest::collection::vec(stride.clone(), extents.len());
            (Just(extents), strides, any::<bool>())
        })
        .prop_map(|(extents, strides, is_row_major)| {
            let shape = Shape::new(&extents).expect("small extents are a shape");
            if is_row_major {
                return Geometry::contiguous(shape);
            }
            Geometry::strided(shape, &strides, 10_000, 20_000).expect("the strides reach less than 10,000")
        })
}
