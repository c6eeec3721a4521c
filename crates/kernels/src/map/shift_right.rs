//! Integers shifted right: copies of the sign come in for signed types, zeros for unsigned ones.
//!
//! The distance is read as an unsigned number; from the width on the result is 0, or -1 for negative integers.

use super::bits::{BitsFormula, binary_on_bits};
use crate::Integer;

/// `a >> b`.
#[derive(Debug, Clone, Copy)]
pub struct ShiftRight;

impl BitsFormula for ShiftRight {
    const NAME: &'static str = "shift_right";

    const HAS_TRUTHS: bool = false;

    #[inline(always)]
    fn integer<T: Integer>(self, a: T, b: T) -> T {
        a.shr(b)
    }
}

binary_on_bits!(ShiftRight);
