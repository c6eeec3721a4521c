//! `BitwiseAnd`: bits that both integers have.

use stratal_kernels::map;

use super::binary;
use crate::{Definition, dtypes};

/// The bits that are set in both of two integers. Operands broadcast.
#[derive(Debug, Clone, Copy, Default)]
pub struct BitwiseAnd;

impl BitwiseAnd {
    /// What is known of it.
    pub const DEFINITION: Definition =
        binary::definition("BitwiseAnd", 18, dtypes::INTEGERS, &[], |_| Ok(Box::new(Self)));
}

binary::operator!(commutative BitwiseAnd, |_| map::And, |_, _| None);
