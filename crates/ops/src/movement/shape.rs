//! `Shape`: extents as a tensor.

use stratal_tensor_base::DType;

use super::elements::write_integers;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes};

/// The extents of an operand, or of the axes from `start` up to `end`, as a vector of int64. Both may count from the end,
/// and are clamped.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shape {
    /// The first axis.
    pub start: i64,
    /// The axis behind the last; none for all up to the last.
    pub end: Option<i64>,
}

impl Shape {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Shape",
        since: 25,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["start", "end"],
        dtypes: dtypes::ALL,
        build: |node| Ok(Box::new(Self { start: node.int_or("start", 0)?, end: node.int("end")? })),
    };

    fn axes(&self, rank: usize) -> std::ops::Range<usize> {
        let place = |axis: i64| {
            let counted = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
            counted.clamp(0, rank as i64) as usize
        };
        let (start, end) = (place(self.start), self.end.map_or(rank, place));
        start..end.max(start)
    }
}

impl Operator for Shape {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let Some(shape) = &inputs.required(0)?.shape else {
            return Ok(vec![Fact::new(DType::I64, SymbolicShape::new([inputs.unknown("rank")]))]);
        };
        Ok(vec![Fact::of_extents(DType::I64, shape[self.axes(shape.rank())].to_vec())])
    }

    fn compute(&self, _context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let shape = inputs.required(0)?.shape();
        let extents: Vec<_> =
            shape.extents()[self.axes(shape.rank())].iter().map(|extent| i64::from(*extent)).collect();
        let length = stratal_tensor_base::Shape::new(&[extents.len() as i64])?;
        outputs.write_shaped(0, &length, |result| write_integers(result, &extents))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Extent, infer};

    #[test]
    fn extents_are_elements() {
        let x = Fact::new(DType::F32, SymbolicShape::new([Extent::symbol("batch"), 3.into(), Extent::symbol("seq")]));
        let extents = |start, end| {
            let facts = infer(&Shape { start, end }, "node", &[Some(&x)]).unwrap();
            format!("{:?}", facts[0].integers().unwrap())
        };
        assert_eq!(extents(0, None), "[batch, 3, seq]");
        assert_eq!(extents(-1, None), "[seq]");
        assert_eq!(extents(i64::MIN, Some(i64::MAX)), "[batch, 3, seq]");
        assert_eq!(extents(2, Some(1)), "[]");
        assert_eq!(extents(0, Some(-2)), "[batch]");
        let unknown = infer(&Shape::default(), "node", &[Some(&Fact::of_dtype(DType::F32))]).unwrap();
        assert_eq!(unknown[0].shape.as_ref().unwrap().to_string(), "[node.rank]");
    }
}
