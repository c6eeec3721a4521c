//! `Squeeze`: axes of extent 1 dropped.

use super::reshape::copy_reshaped;
use crate::{Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, axes, dtypes};

/// Drops axes of extent 1: those that the second input lists, or all if there is none.
///
/// An axis that is listed twice is dropped once. An extent that is not known yet is taken for 1 where its axis is listed;
/// without a list the rank of the result is not known then.
#[derive(Debug, Clone, Copy, Default)]
pub struct Squeeze;

impl Squeeze {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Squeeze",
        since: 25,
        inputs: 1..=2,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::ALL,
        build: |_| Ok(Box::new(Self)),
    };
}

impl Operator for Squeeze {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        let unknown = Fact { shape: None, elements: x.elements.clone(), ..*x };
        let dropped = if inputs.get(1).is_some() {
            inputs.dtype(1, dtypes::INDICES)?;
            let length = inputs.vector_length(1)?;
            let Some(dropped) = inputs.integers(1) else {
                // Of more than one, some may be the same.
                let rank = length.filter(|&length| length <= 1).and_then(|length| shape.rank().checked_sub(length));
                return Ok(vec![Fact { shape: rank.map(|rank| inputs.unknown_shape(rank)), ..unknown }]);
            };
            axes(&dropped, shape.rank())?
        } else if shape.known_extents().is_some() {
            (0..shape.rank()).filter(|axis| shape[*axis].is(1)).collect()
        } else {
            return Ok(vec![unknown]);
        };
        let is_unfit = |axis: &&usize| shape[**axis].known().is_some_and(|extent| extent != 1);
        if let Some(axis) = dropped.iter().find(is_unfit) {
            let expected = format!("extent 1 at axis {axis}");
            return Err(Cause::Shape { input: 0, shape: shape.to_string(), expected });
        }
        let kept = shape.iter().enumerate().filter(|(axis, _)| !dropped.contains(axis));
        let shape = kept.map(|(_, extent): (usize, &Extent)| extent.clone()).collect();
        Ok(vec![Fact { shape: Some(shape), ..unknown }])
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

    fn shape(from: impl Into<SymbolicShape>, axes: Option<&[i64]>) -> Result<String, String> {
        let x = Fact::new(DType::F32, from);
        let axes = axes.map(|axes| Fact::of_extents(DType::I64, axes.iter().map(|&axis| axis.into()).collect()));
        let facts = infer(&Squeeze, "node", &[Some(&x), axes.as_ref()]).map_err(|error| error.to_string())?;
        Ok(facts[0].shape.as_ref().map_or("unknown".into(), ToString::to_string))
    }

    #[test]
    fn axes_of_one_are_dropped() {
        assert_eq!(shape([1, 3, 1], None).unwrap(), "[3]");
        assert_eq!(shape([1, 1], None).unwrap(), "[]");
        assert_eq!(shape([2, 1, 3], Some(&[1, -2])).unwrap(), "[2, 3]");
        assert_eq!(shape([1, 3, 1], Some(&[])).unwrap(), "[1, 3, 1]");
        let unknown = SymbolicShape::new([Extent::symbol("a"), 1.into(), Extent::symbol("b")]);
        assert_eq!(shape(unknown.clone(), Some(&[0])).unwrap(), "[1, b]");
        assert_eq!(shape(unknown, None).unwrap(), "unknown");
        let [x, axes] = [Fact::new(DType::F32, [1, 1, 3]), Fact::new(DType::I64, [2])];
        assert_eq!(infer(&Squeeze, "node", &[Some(&x), Some(&axes)]).unwrap()[0].shape, None);
        let error = shape([2, 1], Some(&[0])).unwrap_err();
        assert_eq!(error, "Squeeze: input 0 has shape [2, 1]: expected extent 1 at axis 0");
        assert_eq!(shape([2, 1], Some(&[2])).unwrap_err(), "Squeeze: axis 2 does not exist at rank 2");
    }
}
