//! `ScatterND`: slices at tuples of coordinates, updated.

use stratal_kernels::AnyViewMut;
use stratal_kernels::movement::ScatterReduction;

use super::axes::check_extent;
use super::gather_nd::slices;
use super::scatter_elements::{check_dtypes, reduction};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Updates the slices at tuples of coordinates, which lie along the last axis of the indices. Inputs are the operand, the
/// indices and the updates, which have the shape that `GatherND` would take.
///
/// Updates are applied in row-major order: of several without a reduction the last one stays. Negative coordinates count
/// from the end; one out of range is an error.
#[derive(Debug, Clone, Copy, Default)]
pub struct ScatterND {
    /// What becomes of an element that is updated.
    pub reduction: ScatterReduction,
}

impl ScatterND {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "ScatterND",
        since: 18,
        inputs: 3..=3,
        outputs: 1..=1,
        attributes: &["reduction"],
        dtypes: dtypes::ALL,
        build: |node| Ok(Box::new(Self { reduction: reduction(node)? })),
    };
}

impl Operator for ScatterND {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        check_dtypes(inputs, self.reduction)?;
        if let Some(slices) = slices(inputs, 0)? {
            inputs.shape_of_rank(2, slices.rank())?;
            (0..slices.rank()).try_for_each(|axis| check_extent(inputs, 2, axis, &slices[axis]))?;
        }
        Ok(vec![Fact::new(x.dtype, shape.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, indices, updates) = (inputs.required(0)?, inputs.required(1)?, inputs.required(2)?);
        outputs.write(0, |result| context.kernels().scatter_nd(x, indices, updates, self.reduction, result))
    }

    fn compute_in_place(
        &self,
        context: &Context<'_>,
        _input: usize,
        x: &mut AnyViewMut<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        let (indices, updates) = (inputs.required(1)?, inputs.required(2)?);
        Ok(context.kernels().scatter_nd_in_place(x, indices, updates, self.reduction)?)
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::DType;

    use super::*;
    use crate::infer;

    #[test]
    fn updates_have_the_shape_of_what_they_update() {
        let (x, indices) = (Fact::new(DType::F32, [4, 5]), Fact::new(DType::I64, [3, 1]));
        let infer = |updates: [i64; 2]| {
            let updates = Fact::new(DType::F32, updates);
            let facts = infer(&ScatterND::default(), "node", &[Some(&x), Some(&indices), Some(&updates)]);
            facts.map_err(|error| error.to_string())
        };
        assert_eq!(infer([3, 5]).unwrap()[0], x);
        let error = infer([3, 4]).unwrap_err();
        assert_eq!(error, "ScatterND: input 2 has shape [3, 4]: expected extent 5 at axis 1");
        assert!(infer([2, 5]).is_err());
    }
}
