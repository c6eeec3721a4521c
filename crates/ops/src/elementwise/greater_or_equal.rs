//! `GreaterOrEqual`: whether elements are not less.

use stratal_kernels::map;

use super::elements::is_less;
use super::{binary, comparison};
use crate::{Definition, dtypes};

/// Whether the elements of the first operand are greater than those of the second one, or equal. Operands broadcast; for
/// NaN it is false.
#[derive(Debug, Clone, Copy, Default)]
pub struct GreaterOrEqual;

impl GreaterOrEqual {
    /// What is known of it.
    pub const DEFINITION: Definition =
        binary::definition("GreaterOrEqual", 16, dtypes::NUMBERS, &[], |_| Ok(Box::new(Self)));
}

comparison::operator!(GreaterOrEqual, |_| map::GreaterOrEqual, |a, b| is_less(a, b).map(|is_less| !is_less));
