//! Derivatives of reductions along axes.

mod cumulative;
mod extreme;
mod kept;
pub(crate) mod recurrence;
mod rows;

pub(crate) use self::kept::with_extents_of_one;
pub(crate) use self::rows::Rows;
use super::derivatives;

derivatives! {
    cum_prod::CumProd,
    cum_sum::CumSum,
    det::Det,
    reduce_l1::ReduceL1,
    reduce_l2::ReduceL2,
    reduce_log_sum::ReduceLogSum,
    reduce_log_sum_exp::ReduceLogSumExp,
    reduce_max::ReduceMax,
    reduce_mean::ReduceMean,
    reduce_min::ReduceMin,
    reduce_prod::ReduceProd,
    reduce_sum::ReduceSum,
    reduce_sum_square::ReduceSumSquare,
}
