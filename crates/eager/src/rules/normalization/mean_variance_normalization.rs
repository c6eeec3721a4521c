//! `MeanVarianceNormalization`: the gradient of normalised rows, along any axes.

use smallvec::SmallVec;
use stratal_kernels::Centre;
use stratal_ops::MeanVarianceNormalization;

use super::normalized_rows::{NormalizedRows, computed};
use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::rules::reduction::Rows;
use crate::views::extents;

/// What is added to the variance.
const EPSILON: f32 = 1e-18;

impl Derivative for MeanVarianceNormalization {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(0)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let dtype = computed([call.dtype(0)]);
        let shape = call.shape(0);
        let mut kept: SmallVec<[i64; 8]> = extents(shape);
        for &axis in &self.axes {
            kept[shape.axis(axis)?] = 1;
        }
        let seen = Rows::of(shape, &stratal_tensor_base::Shape::new(&kept)?);
        let x = seen.see(&call.input(0)?.cast(dtype)?)?;
        let rows = NormalizedRows::of(&x, 1, Centre::Mean, EPSILON)?;
        let gradient = rows.gradient(&seen.see(&call.gradient()?.cast(dtype)?)?, None)?;
        Ok(seen.back(&gradient)?.cast(call.dtype(0))?.into())
    }
}
