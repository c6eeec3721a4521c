//! `ReduceMean`: arithmetic means.

use stratal_kernels::reduce;

use super::over_axes;
use crate::{Definition, dtypes};

/// The arithmetic mean of all elements along axes; NaN of none.
///
/// That of integers is exact and rounded toward zero; of no integers it is an error.
#[derive(Debug, Clone, Copy)]
pub struct ReduceMean {
    /// Whether the axes stay, with extent 1.
    pub keep_dims: bool,
    /// Whether no axes mean that each element is reduced by itself. Else they mean all.
    pub noop_with_empty_axes: bool,
}

impl ReduceMean {
    /// What is known of it.
    pub const DEFINITION: Definition = over_axes::definition("ReduceMean", 18, dtypes::NUMBERS, |node| {
        let (keep_dims, noop_with_empty_axes) = over_axes::attributes(node)?;
        Ok(Box::new(Self { keep_dims, noop_with_empty_axes }))
    });
}

over_axes::operator!(ReduceMean, |_| &reduce::Mean);
