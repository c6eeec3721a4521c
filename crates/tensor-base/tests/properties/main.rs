//! Properties over arbitrary input: rules against naive models, hostile numbers against big-integer arithmetic.

mod chains;
mod limits;
mod naive;
mod numbers;
mod overlap;
mod reshapes;
mod walks;
