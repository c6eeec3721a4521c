//! `Ceil`: the next integer up.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The least integer that is not below each element. Infinities, NaN and the sign of zero stay.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ceil;

impl Ceil {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Ceil", 13, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Ceil, |_| map::Ceil);
