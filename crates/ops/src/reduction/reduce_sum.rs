//! `ReduceSum`: sums.

use stratal_kernels::reduce;

use super::over_axes::{self, OfExtents};
use crate::{Definition, Extent, dtypes};

/// The sum of all elements along axes; 0 of none. Integers wrap.
#[derive(Debug, Clone, Copy)]
pub struct ReduceSum {
    /// Whether the axes stay, with extent 1.
    pub keep_dims: bool,
    /// Whether no axes mean that each element is reduced by itself. Else they mean all.
    pub noop_with_empty_axes: bool,
}

impl ReduceSum {
    /// What is known of it.
    pub const DEFINITION: Definition = over_axes::definition("ReduceSum", 13, dtypes::NUMBERS, |node| {
        let (keep_dims, noop_with_empty_axes) = over_axes::attributes(node)?;
        Ok(Box::new(Self { keep_dims, noop_with_empty_axes }))
    });
}

over_axes::operator!(ReduceSum, |_| &reduce::Sum, Some(OfExtents { neutral: Some(0), combine: Extent::add }));
