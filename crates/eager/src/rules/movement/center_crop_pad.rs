//! `CenterCropPad`: the gradient without what was added, with zeros for what was cropped.

use stratal_ops::CenterCropPad;

use super::cropped::without_pads;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients};
use crate::views::extents;

impl Derivative for CenterCropPad {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let gradient = call.gradient()?;
        let (from, to) = (extents(call.shape(0)), extents(gradient.shape()));
        // As the operator shares out what it adds: of an odd number more at the end.
        let before: Vec<i64> = from.iter().zip(&to).map(|(from, to)| (to - from) / 2).collect();
        let after: Vec<i64> =
            from.iter().zip(&to).zip(&before).map(|((from, to), before)| to - from - before).collect();
        Ok(without_pads(&gradient, &before, &after)?.into())
    }
}
