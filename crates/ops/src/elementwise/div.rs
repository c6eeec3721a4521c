//! `Div`: quotients.

use stratal_kernels::map;

use super::binary;
use crate::{Definition, Extent, ExtentError, dtypes};

/// The quotient of two operands that broadcast. That of integers is rounded toward zero: the smallest one by -1 wraps, and one
/// by zero is an error.
#[derive(Debug, Clone, Copy, Default)]
pub struct Div;

impl Div {
    /// What is known of it.
    pub const DEFINITION: Definition = binary::definition("Div", 14, dtypes::NUMBERS, &[], |_| Ok(Box::new(Self)));
}

binary::operator!(Div, |_| map::Div, quotient);

/// The quotient rounded toward zero, if it can be expressed: that of symbols is rounded down, which is the same above zero.
fn quotient(a: &Extent, b: &Extent) -> Option<Result<Extent, ExtentError>> {
    if let (Some(a), Some(b)) = (a.known(), b.known()) {
        return a.checked_div(b).map(|quotient| Ok(quotient.into()));
    }
    (a.is_never_negative() && b.is_never_negative()).then(|| a.divide_floor(b))
}
