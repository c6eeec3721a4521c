//! `LinearAttention`: the gradient of a state that keys and values are added to, back through all steps.

use stratal_ops::LinearAttention;
use stratal_tensor_base::Shape;

use super::scaled_dot_product::extent;
use crate::composed::{Composed, given, required, steps};
use crate::derivative::zeros;
use crate::{EagerError, Var};

impl Composed for LinearAttention {
    fn compose(&self, inputs: &[Option<Var>]) -> Result<Vec<Var>, EagerError> {
        let queries = required(inputs, 0)?;
        let [batch, sequence, features] = [0, 1, 2].map(|axis| extent(queries, axis));
        let (heads, group) = (self.kv_num_heads as i64, (self.q_num_heads / self.kv_num_heads) as i64);
        let size = features / self.q_num_heads as i64;
        let size_of_values = extent(required(inputs, 2)?, 2) / heads;
        let scale = if self.scale == 0.0 { 1.0 / (size as f64).sqrt() } else { self.scale.into() };

        // Of each step and head there is a matrix.
        let matrices = |x: &Var, shape: [i64; 4]| {
            let each = steps(x, 1, sequence)?;
            each.iter().map(|step| step.reshape(&shape)).collect::<Result<Vec<_>, _>>()
        };
        let queries = matrices(&queries.mul(scale)?, [batch, heads, group, size])?;
        let keys = matrices(required(inputs, 1)?, [batch, heads, 1, size])?;
        let values = matrices(required(inputs, 2)?, [batch, heads, 1, size_of_values])?;
        let decays = given(inputs, 4).map(|decay| {
            let factors = if extent(decay, 2) == heads { 1 } else { size };
            matrices(&decay.exp()?, [batch, heads, factors, 1])
        });
        let decays = decays.transpose()?;
        let rates = given(inputs, 5).map(|rate| {
            let of_heads = if extent(rate, 2) == 1 { 1 } else { heads };
            matrices(rate, [batch, of_heads, 1, 1])
        });
        let rates = rates.transpose()?;

        let mut state = match given(inputs, 3) {
            Some(state) => state.cast(queries_dtype(inputs)?)?,
            None => zeros(&Shape::new(&[batch, heads, size, size_of_values])?, queries_dtype(inputs)?)?,
        };
        let mut results = Vec::new();
        for (step, key) in keys.iter().enumerate() {
            if let Some(decays) = &decays {
                state = state.mul(&decays[step])?;
            }
            let update = match &rates {
                Some(rates) => values[step].sub(&key.matmul(&state)?)?.mul(&rates[step])?,
                None => values[step].clone(),
            };
            state = state.add(&key.t()?.matmul(&update)?)?;
            results.push(queries[step].matmul(&state)?.reshape(&[batch, 1, heads * group * size_of_values])?);
        }
        let result = if results.is_empty() {
            zeros(&Shape::new(&[batch, 0, heads * group * size_of_values])?, state.dtype())?
        } else {
            Var::concat(&results.iter().collect::<Vec<_>>(), 1)?
        };
        Ok(vec![result, state])
    }
}

fn queries_dtype(inputs: &[Option<Var>]) -> Result<stratal_tensor_base::DType, EagerError> {
    Ok(required(inputs, 0)?.dtype())
}
