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
    /// The sum of sizes.
    l1_norm => ReduceL1,
    /// The logarithm of the sum of exponentials.
    log_sum_exp => ReduceLogSumExp,
}

impl Var {
    /// The variance: the mean square of deviations from the mean, with `correction` fewer than there are; 1 for that of a sample.
    ///
    /// No axes mean all of them; those reduced stay with extent 1 if `keep_dims`.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for axes that do not exist, or a dtype that it is not defined for.
    pub fn variance(&self, axes: &[i64], correction: f64, keep_dims: bool) -> Result<Self, EagerError> {
        let squares = self.deviations(axes)?.square()?.sum(axes, keep_dims)?;
        let count = self.reduced_count(&squares) - correction;
        squares.div(count)
    }

    /// The standard deviation: the root of the [`variance`](Self::variance). Its gradient is 0 where all elements are equal.
    ///
    /// # Errors
    /// Those of [`variance`](Self::variance).
    pub fn standard_deviation(&self, axes: &[i64], correction: f64, keep_dims: bool) -> Result<Self, EagerError> {
        let norms = self.deviations(axes)?.norm(axes, keep_dims)?;
        let count = self.reduced_count(&norms) - correction;
        norms.div(count.sqrt())
    }

    fn deviations(&self, axes: &[i64]) -> Result<Self, EagerError> {
        self.sub(&self.mean(axes, true)?)
    }

    /// How many elements each one of a reduced variable was made of.
    fn reduced_count(&self, reduced: &Self) -> f64 {
        self.shape().count() as f64 / reduced.shape().count().max(1) as f64
    }

    /// The running sum along an axis.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for an axis that does not exist.
    pub fn cumulative_sum(&self, axis: i64) -> Result<Self, EagerError> {
        self.running_sum(axis, false, false)
    }

    /// The running product along an axis. Zeros do no harm to its gradient.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for an axis that does not exist.
    pub fn cumulative_product(&self, axis: i64) -> Result<Self, EagerError> {
        self.running_product(axis, false, false)
    }

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
