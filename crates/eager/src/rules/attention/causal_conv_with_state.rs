//! `CausalConvWithState`: the gradient of a convolution of each channel behind its state.

use stratal_ops::{CausalConvWithState, Conv, Filter};
use stratal_tensor_base::Shape;

use super::scaled_dot_product::extent;
use crate::composed::{Composed, given, required};
use crate::derivative::zeros;
use crate::{EagerError, Var, apply};

impl Composed for CausalConvWithState {
    fn compose(&self, inputs: &[Option<Var>]) -> Result<Vec<Var>, EagerError> {
        let (x, weights) = (required(inputs, 0)?, required(inputs, 1)?);
        let [batch, channels, length] = [0, 1, 2].map(|axis| extent(x, axis));
        let size_of_state = extent(weights, 2) - 1;
        let state = match given(inputs, 3) {
            Some(state) => state.clone(),
            None => zeros(&Shape::new(&[batch, channels, size_of_state])?, x.dtype())?,
        };
        let all = Var::concat(&[&state, x], 2)?;
        let last = all.narrow(2, length, size_of_state)?;
        if x.shape().is_empty() {
            return Ok(vec![x.clone(), last]);
        }
        let conv = Conv { filter: Filter { groups: channels as usize, ..Filter::default() } };
        let result = apply(&conv, &[Some(&all), Some(weights), given(inputs, 2)])?;
        Ok(vec![if self.silu { result.silu()? } else { result }, last])
    }
}
