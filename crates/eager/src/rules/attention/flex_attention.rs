//! `FlexAttention`: the gradient of `softmax(scale * queries * keys^T) * values`.

use stratal_ops::FlexAttention;

use super::scaled_dot_product::ScaledDotProduct;
use super::seen::Seen;
use crate::composed::{Composed, required};
use crate::{EagerError, Var};

impl Composed for FlexAttention {
    fn compose(&self, inputs: &[Option<Var>]) -> Result<Vec<Var>, EagerError> {
        let attention = ScaledDotProduct { scale: self.scale, softcap: 0.0, softmax: self.softmax_precision };
        let [queries, keys, values] = [required(inputs, 0)?, required(inputs, 1)?, required(inputs, 2)?];
        Ok(vec![attention.compose(queries, keys, values, &Seen::default())?.result])
    }
}
