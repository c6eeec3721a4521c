//! `Atan`: the arc tangent.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The arc tangent, in radians from -pi/2 to pi/2, which infinities give.
#[derive(Debug, Clone, Copy, Default)]
pub struct Atan;

impl Atan {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Atan", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Atan, |_| map::Atan);
