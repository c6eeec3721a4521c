//! `Cosh`: the hyperbolic cosine.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The hyperbolic cosine.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cosh;

impl Cosh {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Cosh", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Cosh, |_| map::Cosh);
