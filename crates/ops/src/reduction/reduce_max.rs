//! `ReduceMax`: greatest elements.

use stratal_kernels::reduce;
use stratal_tensor_base::DType;

use super::over_axes::{self, OfExtents};
use crate::{Definition, Extent, dtypes};

/// The greatest of all elements along axes.
///
/// NaN where an element is NaN, wherever it stands. Of no elements -inf, or the least number of an integer dtype. Of truths
/// whether any is true.
#[derive(Debug, Clone, Copy)]
pub struct ReduceMax {
    /// Whether the axes stay, with extent 1.
    pub keep_dims: bool,
    /// Whether no axes mean that each element is reduced by itself. Else they mean all.
    pub noop_with_empty_axes: bool,
}

impl ReduceMax {
    /// What is known of it.
    pub const DEFINITION: Definition = over_axes::definition("ReduceMax", 20, dtypes::ALL, |node| {
        let (keep_dims, noop_with_empty_axes) = over_axes::attributes(node)?;
        Ok(Box::new(Self { keep_dims, noop_with_empty_axes }))
    });
}

over_axes::operator!(
    ReduceMax,
    |dtype| if dtype == DType::Bool { &reduce::Any } else { &reduce::Max },
    Some(OfExtents { neutral: None, combine: Extent::maximum })
);
