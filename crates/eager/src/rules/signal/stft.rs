//! `STFT`: the gradient of `DFT(window * frames)`, where frames may overlap.

use stratal_ops::{Dft, Stft};
use stratal_tensor::Tensor;

use crate::composed::{Composed, given, integers, required};
use crate::{EagerError, Var, apply};

impl Composed for Stft {
    fn compose(&self, inputs: &[Option<Var>]) -> Result<Vec<Var>, EagerError> {
        let signal = required(inputs, 0)?;
        let extent = signal.extent(1)? as i64;
        let number = |input: usize| {
            let numbers = given(inputs, input).map(integers).transpose()?;
            Ok::<_, EagerError>(numbers.and_then(|numbers| numbers.first().copied()))
        };
        let step = number(1)?.unwrap_or(1);
        let window = given(inputs, 2);
        let length = match (number(3)?, window) {
            (Some(length), _) => length,
            (None, Some(window)) => window.extent(0)? as i64,
            (None, None) => extent,
        };
        let frames = if length > extent { 0 } else { (extent - length) / step + 1 };
        if signal.shape().is_empty() || length == 0 || frames == 0 {
            // Nothing depends on anything.
            return Ok(Vec::new());
        }
        let places = (0..frames).flat_map(|frame| frame * step..frame * step + length).collect();
        let frames = signal.gather(1, &Tensor::from_vec::<i64>(places, &[frames, length])?.into())?;
        let frames = match window {
            Some(window) => frames.mul(&window.unsqueeze(1)?)?,
            None => frames,
        };
        let transform = Dft { axis: Some(2), inverse: false, onesided: self.onesided };
        Ok(vec![apply(&transform, &[Some(&frames)])?])
    }
}
