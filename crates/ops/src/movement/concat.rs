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

#[cfg(test)]
mod tests {
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Elements, Extent, SymbolicShape, infer};

    fn joined(parts: &[&Fact], axis: i64) -> Result<Fact, String> {
        let parts: Vec<_> = parts.iter().map(|part| Some(*part)).collect();
        Ok(infer(&Concat { axis }, "node", &parts).map_err(|error| error.to_string())?.remove(0))
    }

    #[test]
    fn extents_are_added_along_the_axis() {
        let n = |name: &str| Extent::symbol(name);
        let left = Fact::new(DType::F32, SymbolicShape::new([n("a"), n("b")]));
        let right = Fact::new(DType::F32, SymbolicShape::new([3.into(), n("c")]));
        assert_eq!(joined(&[&left, &right], -1).unwrap().shape.unwrap().to_string(), "[3, b + c]");
        let (left, right) = (Fact::new(DType::F32, [2, 3]), Fact::new(DType::F32, [2, 4]));
        let error = joined(&[&left, &right], 0).unwrap_err();
        let expected = "expected extent 3 at axis 1, as the inputs before it have";
        assert_eq!(error, format!("Concat: input 1 has shape [2, 4]: {expected}"));
        assert_eq!(joined(&[&left], 2).unwrap_err(), "Concat: axis 2 does not exist at rank 2");
        let halves = Fact::new(DType::F16, [2, 3]);
        let error = joined(&[&left, &halves], 0).unwrap_err();
        assert_eq!(error, "Concat: input 1 is float16: expected float32, as another input is");
    }

    #[test]
    fn elements_of_vectors_are_joined() {
        let floats = Fact::new(DType::F32, [1]).with_elements(Some(Elements::Floats(vec![0.5])));
        assert_eq!(joined(&[&floats, &floats], 0).unwrap().known_numbers().unwrap(), [0.5, 0.5]);
        let unknown = Fact::new(DType::F32, [1]);
        assert_eq!(joined(&[&floats, &unknown], 0).unwrap().elements, None);
        let column = Fact { shape: Some([1, 1].into()), ..floats };
        assert_eq!(joined(&[&column, &column], 1).unwrap().elements, None);
    }
}
