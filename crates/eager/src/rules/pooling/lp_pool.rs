//! `LpPool`: `g * sign(x) * (|x| / y)^(p - 1)`, summed over the windows that see an element; zero where the norm is.

use stratal_ops::{AveragePool, LpPool};

use super::norm::{odd_power, through_norm};
use super::spread::spread;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var, apply};

impl Derivative for LpPool {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(0).and_output(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (gradient, x, shape) = (call.gradient()?, call.input(0)?, call.shape(0));
        let each = through_norm(&gradient, &call.output(0)?, self.power)?;
        // What is spread as if it were an average is multiplied by the number of elements before.
        let counts = LpPool { power: 1, ..self.clone() };
        let counts = apply(&counts, &[Some(&Var::full(&[], 1.0, x.dtype())?.expand_to(shape)?)])?;
        let average = AveragePool { windows: self.windows.clone(), count_padding: false };
        Ok(spread(&each.mul(&counts)?, &average, shape)?.mul(&odd_power(&x, self.power)?)?.into())
    }
}
