//! `Asin`: the arc sine.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The arc sine, in radians from -pi/2 to pi/2; NaN outside of -1 to 1.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asin;

impl Asin {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Asin", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Asin, |_| map::Asin);
