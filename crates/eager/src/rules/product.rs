//! Derivatives of products of matrices.

mod factors;

use super::derivatives;

derivatives! {
    einsum::Einsum,
    fused_mat_mul::FusedMatMul as "com.microsoft.FusedMatMul",
    gemm::Gemm,
    mat_mul::MatMul,
}
