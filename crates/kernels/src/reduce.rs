//! Reductions: operations that make one number of all elements along some axes.
//!
//! One operation, one file: what it means at NaN and for no elements, its formula over the vector vocabulary and its error.
//! The order of evaluation is the same for all of them, on every backend and number of threads; the module `order` gives it.

pub(crate) mod by_index;
mod columns;
mod drive;
mod formula;
pub(crate) mod order;
pub(crate) mod rows;
mod strips;
mod wide;

mod all;
mod any;
mod arg;
mod l1_norm;
mod l2_norm;
mod log_sum;
mod log_sum_exp;
mod max;
mod mean;
mod min;
mod prod;
mod sum;
mod sum_square;

pub(crate) use arg::run as run_arg;
pub use drive::Rows;
pub(crate) use drive::wrapped;
use formula::compiled;
pub use formula::{Domain, Reduction, ReductionFormula};

pub use crate::map::Formula;
pub use wide::Wide;

pub use all::All;
pub use any::Any;
pub use arg::{ArgReduction, Extreme, Tie};
pub use l1_norm::L1Norm;
pub use l2_norm::L2Norm;
pub use log_sum::LogSum;
pub use log_sum_exp::LogSumExp;
pub use max::Max;
pub use mean::Mean;
pub use min::Min;
pub use prod::Prod;
pub use sum::Sum;
pub use sum_square::SumSquare;
