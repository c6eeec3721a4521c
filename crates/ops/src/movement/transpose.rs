//! `Transpose`: axes in another order.

use super::elements;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Axes in another order: axis `i` of the result is axis `permutation[i]` of the operand. Without a permutation the order
/// is reversed.
#[derive(Debug, Clone, Default)]
pub struct Transpose {
    /// Each axis of the operand once; they may count from the end.
    pub permutation: Option<Vec<i64>>,
}

impl Transpose {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Transpose",
        since: 25,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["perm"],
        dtypes: dtypes::ALL,
        build: |node| Ok(Box::new(Self { permutation: node.ints("perm")?.map(<[i64]>::to_vec) })),
    };

    fn axes(&self, rank: usize) -> Result<Vec<i64>, Cause> {
        let Some(permutation) = &self.permutation else { return Ok((0..rank as i64).rev().collect()) };
        let axes = super::axes::listed(Some(permutation), rank)?;
        if axes.len() != rank {
            return Err(Cause::Unfit(format!("{permutation:?} is no order of {rank} axes")));
        }
        Ok(axes.into_iter().map(|axis| axis as i64).collect())
    }
}

impl Operator for Transpose {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        let axes = self.axes(shape.rank())?;
        let elements = elements::seen(x, |geometry| Ok(geometry.permute(&axes)?));
        let shape = axes.iter().map(|axis| shape[*axis as usize].clone()).collect::<crate::SymbolicShape>();
        Ok(vec![Fact::new(x.dtype, shape).with_elements(elements)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let axes = self.axes(x.shape().rank())?;
        let transposed = x.seen(|geometry| Ok::<_, Cause>(geometry.permute(&axes)?))?;
        outputs.write(0, |result| context.kernels().copy(&transposed, result))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Extent, SymbolicShape, infer};

    fn shape(permutation: Option<&[i64]>) -> Result<String, String> {
        let shape = SymbolicShape::new([Extent::symbol("batch"), 2.into(), Extent::symbol("seq")]);
        let x = Fact::new(DType::F32, shape);
        let transpose = Transpose { permutation: permutation.map(<[i64]>::to_vec) };
        let facts = infer(&transpose, "node", &[Some(&x)]).map_err(|error| error.to_string())?;
        Ok(facts[0].shape.as_ref().unwrap().to_string())
    }

    #[test]
    fn extents_follow_their_axes() {
        assert_eq!(shape(None).unwrap(), "[seq, 2, batch]");
        assert_eq!(shape(Some(&[1, -1, 0])).unwrap(), "[2, seq, batch]");
        assert_eq!(shape(Some(&[0, 1])).unwrap_err(), "Transpose: [0, 1] is no order of 3 axes");
        assert_eq!(shape(Some(&[0, 1, 1])).unwrap_err(), "Transpose: axis 1 is listed twice in [0, 1, 1]");
        assert_eq!(shape(Some(&[0, 1, 3])).unwrap_err(), "Transpose: axis 3 does not exist at rank 3");
    }
}
