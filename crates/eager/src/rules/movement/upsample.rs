//! `Upsample`: each element gives its gradient to those that it was made of, by their weights.

use stratal_kernels::resize::{Coordinates, Interpolation, Nearest};
use stratal_ops::{Resize, Upsample};

use super::taps;
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};

impl Derivative for Upsample {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let interpolation = if self.is_linear { Interpolation::Linear } else { Interpolation::Nearest(Nearest::Floor) };
        let resize = Resize { interpolation, coordinates: Coordinates::Asymmetric, ..Resize::default() };
        Ok(taps::gradient(call, &resize, None, call.numbers(1)?.as_deref())?.into())
    }
}
