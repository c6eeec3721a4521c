//! What the gradients of normalisations of a sum have in common.

use stratal_kernels::Centre;

use super::normalized_rows::{NormalizedRows, computed, total};
use crate::derivative::{Call, Gradients, Need, Saves};
use crate::{EagerError, Var};

/// A normalisation over the last axis of a sum: `x + skip + bias`. Inputs are `x`, `skip`, a scale and others by their positions.
#[derive(Debug)]
pub(crate) struct Skip {
    pub(crate) centre: Centre,
    pub(crate) epsilon: f32,
    /// Which input is added to the result, if there is such a one.
    pub(crate) offset: Option<usize>,
    /// Which input is part of the sum.
    pub(crate) bias: usize,
}

/// The output that is the sum.
const SUM: usize = 3;

impl Skip {
    /// What the rule reads.
    pub(crate) fn saves(&self, need: &Need<'_>) -> Saves {
        let needs_sum = [0, 1, self.bias].into_iter().any(|input| need.input(input));
        let saves = Saves::nothing().and_input_if(needs_sum, 2);
        if needs_sum || need.input(2) { saves.and_output(SUM) } else { saves }
    }

    pub(crate) fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let dtype = computed([call.dtype(0)]);
        let gradient = |output: usize| -> Result<Option<Var>, EagerError> {
            call.output_gradient(output).map(|gradient| gradient.cast(dtype)).transpose()
        };
        let first = call.shape(0).rank() - 1;
        let of_result = gradient(0)?;
        let summands = [0, 1, self.bias];
        let needs_sum = summands.iter().any(|&input| call.needs(input));
        let rows = if needs_sum || call.needs(2) {
            let sum = call.output(SUM)?.cast(dtype)?;
            Some(NormalizedRows::of(&sum, first, self.centre, self.epsilon)?)
        } else {
            None
        };
        let of_sum = if let Some(rows) = rows.as_ref().filter(|_| needs_sum) {
            let scale = call.input(2)?.cast(dtype)?;
            let of_elements = of_result.as_ref().map(|gradient| rows.gradient(&gradient.mul(&scale)?, None));
            // Where rows are not centred, what stands for their means is 0.
            let of_mean = gradient(1)?.filter(|_| self.centre == Centre::Mean);
            let of_mean = of_mean.map(|gradient| rows.gradient_of_mean(&gradient));
            let of_inverse = gradient(2)?.map(|gradient| rows.gradient_of_inverse(&gradient));
            let sum = total([of_elements.transpose(), of_mean.transpose(), of_inverse.transpose(), gradient(SUM)])?;
            Some(sum.map_or_else(|| call.zeros_like(0), Ok)?)
        } else {
            None
        };
        let mut gradients = vec![None; call.input_count()];
        let mut give = |input: usize, gradient: Option<Var>| -> Result<(), EagerError> {
            gradients[input] = call.wanted_summed(input, || match gradient {
                Some(gradient) => gradient.cast(call.dtype(input)),
                None => call.zeros_like(input),
            })?;
            Ok(())
        };
        for input in summands.into_iter().filter(|&input| call.needs(input)) {
            give(input, of_sum.clone())?;
        }
        if let Some(rows) = rows.as_ref().filter(|_| call.needs(2)) {
            give(2, of_result.as_ref().map(|gradient| gradient.mul(&rows.elements)).transpose()?)?;
        }
        if let Some(offset) = self.offset.filter(|&offset| call.needs(offset)) {
            give(offset, of_result)?;
        }
        Ok(gradients.into_iter().collect())
    }
}
