//! `ReduceLogSumExp`: logarithms of sums of exponentials.

use stratal_kernels::reduce;

use super::over_axes;
use crate::{Definition, dtypes};

/// The natural logarithm of the sum of `e^x` over all elements along axes.
///
/// Nothing overflows on the way. It is -inf of no elements and of negative infinities, +inf where one is, NaN where one is.
#[derive(Debug, Clone, Copy)]
pub struct ReduceLogSumExp {
    /// Whether the axes stay, with extent 1.
    pub keep_dims: bool,
    /// Whether no axes mean that each element is reduced by itself. Else they mean all.
    pub noop_with_empty_axes: bool,
}

impl ReduceLogSumExp {
    /// What is known of it.
    pub const DEFINITION: Definition = over_axes::definition("ReduceLogSumExp", 28, dtypes::FLOATS, |node| {
        let (keep_dims, noop_with_empty_axes) = over_axes::attributes(node)?;
        Ok(Box::new(Self { keep_dims, noop_with_empty_axes }))
    });
}

over_axes::operator!(ReduceLogSumExp, |_| &reduce::LogSumExp);
