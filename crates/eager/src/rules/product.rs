//! Derivatives of products of matrices.

use super::derivatives;

derivatives! {
    mat_mul::MatMul,
}
