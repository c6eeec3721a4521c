//! `Sinh`: the hyperbolic sine.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The hyperbolic sine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sinh;

impl Sinh {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Sinh", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Sinh, |_| map::Sinh);
