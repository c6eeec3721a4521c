//! Derivatives of operators that select elements.

use super::derivatives;

derivatives! {
    compress::Compress,
    top_k::TopK,
    unique::Unique,
}
