//! `Greater`: whether elements are greater.

use stratal_kernels::map;

use super::elements::is_less;
use super::{binary, comparison};
use crate::{Definition, dtypes};

/// Whether the elements of the first operand are greater than those of the second one. Operands broadcast; for NaN it is
/// false.
#[derive(Debug, Clone, Copy, Default)]
pub struct Greater;

impl Greater {
    /// What is known of it.
    pub const DEFINITION: Definition = binary::definition("Greater", 13, dtypes::NUMBERS, &[], |_| Ok(Box::new(Self)));
}

comparison::operator!(Greater, |_| map::Greater, |a, b| is_less(b, a));
