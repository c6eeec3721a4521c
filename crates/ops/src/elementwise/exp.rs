//! `Exp`: the exponential function.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The exponential function. What is below all subnormal numbers is 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Exp;

impl Exp {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Exp", 13, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Exp, |_| map::Exp);
