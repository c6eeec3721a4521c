//! What the gradients of normalisations over the last axes have in common.

use stratal_kernels::Centre;
use stratal_tensor_base::DType;

use super::normalized_rows::{NormalizedRows, computed, total};
use crate::derivative::{Call, Gradients, Need, Saves};
use crate::{EagerError, Var};

/// A normalisation over an axis and all behind it. Inputs are the operand, a scale and perhaps a bias.
#[derive(Debug)]
pub(crate) struct LastAxes {
    pub(crate) centre: Centre,
    pub(crate) axis: i64,
    pub(crate) epsilon: f32,
    pub(crate) stash_dtype: DType,
    /// Which output the mean is, if it is one.
    pub(crate) mean: Option<usize>,
    /// Which output the inverse deviation is, if it is one.
    pub(crate) inverse_deviation: Option<usize>,
}

impl LastAxes {
    /// What the rule reads.
    pub(crate) fn saves(need: &Need<'_>) -> Saves {
        let needs_rows = need.input(0) || need.input(1);
        Saves::nothing().and_input_if(needs_rows, 0).and_input_if(need.input(0), 1)
    }

    pub(crate) fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let dtype = computed((0..2).map(|input| call.dtype(input)).chain([self.stash_dtype]));
        let gradient = |output: Option<usize>| -> Result<Option<Var>, EagerError> {
            output.and_then(|output| call.output_gradient(output)).map(|gradient| gradient.cast(dtype)).transpose()
        };
        let of_result = gradient(Some(0))?;
        let bias = of_result.as_ref().map_or_else(
            || Ok(None),
            |gradient| {
                call.is_given(2)
                    .then(|| call.wanted_summed(2, || Ok(gradient.clone())))
                    .transpose()
                    .map(Option::flatten)
            },
        )?;
        if !call.needs(0) && !call.needs(1) {
            return Ok([None, None, bias].into());
        }
        let first = call.shape(0).axis(self.axis)?;
        let rows = NormalizedRows::of(&call.input(0)?.cast(dtype)?, first, self.centre, self.epsilon)?;
        let x = call.wanted(0, || {
            let scale = call.input(1)?.cast(dtype)?;
            let of_elements = of_result.as_ref().map(|gradient| rows.gradient(&gradient.mul(&scale)?, None));
            let of_mean = gradient(self.mean)?.map(|gradient| rows.gradient_of_mean(&gradient));
            let of_inverse = gradient(self.inverse_deviation)?.map(|gradient| rows.gradient_of_inverse(&gradient));
            let sum = total([of_elements.transpose(), of_mean.transpose(), of_inverse.transpose()])?;
            sum.map_or_else(|| call.zeros_like(0), |sum| sum.cast(call.dtype(0)))
        })?;
        let scale = call.wanted_summed(1, || match &of_result {
            Some(gradient) => gradient.mul(&rows.elements),
            None => call.zeros_like(0),
        })?;
        let cast =
            |input: usize, gradient: Option<Var>| gradient.map(|gradient| gradient.cast(call.dtype(input))).transpose();
        Ok([x, cast(1, scale)?, cast(2, bias)?].into())
    }
}
