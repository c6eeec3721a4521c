//! `Concat`: tensors joined along an axis.

use super::elements;
use crate::{ANY_NUMBER, Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, axis, dtypes};

/// Joins tensors along an axis. Some may be empty along it.
#[derive(Debug, Clone, Copy)]
pub struct Concat {
    /// The axis; it may count from the end.
    pub axis: i64,
}

impl Concat {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Concat",
        since: 13,
        inputs: 1..=ANY_NUMBER,
        outputs: 1..=1,
        attributes: &["axis"],
        dtypes: dtypes::ALL,
        build: |node| Ok(Box::new(Self { axis: node.needed("axis", node.int("axis")?)? })),
    };
}

impl Operator for Concat {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::ALL)?;
        inputs.check_dtypes(dtype)?;
        let mut shape = inputs.shape(0)?.clone();
        let along = axis(self.axis, shape.rank())?;
        for input in 1..inputs.len() {
            let part = inputs.shape_of_rank(input, shape.rank())?;
            for (axis, extent) in part.iter().enumerate() {
                let joined = &mut shape.extents_mut()[axis];
                if axis == along {
                    *joined = joined.add(extent)?;
                } else if let (Some(here), Some(there)) = (joined.known(), extent.known()) {
                    if here != there {
                        let expected = format!("extent {here} at axis {axis}, as the inputs before it have");
                        return Err(Cause::Shape { input, shape: part.to_string(), expected });
                    }
                } else if extent.known().is_some() {
                    *joined = extent.clone();
                }
            }
        }
        let elements = elements::joined(inputs.present().map(|(_, fact)| fact)).filter(|_| shape.rank() == 1);
        Ok(vec![Fact::new(dtype, shape).with_elements(elements)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let parts: Vec<_> = inputs.present().copied().collect();
        outputs.write(0, |result| context.kernels().concat(&parts, self.axis, result))
    }
}
