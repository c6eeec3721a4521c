//! `BitwiseXor`: bits in which integers differ.

use stratal_kernels::map;

use super::binary;
use crate::{Definition, dtypes};

/// The bits that are set in just one of two integers. Operands broadcast.
#[derive(Debug, Clone, Copy, Default)]
pub struct BitwiseXor;

impl BitwiseXor {
    /// What is known of it.
    pub const DEFINITION: Definition =
        binary::definition("BitwiseXor", 18, dtypes::INTEGERS, &[], |_| Ok(Box::new(Self)));
}

binary::operator!(commutative BitwiseXor, |_| map::Xor, |_, _| None);
