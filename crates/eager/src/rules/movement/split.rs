//! `Split`: the gradients of all parts, one behind the other, with zeros for parts that were not used.

use stratal_ops::Split;
use stratal_tensor_base::Shape;

use crate::derivative::{Call, Derivative, Gradients};
use crate::views::extents;
use crate::{EagerError, Var};

impl Derivative for Split {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let shape = call.shape(0);
        let along = shape.axis(self.axis)?;
        let zeros = |shape: &Shape| Var::full(&[], 0_u8, call.dtype(0))?.expand_to(shape);
        let mut parts = Vec::with_capacity(call.output_count() + 1);
        let mut rest = extents(shape);
        for output in 0..call.output_count() {
            let shape = call.output_shape(output);
            rest[along] -= shape.extent(along) as i64;
            parts.push(call.output_gradient(output).map_or_else(|| zeros(shape), Ok)?);
        }
        if rest[along] > 0 {
            // Parts at the end that nobody asked for.
            parts.push(zeros(&Shape::new(&rest)?)?);
        }
        Ok(Var::concat(&parts.iter().collect::<Vec<_>>(), self.axis)?.into())
    }
}
