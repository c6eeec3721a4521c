//! `FusedMatMul`: the gradients of the product of what was turned, turned back.

use smallvec::SmallVec;
use stratal_ops::{FusedMatMul, Turn};

use super::factors::{left_gradient, right_gradient};
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var};

impl Derivative for FusedMatMul {
    fn saves(&self, need: &Need<'_>) -> Saves {
        Saves::nothing().and_input_if(need.input(1), 0).and_input_if(need.input(0), 1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let gradient = call.gradient()?;
        let turned = |input: usize, turn: Turn| call.input(input)?.permute(&axes(turn, call.shape(input).rank()));
        let a = call.wanted(0, || {
            let a = turned_shape(call.shape(0), self.a)?;
            back(&left_gradient(&gradient, &a, &turned(1, self.b)?, self.alpha)?, self.a)
        })?;
        let b = call.wanted(1, || {
            let b = turned_shape(call.shape(1), self.b)?;
            back(&right_gradient(&gradient, &turned(0, self.a)?, &b, self.alpha)?, self.b)
        })?;
        Ok([a, b].into())
    }
}

/// Where each axis of what is turned comes from.
fn axes(turn: Turn, rank: usize) -> SmallVec<[i64; 8]> {
    let mut axes: SmallVec<[i64; 8]> = (0..rank as i64).collect();
    if rank >= 2 {
        if turn.batch {
            axes[..rank - 1].rotate_left(1);
        }
        if turn.matrix {
            axes.swap(rank - 2, rank - 1);
        }
    }
    axes
}

fn turned_shape(shape: &stratal_tensor_base::Shape, turn: Turn) -> Result<stratal_tensor_base::Shape, EagerError> {
    let turned: SmallVec<[i64; 8]> =
        axes(turn, shape.rank()).iter().map(|&axis| shape.extent(axis as usize) as i64).collect();
    Ok(stratal_tensor_base::Shape::new(&turned)?)
}

/// What was turned, as it was before.
fn back(turned: &Var, turn: Turn) -> Result<Var, EagerError> {
    let axes = axes(turn, turned.rank());
    let mut inverse: SmallVec<[i64; 8]> = axes.clone();
    for (to, &from) in axes.iter().enumerate() {
        inverse[from as usize] = to as i64;
    }
    turned.permute(&inverse)
}
