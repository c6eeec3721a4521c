//! `Transpose`: the gradient with its axes in the order that they had.

use stratal_ops::Transpose;

use crate::EagerError;
use crate::derivative::{Call, Derivative, Gradients};

impl Derivative for Transpose {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let shape = call.shape(0);
        let mut inverse: Vec<i64> = (0..shape.rank() as i64).rev().collect();
        for (to, &from) in self.permutation.iter().flatten().enumerate() {
            inverse[shape.axis(from)?] = to as i64;
        }
        Ok(call.gradient()?.permute(&inverse)?.into())
    }
}
