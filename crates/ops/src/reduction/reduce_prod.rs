//! `ReduceProd`: products.

use stratal_kernels::reduce;

use super::over_axes::{self, OfExtents};
use crate::{Definition, Extent, dtypes};

/// The product of all elements along axes; 1 of none. Integers wrap.
#[derive(Debug, Clone, Copy)]
pub struct ReduceProd {
    /// Whether the axes stay, with extent 1.
    pub keep_dims: bool,
    /// Whether no axes mean that each element is reduced by itself. Else they mean all.
    pub noop_with_empty_axes: bool,
}

impl ReduceProd {
    /// What is known of it.
    pub const DEFINITION: Definition = over_axes::definition("ReduceProd", 18, dtypes::NUMBERS, |node| {
        let (keep_dims, noop_with_empty_axes) = over_axes::attributes(node)?;
        Ok(Box::new(Self { keep_dims, noop_with_empty_axes }))
    });
}

over_axes::operator!(ReduceProd, |_| &reduce::Prod, Some(OfExtents { neutral: Some(1), combine: Extent::multiply }));
