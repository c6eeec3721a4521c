//! Along axes: sums, means, extremes.

use stratal_ops as ops;
use stratal_ops::Operator;
use stratal_tensor::Tensor;

use crate::{EagerError, Var, apply};

macro_rules! reductions {
    ($($(#[$about:meta])* $name:ident => $operator:ident),* $(,)?) => {
        impl Var {
            $(
                $(#[$about])*
                ///
                /// No axes mean all of them; those reduced stay with extent 1 if `keep_dims`.
                ///
                /// # Errors
                /// [`EagerError::Operator`] for axes that do not exist, or a dtype that it is not defined for.
                pub fn $name(&self, axes: &[i64], keep_dims: bool) -> Result<Self, EagerError> {
                    reduce(self, &ops::$operator { keep_dims, noop_with_empty_axes: false }, axes)
                }
            )*
        }
    };
}

reductions! {
    /// The sum; 0 of nothing.
    sum => ReduceSum,
    /// The mean; NaN of nothing.
    mean => ReduceMean,
    /// The greatest element; NaN if one is NaN. The gradient goes to the first of equal ones.
    max => ReduceMax,
    /// The least element; NaN if one is NaN. The gradient goes to the first of equal ones.
    min => ReduceMin,
    /// The product; 1 of nothing.
    product => ReduceProd,
    /// The square root of the sum of squares.
    norm => ReduceL2,
    /// The logarithm of the sum of exponentials.
    log_sum_exp => ReduceLogSumExp,
}

impl Var {
    /// Where the greatest element along an axis is, the first of equal ones; without that axis. There is no gradient.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for an axis that does not exist or has no elements.
    pub fn arg_max(&self, axis: i64) -> Result<Self, EagerError> {
        apply(
            &ops::ArgMax { axis, keeps_axis: false, tie: stratal_kernels::reduce::Tie::First },
            &[Some(&self.detach())],
        )
    }
}

fn reduce<O: Operator + Clone>(x: &Var, operator: &O, axes: &[i64]) -> Result<Var, EagerError> {
    if axes.is_empty() {
        return apply(operator, &[Some(x)]);
    }
    apply(operator, &[Some(x), Some(&Tensor::from_slice(axes, &[axes.len() as i64])?.into())])
}
