//! `GroupNormalization`: the gradient of normalised rows, which are groups of the channels of each image.

use stratal_kernels::Centre;
use stratal_ops::GroupNormalization;

use super::normalized_rows::{NormalizedRows, computed};
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::views::extents;
use crate::{EagerError, Var};

impl Derivative for GroupNormalization {
    fn saves(&self, need: &Need<'_>) -> Saves {
        let needs_rows = need.input(0) || need.input(1);
        Saves::nothing().and_input_if(needs_rows, 0).and_input_if(need.input(0), 1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let dtype = computed([call.dtype(0), self.stash_dtype]);
        let gradient = call.gradient()?.cast(dtype)?;
        let narrowed = |gradient: Var| gradient.cast(call.dtype(0));
        let bias = call.wanted(2, || narrowed(gradient.sum_of_channels()?))?;
        if !call.needs(0) && !call.needs(1) {
            return Ok([None, None, bias].into());
        }
        let mut grouped = extents(call.shape(0));
        grouped[1] /= self.num_groups.max(1);
        grouped.insert(1, self.num_groups);
        let x = call.input(0)?.cast(dtype)?.reshape(&grouped)?;
        let rows = NormalizedRows::of(&x, 2, Centre::Mean, self.epsilon)?;
        let x = call.wanted(0, || {
            let scale = call.input(1)?.cast(dtype)?.along_channels(call.shape(0).rank())?;
            let gradient = gradient.mul(&scale)?.reshape(&grouped)?;
            narrowed(rows.gradient(&gradient, None)?.reshape_to(call.shape(0))?)
        })?;
        let scale =
            call.wanted(1, || narrowed(gradient.mul(&rows.elements.reshape_to(call.shape(0))?)?.sum_of_channels()?))?;
        Ok([x, scale, bias].into())
    }
}
