//! `Cos`: the cosine.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The cosine of angles in radians; NaN for infinities.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cos;

impl Cos {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Cos", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Cos, |_| map::Cos);
