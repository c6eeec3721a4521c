//! `Less`: whether elements are less.

use stratal_kernels::map;

use super::elements::is_less;
use super::{binary, comparison};
use crate::{Definition, dtypes};

/// Whether the elements of the first operand are less than those of the second one. Operands broadcast; for NaN it is
/// false.
#[derive(Debug, Clone, Copy, Default)]
pub struct Less;

impl Less {
    /// What is known of it.
    pub const DEFINITION: Definition = binary::definition("Less", 13, dtypes::NUMBERS, &[], |_| Ok(Box::new(Self)));
}

comparison::operator!(Less, |_| map::Less, is_less);
