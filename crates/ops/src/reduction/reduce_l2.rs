//! `ReduceL2`: Euclidean norms.

use stratal_kernels::reduce;

use super::over_axes;
use crate::{Definition, dtypes};

/// The root of the sum of the squares of all elements along axes; 0 of none.
///
/// That of integers is computed in f64, and rounded toward zero; one that does not fit the dtype is its greatest number.
#[derive(Debug, Clone, Copy)]
pub struct ReduceL2 {
    /// Whether the axes stay, with extent 1.
    pub keep_dims: bool,
    /// Whether no axes mean that each element is reduced by itself. Else they mean all.
    pub noop_with_empty_axes: bool,
}

impl ReduceL2 {
    /// What is known of it.
    pub const DEFINITION: Definition = over_axes::definition("ReduceL2", 18, dtypes::NUMBERS, |node| {
        let (keep_dims, noop_with_empty_axes) = over_axes::attributes(node)?;
        Ok(Box::new(Self { keep_dims, noop_with_empty_axes }))
    });
}

over_axes::operator!(ReduceL2, |_| &reduce::L2Norm);
