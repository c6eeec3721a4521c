//! Operators that choose elements by their values.

mod arg;

pub use non_max_suppression::BoxFormat;
pub use tf_idf_vectorizer::{NGram, Weighting};

use crate::registry::operators;

operators! {
    arg_max::ArgMax,
    arg_min::ArgMin,
    compress::Compress,
    non_max_suppression::NonMaxSuppression,
    non_zero::NonZero,
    tf_idf_vectorizer::TfIdfVectorizer,
    top_k::TopK,
    unique::Unique,
}
