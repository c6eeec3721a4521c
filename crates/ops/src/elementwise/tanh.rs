//! `Tanh`: the hyperbolic tangent.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The hyperbolic tangent, never outside of -1 to 1.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tanh;

impl Tanh {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Tanh", 13, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Tanh, |_| map::Tanh);
