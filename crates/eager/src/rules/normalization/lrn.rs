//! `LRN`: through sums of squares, powers and products.

use stratal_ops::LRN;

use super::normalized_rows::computed;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves, by_composition};
use crate::views::extents;
use crate::{EagerError, Var};

impl Derivative for LRN {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        by_composition(call, |inputs| {
            let x = inputs[0].as_ref().ok_or_else(|| EagerError::Unfit("input 0 was left out".into()))?;
            let x = x.cast(computed([x.dtype()]))?;
            let alpha = f64::from(self.alpha) / self.size as f64;
            let base = window_sum(&x.square()?, self.size)?.mul(alpha)?.add(f64::from(self.bias))?;
            Ok(vec![x.mul(&base.pow(-f64::from(self.beta))?)?.cast(call.dtype(0))?])
        })
    }
}

/// The sum of a window of channels around each one. What is outside counts as zero.
fn window_sum(x: &Var, size: i64) -> Result<Var, EagerError> {
    let channels = x.extent(1)? as i64;
    // A larger window sees all channels from everywhere too.
    let size = size.min(2 * channels + 1);
    let mut padded = extents(x.shape());
    padded[1] = channels + size - 1;
    let padded = x.placed_along(&stratal_tensor_base::Shape::new(&padded)?, 1, (size - 1) / 2)?;
    (1..size).try_fold(padded.narrow(1, 0, channels)?, |sum, at| sum.add(&padded.narrow(1, at, channels)?))
}
