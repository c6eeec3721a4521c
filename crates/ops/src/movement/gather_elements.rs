//! `GatherElements`: elements of an axis, chosen by an index each.

use super::axes::check_at_most;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, axis, dtypes};

/// The element at each index along an axis, at the index's own place along all others. The result has the indices' shape,
/// which is nowhere longer than the operand's but along that axis. Negative indices count from the end; one out of range is
/// an error.
#[derive(Debug, Clone, Copy, Default)]
pub struct GatherElements {
    /// The axis; it may count from the end.
    pub axis: i64,
}

impl GatherElements {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "GatherElements",
        since: 13,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &["axis"],
        dtypes: dtypes::ALL,
        build: |node| Ok(Box::new(Self { axis: node.int_or("axis", 0)? })),
    };
}

impl Operator for GatherElements {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        inputs.dtype(1, dtypes::INDICES)?;
        let along = axis(self.axis, shape.rank())?;
        let indices = inputs.shape_of_rank(1, shape.rank())?;
        check_at_most(inputs, 1, shape, |axis| axis != along)?;
        Ok(vec![Fact::new(x.dtype, indices.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, indices) = (inputs.required(0)?, inputs.required(1)?);
        outputs.write(0, |result| context.kernels().gather_elements(x, indices, self.axis, result))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Extent, SymbolicShape, infer};

    fn shape(indices: impl Into<SymbolicShape>, axis: i64) -> Result<String, String> {
        let x = Fact::new(DType::F32, SymbolicShape::new([Extent::symbol("n"), 3.into()]));
        let indices = Fact::new(DType::I64, indices);
        let facts = infer(&GatherElements { axis }, "node", &[Some(&x), Some(&indices)]);
        Ok(facts.map_err(|error| error.to_string())?[0].shape.as_ref().unwrap().to_string())
    }

    #[test]
    fn the_result_has_the_shape_of_the_indices() {
        assert_eq!(shape([9, 2], 0).unwrap(), "[9, 2]");
        assert_eq!(shape([9, 7], -1).unwrap(), "[9, 7]");
        let error = shape([9, 4], 0).unwrap_err();
        assert_eq!(error, "GatherElements: input 1 has shape [9, 4]: expected an extent of at most 3 at axis 1");
        assert_eq!(shape([9], 0).unwrap_err(), "GatherElements: input 1 has shape [9]: expected rank 2");
        assert_eq!(shape([9, 2], 2).unwrap_err(), "GatherElements: axis 2 does not exist at rank 2");
    }
}
