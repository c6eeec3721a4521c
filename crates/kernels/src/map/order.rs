//! The order in which a map visits elements: that of the result's memory.

use std::cmp::Reverse;

use stratal_tensor_base::{Geometry, MAX_RANK};

/// Reorders the axes of the result and of the operands alike, so that the result is written in the order of its memory.
/// Elements of a map do not depend on each other, so any order will do, and operands that are laid out like the result,
/// channels last for example, become one run.
pub(crate) fn in_memory_order<const N: usize>(
    result: &Geometry,
    operands: [&Geometry; N],
) -> (Geometry, [Geometry; N]) {
    let rank = result.shape().rank();
    let mut axes: [i64; MAX_RANK] = [0, 1, 2, 3, 4, 5, 6, 7];
    // Sorting is stable: axes of equal strides, such as those of one element, stay in their order.
    axes[..rank].sort_by_key(|axis| Reverse(result.strides()[*axis as usize].unsigned_abs()));
    // Only an empty shape can refuse the order, and then there is nothing to visit.
    let reordered = |geometry: &Geometry| geometry.permute(&axes[..rank]).unwrap_or(*geometry);
    (reordered(result), operands.map(reordered))
}
