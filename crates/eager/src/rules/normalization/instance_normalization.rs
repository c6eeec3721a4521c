//! `InstanceNormalization`: the gradient of normalised rows, which are the channels of each image.

use stratal_kernels::Centre;
use stratal_ops::InstanceNormalization;

use super::normalized_rows::{NormalizedRows, computed};
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var};

impl Derivative for InstanceNormalization {
    fn saves(&self, need: &Need<'_>) -> Saves {
        let needs_rows = need.input(0) || need.input(1);
        Saves::nothing().and_input_if(needs_rows, 0).and_input_if(need.input(0), 1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let dtype = computed([call.dtype(0)]);
        let gradient = call.gradient()?.cast(dtype)?;
        let narrowed = |gradient: Var| gradient.cast(call.dtype(0));
        let bias = call.wanted(2, || narrowed(gradient.sum_of_channels()?))?;
        if !call.needs(0) && !call.needs(1) {
            return Ok([None, None, bias].into());
        }
        // Of images without axes of their own, each channel is a row of one element.
        let rank = call.shape(0).rank();
        let as_rows = |var: &Var| if rank == 2 { var.unsqueeze(-1) } else { Ok(var.clone()) };
        let rows = NormalizedRows::of(&as_rows(&call.input(0)?.cast(dtype)?)?, 2, Centre::Mean, self.epsilon)?;
        let gradient = as_rows(&gradient)?;
        let x = call.wanted(0, || {
            let scale = call.input(1)?.cast(dtype)?.along_channels(gradient.rank())?;
            narrowed(rows.gradient(&gradient, Some(&scale))?.reshape_to(call.shape(0))?)
        })?;
        let scale = call.wanted(1, || narrowed(gradient.mul(&rows.elements)?.sum_of_channels()?))?;
        Ok([x, scale, bias].into())
    }
}
