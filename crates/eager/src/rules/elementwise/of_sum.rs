//! Activations of the sum of an operand and a bias.

use super::unary::{Slope, times_slope};
use crate::EagerError;
use crate::derivative::{Call, Gradients};

/// The gradients of an operand and a bias, which may be left out: that of their sum, which is summed to the bias.
pub(super) fn by_slope_of_sum(slope: impl Slope, call: &Call<'_>) -> Result<Gradients, EagerError> {
    let x = call.input(0)?;
    let sum = if call.is_given(1) { x.add(&call.input(1)?)? } else { x };
    let gradient = times_slope(slope, call, &call.gradient()?, &sum)?;
    let of = |input| call.wanted_summed(input, || Ok(gradient.clone()));
    Ok([of(0)?, of(1)?].into())
}
