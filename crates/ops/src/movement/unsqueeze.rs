//! `Unsqueeze`: axes of extent 1 put in.

use stratal_tensor_base::MAX_RANK;

use super::axes::listed;
use super::reshape::copy_reshaped;
use crate::{Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Puts in axes of extent 1, which the second input lists, each once, as they are numbered in the result.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unsqueeze;

impl Unsqueeze {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Unsqueeze",
        since: 25,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::ALL,
        build: |_| Ok(Box::new(Self)),
    };
}

impl Operator for Unsqueeze {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        inputs.dtype(1, dtypes::INDICES)?;
        let added = match (inputs.integers(1), inputs.required(1)?.shape.as_ref()) {
            // A single axis may be a scalar, as PyTorch exports it.
            (Some(added), _) => Some(added.len()),
            (None, Some(shape)) => shape.count()?.known().and_then(|count| usize::try_from(count).ok()),
            (None, None) => None,
        };
        let rank = added.and_then(|added| shape.rank().checked_add(added));
        if let Some(rank) = rank.filter(|rank| *rank > MAX_RANK) {
            return Err(Cause::Unfit(format!("a result of {rank} axes is beyond the limit of {MAX_RANK}")));
        }
        let put_in = |rank: usize, added: &[i64]| {
            let added = listed(Some(added), rank)?;
            let mut extents = shape.iter().cloned();
            let extent = |axis| if added.contains(&axis) { Some(Extent::from(1)) } else { extents.next() };
            Ok::<_, Cause>((0..rank).filter_map(extent).collect())
        };
        let shape = match (rank, inputs.integers(1)) {
            (Some(rank), Some(added)) => Some(put_in(rank, &added)?),
            (Some(rank), None) => Some(inputs.unknown_shape(rank)),
            (None, _) => None,
        };
        Ok(vec![Fact { dtype: x.dtype, shape, elements: x.elements.clone() }])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        outputs.write(0, |result| copy_reshaped(context, x, result))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{SymbolicShape, infer};

    fn shape(axes: &[i64]) -> Result<String, String> {
        let x = Fact::new(DType::F32, SymbolicShape::new([Extent::symbol("n"), 3.into()]));
        let axes = Fact::of_extents(DType::I64, axes.iter().map(|&axis| axis.into()).collect());
        let facts = infer(&Unsqueeze, "node", &[Some(&x), Some(&axes)]).map_err(|error| error.to_string())?;
        Ok(facts[0].shape.as_ref().unwrap().to_string())
    }

    #[test]
    fn axes_are_numbered_in_the_result() {
        assert_eq!(shape(&[0]).unwrap(), "[1, n, 3]");
        assert_eq!(shape(&[-1, 1]).unwrap(), "[n, 1, 3, 1]");
        assert_eq!(shape(&[]).unwrap(), "[n, 3]");
        assert_eq!(shape(&[4, 0]).unwrap_err(), "Unsqueeze: axis 4 does not exist at rank 4");
        assert_eq!(shape(&[1, -3]).unwrap_err(), "Unsqueeze: axis 1 is listed twice in [1, -3]");
    }

    #[test]
    fn axes_that_are_not_known_give_a_rank() {
        let (x, axes) = (Fact::new(DType::F32, [2]), Fact::new(DType::I64, [2]));
        let facts = infer(&Unsqueeze, "node", &[Some(&x), Some(&axes)]).unwrap();
        assert_eq!(facts[0].shape.as_ref().unwrap().rank(), 3);
    }
}
