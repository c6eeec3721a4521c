//! `Asinh`: the inverse of the hyperbolic sine.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The inverse of the hyperbolic sine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asinh;

impl Asinh {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Asinh", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Asinh, |_| map::Asinh);
