//! `LSTM`: the gradient of `cell = forget * cell + input * new` and `state = output * h(cell)`, back through all steps.

use stratal_ops::{Activation, Lstm};

use super::activation::Functions;
use super::layer::{self, Cell};
use crate::composed::{Composed, given};
use crate::{EagerError, Var};

impl Composed for Lstm {
    fn compose(&self, inputs: &[Option<Var>]) -> Result<Vec<Var>, EagerError> {
        let own = [Activation::Sigmoid, Activation::Tanh, Activation::Tanh];
        layer::compose(&self.recurrence, inputs, |direction, weights| {
            let peepholes = given(inputs, 7).map(|peepholes| {
                let peepholes = peepholes.select(0, direction as i64)?;
                let hidden = weights.state.extent(1)? as i64;
                let of = |gate: i64| peepholes.narrow(0, gate * hidden, hidden);
                Ok::<_, EagerError>(Peepholes { input: of(0)?, output: of(1)?, forget: of(2)? })
            });
            Ok(LstmCell {
                state: weights.state.t()?,
                bias: weights.bias()?,
                peepholes: peepholes.transpose()?,
                functions: Functions::of(&self.recurrence, direction, own),
                input_forget: self.input_forget,
            })
        })
    }
}

struct LstmCell {
    /// The weights of the state, `[hidden, 4 * hidden]`, to its right.
    state: Var,
    bias: Option<Var>,
    peepholes: Option<Peepholes>,
    functions: Functions<3>,
    /// Whether what is forgotten is what is let in.
    input_forget: bool,
}

/// What the cell brings to gates, by each of its elements.
struct Peepholes {
    input: Var,
    output: Var,
    forget: Var,
}

impl Cell<2> for LstmCell {
    fn bias(&self) -> Option<&Var> {
        self.bias.as_ref()
    }

    fn step(&self, gates: &Var, [hidden, cell]: &[Var; 2]) -> Result<[Var; 2], EagerError> {
        let size = hidden.extent(1)? as i64;
        let gates = gates.add(&hidden.matmul(&self.state)?)?;
        let gates = gates.split(&[size; 4], 1)?;
        let gate = |gate: &Var, peephole: Option<&Var>, cell: &Var| match peephole {
            Some(peephole) => self.functions.apply(0, &gate.add(&peephole.mul(cell)?)?),
            None => self.functions.apply(0, gate),
        };
        let holes = self.peepholes.as_ref();
        let input = gate(&gates[0], holes.map(|holes| &holes.input), cell)?;
        let forget = if self.input_forget {
            input.neg()?.add(1.0)?
        } else {
            gate(&gates[2], holes.map(|holes| &holes.forget), cell)?
        };
        let new = self.functions.apply(1, &gates[3])?;
        let cell = forget.mul(cell)?.add(&input.mul(&new)?)?;
        // The gate of the output looks at the new cell.
        let output = gate(&gates[1], holes.map(|holes| &holes.output), &cell)?;
        let hidden = output.mul(&self.functions.apply(2, &cell)?)?;
        Ok([hidden, cell])
    }
}
