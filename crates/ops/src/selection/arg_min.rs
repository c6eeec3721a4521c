//! `ArgMin`: where the least elements are.

use stratal_kernels::reduce::Extreme;

use super::arg;

arg::operator! {
    /// The index of the least element along an axis, as int64: of equal ones the first or the last, and the first NaN if
    /// there is one. An axis without elements is an error.
    ArgMin, Extreme::Min
}
