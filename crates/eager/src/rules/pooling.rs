//! Derivatives of operators that pool.
#![expect(clippy::result_large_err, reason = "a cause is passed on once a use")]

mod norm;
pub(crate) mod spread;

use super::derivatives;

derivatives! {
    average_pool::AveragePool,
    global_average_pool::GlobalAveragePool,
    global_lp_pool::GlobalLpPool,
    global_max_pool::GlobalMaxPool,
    lp_pool::LpPool,
    max_pool::MaxPool,
    max_roi_pool::MaxRoiPool,
    max_unpool::MaxUnpool,
}
