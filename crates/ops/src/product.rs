//! Products of matrices, and sums of products.

mod matrices;

use crate::registry::operators;

pub use einsum::Equation;
pub use fused_mat_mul::Turn;
pub(crate) use matrices::{by_row, check_lines, product_shape, sides, with_matrix};

operators! {
    einsum::Einsum,
    fused_mat_mul::FusedMatMul,
    gemm::Gemm,
    mat_mul::MatMul,
    mat_mul_integer::MatMulInteger,
}
