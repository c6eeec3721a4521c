//! `AffineGrid`: `g^T * places`, for the places of pixels, with a 1 behind each, that the matrices are multiplied with.

use stratal_ops::AffineGrid;
use stratal_tensor::Tensor;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var, apply};

impl Derivative for AffineGrid {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let gradient = call.gradient()?;
        if gradient.shape().is_empty() {
            return Ok(call.zeros_like(0)?.into());
        }
        let sizes = call.integers(1)?.unwrap_or_default();
        let [batch, axes] = [0, 1].map(|axis| call.shape(0).extent(axis) as i64);
        // What matrices that map nothing make of one image.
        let unit = Var::constant(Tensor::eye(axes, call.dtype(0))?).pad(&[0, 0], &[0, 1], 0.0)?.unsqueeze(0)?;
        let one_image: Vec<i64> = [1].iter().chain(&sizes[1..]).copied().collect();
        let places = apply(self, &[Some(&unit), Some(&Var::from_slice(&one_image, &[one_image.len() as i64])?)])?;
        let pixels: i64 = sizes[2..].iter().product();
        let places = places.reshape(&[pixels, axes])?.pad(&[0, 0], &[0, 1], 1.0)?;
        Ok(gradient.reshape(&[batch, pixels, axes])?.t()?.matmul(&places)?.into())
    }
}
