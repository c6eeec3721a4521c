//! `Floor`: the next integer down.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The greatest integer that is not above each element. Infinities, NaN and the sign of zero stay.
#[derive(Debug, Clone, Copy, Default)]
pub struct Floor;

impl Floor {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Floor", 13, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Floor, |_| map::Floor);
