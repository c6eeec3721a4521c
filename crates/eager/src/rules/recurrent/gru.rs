//! `GRU`: the gradient of `(1 - z) * h + z * state`, back through all steps.

use stratal_ops::{Activation, Gru};

use super::activation::Functions;
use super::layer::{self, Cell, Weights};
use crate::composed::Composed;
use crate::{EagerError, Var};

impl Composed for Gru {
    fn compose(&self, inputs: &[Option<Var>]) -> Result<Vec<Var>, EagerError> {
        layer::compose(&self.recurrence, inputs, |direction, weights| {
            let functions = Functions::of(&self.recurrence, direction, [Activation::Sigmoid, Activation::Tanh]);
            GruCell::new(weights, functions, self.linear_before_reset)
        })
    }
}

struct GruCell {
    /// The weights of the state for update and reset, `[hidden, 2 * hidden]`, to its right.
    gates: Var,
    /// Those for the new state, `[hidden, hidden]`.
    new: Var,
    bias: Option<Var>,
    /// The bias of the new state that is reset with it.
    bias_of_new: Option<Var>,
    linear_before_reset: bool,
    functions: Functions<2>,
}

impl GruCell {
    fn new(weights: &Weights, functions: Functions<2>, linear_before_reset: bool) -> Result<Self, EagerError> {
        let hidden = weights.state.extent(1)? as i64;
        let gates = weights.state.narrow(0, 0, 2 * hidden)?.t()?;
        let new = weights.state.narrow(0, 2 * hidden, hidden)?.t()?;
        let (bias, bias_of_new) = match &weights.biases {
            Some([of_inputs, of_states]) if linear_before_reset => {
                let gates = of_inputs.narrow(0, 0, 2 * hidden)?.add(&of_states.narrow(0, 0, 2 * hidden)?)?;
                let bias = Var::concat(&[&gates, &of_inputs.narrow(0, 2 * hidden, hidden)?], 0)?;
                (Some(bias), Some(of_states.narrow(0, 2 * hidden, hidden)?))
            }
            _ => (weights.bias()?, None),
        };
        Ok(Self { gates, new, bias, bias_of_new, linear_before_reset, functions })
    }
}

impl Cell<1> for GruCell {
    fn bias(&self) -> Option<&Var> {
        self.bias.as_ref()
    }

    fn step(&self, gates: &Var, [hidden]: &[Var; 1]) -> Result<[Var; 1], EagerError> {
        let size = hidden.extent(1)? as i64;
        let of_inputs = gates.split(&[2 * size, size], 1)?;
        let gates = self.functions.apply(0, &of_inputs[0].add(&hidden.matmul(&self.gates)?)?)?;
        let gates = gates.split(&[size, size], 1)?;
        let (update, reset) = (&gates[0], &gates[1]);
        let of_state = if self.linear_before_reset {
            let product = hidden.matmul(&self.new)?;
            reset.mul(&match &self.bias_of_new {
                Some(bias) => product.add(bias)?,
                None => product,
            })?
        } else {
            reset.mul(hidden)?.matmul(&self.new)?
        };
        let new = self.functions.apply(1, &of_inputs[1].add(&of_state)?)?;
        let kept = update.mul(hidden)?;
        Ok([update.neg()?.add(1.0)?.mul(&new)?.add(&kept)?])
    }
}
