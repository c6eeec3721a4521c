//! Attention.

use stratal_ops as ops;

use crate::{EagerError, Var, apply};

impl Var {
    /// `softmax(scale * queries * keys^T + mask) * values` for each head, where this variable holds the queries.
    ///
    /// All have shape `[batch, heads, sequence, size]`; several heads of queries may share one of keys and values. The scale is
    /// `1 / sqrt(size)` if none is given. A mask broadcasts to `[batch, heads, queries, keys]`; its truths say which keys a query
    /// sees, or its numbers are added to scores. If `is_causal`, a query sees no key behind its place. One that sees no key has
    /// a result of zeros, and no gradient.
    ///
    /// ```
    /// use stratal_eager::Var;
    ///
    /// let queries = Var::leaf(&[0.0_f32, 0.0], &[1, 1, 2, 1])?;
    /// let values = Var::leaf(&[1.0_f32, 3.0], &[1, 1, 2, 1])?;
    /// let attended = queries.scaled_dot_product_attention(&queries, &values, None, true, None)?;
    /// assert_eq!(attended.to_vec::<f32>()?, [1.0, 2.0]);
    /// attended.sum(&[], false)?.backward()?;
    /// assert_eq!(values.gradient().unwrap().to_vec::<f32>()?, [1.5, 0.5]);
    /// # Ok::<(), stratal_eager::EagerError>(())
    /// ```
    ///
    /// # Errors
    /// [`EagerError::Operator`] when they do not fit.
    pub fn scaled_dot_product_attention(
        &self,
        keys: &Self,
        values: &Self,
        mask: Option<&Self>,
        is_causal: bool,
        scale: Option<f32>,
    ) -> Result<Self, EagerError> {
        if self.rank() != 4 {
            return Err(EagerError::Unfit(format!("queries have shape {}: expected 4 axes", self.shape())));
        }
        let attention = ops::Attention { is_causal, scale, ..ops::Attention::default() };
        apply(&attention, &[Some(self), Some(keys), Some(values), mask])
    }
}
