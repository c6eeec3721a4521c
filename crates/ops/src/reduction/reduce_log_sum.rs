//! `ReduceLogSum`: logarithms of sums.

use stratal_kernels::reduce;

use super::over_axes;
use crate::{Definition, dtypes};

/// The natural logarithm of the sum of all elements along axes: -inf of none, NaN for a sum below zero.
#[derive(Debug, Clone, Copy)]
pub struct ReduceLogSum {
    /// Whether the axes stay, with extent 1.
    pub keep_dims: bool,
    /// Whether no axes mean that each element is reduced by itself. Else they mean all.
    pub noop_with_empty_axes: bool,
}

impl ReduceLogSum {
    /// What is known of it.
    pub const DEFINITION: Definition = over_axes::definition("ReduceLogSum", 28, dtypes::FLOATS, |node| {
        let (keep_dims, noop_with_empty_axes) = over_axes::attributes(node)?;
        Ok(Box::new(Self { keep_dims, noop_with_empty_axes }))
    });
}

over_axes::operator!(ReduceLogSum, |_| &reduce::LogSum);
