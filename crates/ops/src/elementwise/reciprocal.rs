//! `Reciprocal`: one over each element.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// One over each element: infinite for zeros, with their sign.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reciprocal;

impl Reciprocal {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Reciprocal", 13, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Reciprocal, |_| map::Reciprocal);
