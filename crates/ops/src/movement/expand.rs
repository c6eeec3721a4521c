//! `Expand`: a tensor repeated to a larger shape.

use super::{axes, elements};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes};

/// Repeats a tensor to the broadcast of its shape with the one that the second input gives. An extent of 1 there keeps
/// what is here.
#[derive(Debug, Clone, Copy, Default)]
pub struct Expand;

impl Expand {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Expand",
        since: 13,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::ALL,
        build: |_| Ok(Box::new(Self)),
    };
}

impl Operator for Expand {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let x = inputs.required(0)?;
        inputs.dtype(1, dtypes::INDICES)?;
        let to = match (inputs.required(1)?.integers(), inputs.vector_length(1)?) {
            (Some(extents), _) => {
                axes::check_extents(1, extents)?;
                SymbolicShape::new(extents.iter().cloned())
            }
            (None, Some(rank)) => inputs.unknown_shape(rank),
            (None, None) => return Ok(vec![Fact::of_dtype(x.dtype)]),
        };
        let shape = inputs.shape(0)?.broadcast(&to)?;
        let known = shape.known()?;
        let elements = known.and_then(|known| elements::seen(x, |geometry| Ok(geometry.broadcast_to(&known)?)));
        Ok(vec![Fact::new(x.dtype, shape).with_elements(elements)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        outputs.write(0, |result| {
            let repeated = x.seen(|geometry| Ok::<_, Cause>(geometry.broadcast_to(result.shape())?))?;
            Ok::<_, Cause>(context.kernels().copy(&repeated, result)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Extent, infer};

    fn shape(to: &Fact) -> Result<String, String> {
        let x = Fact::new(DType::F32, SymbolicShape::new([Extent::symbol("batch"), 1.into(), 3.into()]));
        let facts = infer(&Expand, "node", &[Some(&x), Some(to)]).map_err(|error| error.to_string())?;
        Ok(facts[0].shape.as_ref().map_or("unknown".into(), ToString::to_string))
    }

    fn extents(extents: &[i64]) -> Fact {
        Fact::of_extents(DType::I64, extents.iter().map(|&extent| extent.into()).collect())
    }

    #[test]
    fn both_shapes_broadcast() {
        assert_eq!(shape(&extents(&[2, 1])).unwrap(), "[batch, 2, 3]");
        assert_eq!(shape(&extents(&[7, 1, 0, 1])).unwrap(), "[7, batch, 0, 3]");
        assert_eq!(shape(&extents(&[2, 4])).unwrap_err(), "Expand: cannot broadcast 3 with 4");
        assert_eq!(shape(&extents(&[-1, 3])).unwrap_err(), "Expand: input 1 holds -1: expected no negative number");
        assert_eq!(shape(&Fact::new(DType::I64, [2])).unwrap(), "[batch, node.0, 3]");
        assert_eq!(shape(&Fact::new(DType::I64, SymbolicShape::new([Extent::symbol("n")]))).unwrap(), "unknown");
        assert!(shape(&Fact::new(DType::I64, [1, 2])).unwrap_err().contains("expected rank 1"));
    }
}
