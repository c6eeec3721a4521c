//! `Atanh`: the inverse of the hyperbolic tangent.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The inverse of the hyperbolic tangent: infinite at -1 and 1, NaN beyond.
#[derive(Debug, Clone, Copy, Default)]
pub struct Atanh;

impl Atanh {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Atanh", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Atanh, |_| map::Atanh);
