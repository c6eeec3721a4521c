//! Derivatives of reductions along axes.

mod kept;

use super::derivatives;

derivatives! {
    reduce_mean::ReduceMean,
    reduce_sum::ReduceSum,
}
