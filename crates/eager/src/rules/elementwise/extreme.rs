//! The greatest or least of some operands.

use crate::derivative::{Call, Gradients, Need, Saves};
use crate::{EagerError, Var};

/// All operands, and the result.
pub(super) fn saves(need: &Need<'_>) -> Saves {
    Saves::inputs(0..need.count()).and_output(0)
}

/// Each element of the gradient goes to the operand that was chosen; those that tie have equal shares. Where the result is NaN
/// no operand has lost against it, and each has its share.
pub(super) fn shared(
    call: &Call<'_>,
    loses: fn(&Var, &Var) -> Result<Var, EagerError>,
) -> Result<Gradients, EagerError> {
    let (gradient, y) = (call.gradient()?, call.output(0)?);
    let (zero, one) = (y.number(0.0)?, y.number(1.0)?);
    let has_lost =
        (0..call.input_count()).map(|input| loses(&call.input(input)?, &y)).collect::<Result<Vec<_>, _>>()?;
    let mut winners = zero.clone();
    for has_lost in &has_lost {
        winners = winners.add(&has_lost.select_by(&zero, &one)?)?;
    }
    let share = gradient.div(&winners)?;
    let of = |(input, has_lost): (usize, &Var)| call.wanted_summed(input, || has_lost.select_by(&zero, &share));
    has_lost.iter().enumerate().map(of).collect()
}
