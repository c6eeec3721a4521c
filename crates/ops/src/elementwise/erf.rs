//! `Erf`: the error function.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The error function: -1 to 1, and accurate near zero too.
#[derive(Debug, Clone, Copy, Default)]
pub struct Erf;

impl Erf {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Erf", 13, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Erf, |_| map::Erf);
