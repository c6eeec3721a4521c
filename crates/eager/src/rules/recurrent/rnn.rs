//! `RNN`: the gradient of `f(x * W^T + state * R^T + bias)`, back through all steps.

use stratal_ops::{Activation, Rnn};

use super::activation::Functions;
use super::layer::{self, Cell};
use crate::composed::Composed;
use crate::{EagerError, Var};

impl Composed for Rnn {
    fn compose(&self, inputs: &[Option<Var>]) -> Result<Vec<Var>, EagerError> {
        layer::compose(&self.recurrence, inputs, |direction, weights| {
            Ok(RnnCell {
                state: weights.state.t()?,
                bias: weights.bias()?,
                functions: Functions::of(&self.recurrence, direction, [Activation::Tanh]),
            })
        })
    }
}

struct RnnCell {
    /// The weights of the state, `[hidden, hidden]`, to its right.
    state: Var,
    bias: Option<Var>,
    functions: Functions<1>,
}

impl Cell<1> for RnnCell {
    fn bias(&self) -> Option<&Var> {
        self.bias.as_ref()
    }

    fn step(&self, gates: &Var, [hidden]: &[Var; 1]) -> Result<[Var; 1], EagerError> {
        Ok([self.functions.apply(0, &gates.add(&hidden.matmul(&self.state)?)?)?])
    }
}
