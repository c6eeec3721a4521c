//! `BitwiseOr`: bits that one of two integers has.

use stratal_kernels::map;

use super::binary;
use crate::{Definition, dtypes};

/// The bits that are set in at least one of two integers. Operands broadcast.
#[derive(Debug, Clone, Copy, Default)]
pub struct BitwiseOr;

impl BitwiseOr {
    /// What is known of it.
    pub const DEFINITION: Definition =
        binary::definition("BitwiseOr", 18, dtypes::INTEGERS, &[], |_| Ok(Box::new(Self)));
}

binary::operator!(commutative BitwiseOr, |_| map::Or, |_, _| None);
