//! `BitwiseNot`: integers with all bits inverted.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// Integers with all of their bits inverted.
#[derive(Debug, Clone, Copy, Default)]
pub struct BitwiseNot;

impl BitwiseNot {
    /// What is known of it.
    pub const DEFINITION: Definition =
        unary::definition("BitwiseNot", 18, dtypes::INTEGERS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(BitwiseNot, |_| map::Not);
