//! `LessOrEqual`: whether elements are not greater.

use stratal_kernels::map;

use super::elements::is_less;
use super::{binary, comparison};
use crate::{Definition, dtypes};

/// Whether the elements of the first operand are less than those of the second one, or equal. Operands broadcast; for NaN
/// it is false.
#[derive(Debug, Clone, Copy, Default)]
pub struct LessOrEqual;

impl LessOrEqual {
    /// What is known of it.
    pub const DEFINITION: Definition =
        binary::definition("LessOrEqual", 16, dtypes::NUMBERS, &[], |_| Ok(Box::new(Self)));
}

comparison::operator!(LessOrEqual, |_| map::LessOrEqual, |a, b| is_less(b, a).map(|is_less| !is_less));
