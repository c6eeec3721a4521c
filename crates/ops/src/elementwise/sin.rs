//! `Sin`: the sine.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The sine of angles in radians; NaN for infinities.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sin;

impl Sin {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Sin", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Sin, |_| map::Sin);
