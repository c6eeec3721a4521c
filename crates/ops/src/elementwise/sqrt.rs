//! `Sqrt`: the square root.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The square root, rounded once; NaN below zero, and a negative zero stays.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sqrt;

impl Sqrt {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Sqrt", 13, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Sqrt, |_| map::Sqrt);
