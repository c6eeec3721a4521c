//! Integers shifted left.
//!
//! The distance is read as an unsigned number; from the width on the result is 0.

use super::bits::{BitsFormula, binary_on_bits};
use crate::Integer;

/// `a << b`.
#[derive(Debug, Clone, Copy)]
pub struct ShiftLeft;

impl BitsFormula for ShiftLeft {
    const NAME: &'static str = "shift_left";

    const HAS_TRUTHS: bool = false;

    #[inline(always)]
    fn integer<T: Integer>(self, a: T, b: T) -> T {
        a.shl(b)
    }
}

binary_on_bits!(ShiftLeft);
