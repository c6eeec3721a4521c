//! `DFT`: transforms are linear, so gradients are transformed the other way.
//!
//! With `F = sum(exp(-2 pi i k n / length) * x[n])`, the gradient of `F(x)` is `length * inverse(g)`, and that of `inverse(x)` is
//! `F(g) / length`. Of real numbers it is the real part. A number of half a spectrum that stands for two has twice the gradient.

use stratal_ops::Dft;
use stratal_tensor::Tensor;

use crate::composed::integers;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves, zeros};
use crate::{EagerError, Var, apply};
use stratal_tensor_base::Shape;

const LENGTH: usize = 1;
const AXIS: usize = 2;

impl Derivative for Dft {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs([LENGTH, AXIS])
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let shape = call.shape(0);
        if shape.is_empty() || call.output_shape(0).is_empty() {
            return Ok(call.zeros_like(0)?.into());
        }
        let number = |input: usize| match call.is_given(input) {
            true => Ok(integers(&call.input(input)?)?.first().copied()),
            false => Ok::<_, EagerError>(None),
        };
        let axis = shape.axis(number(AXIS)?.or(self.axis).unwrap_or(-2))?;
        let extent = shape.extent(axis) as i64;
        let results = call.output_shape(0).extent(axis) as i64;
        // Only of half a spectrum the number of results is not the length.
        let length = if self.onesided && !self.inverse { number(LENGTH)?.unwrap_or(extent) } else { results };

        let gradient = call.gradient()?;
        let transform = Transform { axis: axis as i64, length };
        let gradient = match (self.inverse, self.onesided) {
            (false, _) => transform.inverse(&gradient)?.mul(length as f64)?,
            (true, false) => transform.forward(&gradient, false)?.div(length as f64)?,
            (true, true) => {
                let half = transform.forward(&gradient, true)?;
                half.mul(&transform.weights(&half)?)?
            }
        };
        // Real numbers have no imaginary part, and so have their gradients.
        let parts = shape.extent(shape.rank() - 1) as i64;
        Ok(resized(&gradient.narrow(-1, 0, parts)?, axis as i64, extent)?.into())
    }
}

/// Transforms of one length along an axis.
struct Transform {
    axis: i64,
    length: i64,
}

impl Transform {
    /// Of a spectrum, which may be cut off behind any number.
    fn inverse(&self, x: &Var) -> Result<Var, EagerError> {
        self.apply(&Dft { axis: Some(self.axis), inverse: true, onesided: false }, x)
    }

    fn forward(&self, x: &Var, onesided: bool) -> Result<Var, EagerError> {
        self.apply(&Dft { axis: Some(self.axis), inverse: false, onesided }, x)
    }

    fn apply(&self, transform: &Dft, x: &Var) -> Result<Var, EagerError> {
        apply(transform, &[Some(x), Some(&Tensor::scalar(self.length)?.into())])
    }

    /// How much each number of half a spectrum counts in the signal: it stands for itself and its conjugate, but for those that
    /// are their own, which have no imaginary part.
    fn weights(&self, half: &Var) -> Result<Var, EagerError> {
        let one = 1.0 / self.length as f64;
        let weights = (0..=self.length / 2).flat_map(|k| {
            let is_own = k == 0 || 2 * k == self.length;
            if is_own { [one, 0.0] } else { [2.0 * one, 2.0 * one] }
        });
        let mut shape = vec![1; half.rank()];
        (shape[self.axis as usize], shape[half.rank() - 1]) = (self.length / 2 + 1, 2);
        Var::from_slice(&weights.collect::<Vec<f64>>(), &shape)?.cast(half.dtype())
    }
}

/// As many elements along an axis: the first ones, or all and zeros behind.
fn resized(x: &Var, axis: i64, extent: i64) -> Result<Var, EagerError> {
    let missing = extent - x.extent(axis)? as i64;
    if missing <= 0 {
        return if missing == 0 { Ok(x.clone()) } else { x.narrow(axis, 0, extent) };
    }
    let mut shape = crate::views::extents(x.shape());
    shape[axis as usize] = missing;
    Var::concat(&[x, &zeros(&Shape::new(&shape)?, x.dtype())?], axis)
}
