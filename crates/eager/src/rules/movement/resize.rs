//! `Resize`: each element gives its gradient to those that it was made of, by their weights. Regions and factors have none.

use stratal_ops::Resize;

use super::taps;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Resize {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs([1, 2])
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let region = if taps::is_cropped(self) { call.numbers(1)? } else { None };
        Ok(taps::gradient(call, self, region.as_deref(), call.numbers(2)?.as_deref())?.into())
    }
}
