//! `ReduceSumSquare`: sums of squares.

use stratal_kernels::reduce;

use super::over_axes;
use crate::{Definition, dtypes};

/// The sum of the squares of all elements along axes; 0 of none. Integers wrap.
#[derive(Debug, Clone, Copy)]
pub struct ReduceSumSquare {
    /// Whether the axes stay, with extent 1.
    pub keep_dims: bool,
    /// Whether no axes mean that each element is reduced by itself. Else they mean all.
    pub noop_with_empty_axes: bool,
}

impl ReduceSumSquare {
    /// What is known of it.
    pub const DEFINITION: Definition = over_axes::definition("ReduceSumSquare", 18, dtypes::NUMBERS, |node| {
        let (keep_dims, noop_with_empty_axes) = over_axes::attributes(node)?;
        Ok(Box::new(Self { keep_dims, noop_with_empty_axes }))
    });
}

over_axes::operator!(ReduceSumSquare, |_| &reduce::SumSquare);
