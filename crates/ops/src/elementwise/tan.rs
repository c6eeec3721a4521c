//! `Tan`: the tangent.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The tangent of angles in radians; NaN for infinities.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tan;

impl Tan {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Tan", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Tan, |_| map::Tan);
