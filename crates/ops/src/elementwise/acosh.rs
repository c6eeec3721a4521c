//! `Acosh`: the inverse of the hyperbolic cosine.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The inverse of the hyperbolic cosine, from 0 up; NaN below 1.
#[derive(Debug, Clone, Copy, Default)]
pub struct Acosh;

impl Acosh {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Acosh", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Acosh, |_| map::Acosh);
