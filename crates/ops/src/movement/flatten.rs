//! `Flatten`: a tensor as a matrix.

use super::reshape::copy_reshaped;
use crate::symbolic_shape::product;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, SymbolicShape, dtypes};

/// The same elements as a matrix: the axes before a place are its rows, those from there on its columns. No axes are one
/// row, or one column.
#[derive(Debug, Clone, Copy)]
pub struct Flatten {
    /// The first axis of the columns, from 0 to the number of axes; it may count from the end.
    pub axis: i64,
}

impl Flatten {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Flatten",
        since: 25,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["axis"],
        dtypes: dtypes::ALL,
        build: |node| Ok(Box::new(Self { axis: node.int_or("axis", 1)? })),
    };

    fn place(&self, rank: usize) -> Result<usize, Cause> {
        let counted = if self.axis < 0 { self.axis.saturating_add(rank as i64) } else { self.axis };
        let place = usize::try_from(counted).ok().filter(|place| *place <= rank);
        place.ok_or(Cause::Axis { axis: self.axis, rank })
    }
}

impl Operator for Flatten {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        let (rows, columns) = shape.split_at(self.place(shape.rank())?);
        let shape = SymbolicShape::new([product(rows)?, product(columns)?]);
        Ok(vec![Fact::new(x.dtype, shape).with_elements(x.elements.clone())])
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
    use crate::{Extent, infer};

    fn shape(from: impl Into<SymbolicShape>, axis: i64) -> Result<String, String> {
        let x = Fact::new(DType::U8, from);
        let facts = infer(&Flatten { axis }, "node", &[Some(&x)]).map_err(|error| error.to_string())?;
        Ok(facts[0].shape.as_ref().unwrap().to_string())
    }

    #[test]
    fn extents_are_multiplied() {
        let images = SymbolicShape::new([Extent::symbol("batch"), 3.into(), Extent::symbol("width"), 4.into()]);
        assert_eq!(shape(images.clone(), 1).unwrap(), "[batch, 12*width]");
        assert_eq!(shape(images, 4).unwrap(), "[12*batch*width, 1]");
        assert_eq!(shape([2, 0, 3], 2).unwrap(), "[0, 3]");
        assert_eq!(shape([], 0).unwrap(), "[1, 1]");
        assert_eq!(shape([], 1).unwrap_err(), "Flatten: axis 1 does not exist at rank 0");
        assert_eq!(shape([2], -2).unwrap_err(), "Flatten: axis -2 does not exist at rank 1");
    }
}
