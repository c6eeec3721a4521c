//! Conjunction: of truths, and of the bits of integers.

use super::bits::{BitsFormula, binary_on_bits};
use crate::Integer;

/// `a & b`.
#[derive(Debug, Clone, Copy)]
pub struct And;

impl BitsFormula for And {
    const NAME: &'static str = "and";

    const HAS_TRUTHS: bool = true;

    #[inline(always)]
    fn integer<T: Integer>(self, a: T, b: T) -> T {
        a.and(b)
    }

    #[inline(always)]
    fn truth(self, a: bool, b: bool) -> bool {
        a & b
    }
}

binary_on_bits!(And);
