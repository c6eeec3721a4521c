//! `Mod`: what division leaves.

use stratal_kernels::map;

use super::binary;
use crate::{Definition, Extent, ExtentError, dtypes};

/// What division of the first operand by the second one leaves. Operands broadcast.
///
/// A divisor of zero is an error for integers, and gives NaN for floats. What the smallest integer leaves by -1 is 0.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mod {
    /// Whether quotients are rounded toward zero, so that results have the sign of the dividend: `fmod` in ONNX. Otherwise
    /// they are rounded down, and results have the sign of the divisor.
    pub truncated: bool,
}

impl Mod {
    /// What is known of it.
    pub const DEFINITION: Definition = binary::definition("Mod", 28, dtypes::NUMBERS, &["fmod"], |node| {
        Ok(Box::new(Self { truncated: node.flag("fmod", false)? }))
    });
}

binary::operator!(Mod, dyn |modulo| if modulo.truncated { &map::Remainder } else { &map::Modulo }, rest);

/// What is left of a quotient, if that is the same rounded down and toward zero.
fn rest(a: &Extent, b: &Extent) -> Option<Result<Extent, ExtentError>> {
    let left = || a.subtract(&a.divide_floor(b)?.multiply(b)?);
    (a.is_never_negative() && b.is_never_negative()).then(left)
}
