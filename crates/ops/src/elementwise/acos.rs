//! `Acos`: the arc cosine.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The arc cosine, in radians from 0 to pi; NaN outside of -1 to 1.
#[derive(Debug, Clone, Copy, Default)]
pub struct Acos;

impl Acos {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Acos", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Acos, |_| map::Acos);
