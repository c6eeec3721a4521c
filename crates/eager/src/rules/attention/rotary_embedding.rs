//! `RotaryEmbedding`: pairs of gradients, turned back.

use stratal_ops::RotaryEmbedding;

use super::scaled_dot_product::{extent, join_heads, split_heads};
use crate::composed::{backward_through, given, required};
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var, apply};

const COSINES: usize = 1;
const SINES: usize = 2;
const PLACES: usize = 3;

impl Derivative for RotaryEmbedding {
    fn saves(&self, need: &Need<'_>) -> Saves {
        let is_learned = need.input(COSINES) || need.input(SINES);
        Saves::inputs([COSINES, SINES, PLACES]).and_input_if(is_learned, 0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        if call.needs(COSINES) || call.needs(SINES) {
            return backward_through(call, |inputs| compose(self, inputs));
        }
        // The way back is a turn by the opposite angles.
        let (cosines, sines) = (call.input(COSINES)?, call.input(SINES)?.neg()?);
        let places = call.is_given(PLACES).then(|| call.input(PLACES)).transpose()?;
        let inputs = [Some(&call.gradient()?), Some(&cosines), Some(&sines), places.as_ref()];
        Ok(apply(self, &inputs)?.into())
    }
}

/// The turn by variables, for the gradients of cosines and sines.
fn compose(operator: &RotaryEmbedding, inputs: &[Option<Var>]) -> Result<Vec<Var>, EagerError> {
    let x = split_heads(required(inputs, 0)?, operator.num_heads)?;
    let [batch, heads, sequence, size] = [0, 1, 2, 3].map(|axis| extent(&x, axis));
    // The same angles for all heads.
    let angles = |input: usize| {
        let angles = required(inputs, input)?;
        given(inputs, PLACES).map_or(Ok(angles.clone()), |places| angles.gather(0, places))?.unsqueeze(1)
    };
    let (cosines, sines) = (angles(COSINES)?, angles(SINES)?);
    let pairs = extent(&cosines, 3);
    let turned = x.narrow(3, 0, 2 * pairs)?;
    let by_pair = [batch, heads, sequence, pairs, 2];
    let (a, b) = if operator.interleaved {
        let neighbours = turned.reshape(&by_pair)?;
        (neighbours.select(4, 0)?, neighbours.select(4, 1)?)
    } else {
        (turned.narrow(3, 0, pairs)?, turned.narrow(3, pairs, pairs)?)
    };
    let (new_a, new_b) = (cosines.mul(&a)?.sub(&sines.mul(&b)?)?, sines.mul(&a)?.add(&cosines.mul(&b)?)?);
    let turned = if operator.interleaved {
        let neighbours = Var::concat(&[&new_a.unsqueeze(4)?, &new_b.unsqueeze(4)?], 4)?;
        neighbours.reshape(&[batch, heads, sequence, 2 * pairs])?
    } else {
        Var::concat(&[&new_a, &new_b], 3)?
    };
    let result = match size - 2 * pairs {
        0 => turned,
        rest => Var::concat(&[&turned, &x.narrow(3, 2 * pairs, rest)?], 3)?,
    };
    Ok(vec![join_heads(&result, required(inputs, 0)?.rank())?])
}
