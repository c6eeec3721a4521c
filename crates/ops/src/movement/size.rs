//! `Size`: the number of elements.

use stratal_tensor_base::{DType, Shape};

use super::elements::write_integers;
use crate::{Cause, Context, Definition, Elements, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// The number of elements of an operand, as a scalar of int64.
#[derive(Debug, Clone, Copy, Default)]
pub struct Size;

impl Size {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Size",
        since: 25,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::ALL,
        build: |_| Ok(Box::new(Self)),
    };
}

impl Operator for Size {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let shape = inputs.required(0)?.shape.as_ref();
        let elements = shape.and_then(|shape| shape.count().ok()).map(|count| Elements::Integers(vec![count]));
        Ok(vec![Fact::new(DType::I64, []).with_elements(elements)])
    }

    fn compute(&self, _context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let count = inputs.required(0)?.shape().count() as i64;
        outputs.write_shaped(0, &Shape::new(&[])?, |result| write_integers(result, &[count]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Extent, SymbolicShape, infer};

    #[test]
    fn counts_are_elements() {
        let x = Fact::new(DType::F32, SymbolicShape::new([Extent::symbol("batch"), 3.into()]));
        let facts = infer(&Size, "node", &[Some(&x)]).unwrap();
        assert_eq!(format!("{:?}", facts[0].integers().unwrap()), "[3*batch]");
        assert_eq!(facts[0].shape, Some([].into()));
    }
}
