//! `Compress`: the slices of an axis at which a condition is true.

use stratal_tensor_base::Shape;

use crate::{
    Cause, Context, Definition, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, SymbolicShape, axis, dtypes,
};

/// The slices of an axis at which a condition, a vector of truths, is true; without an axis the elements in row-major order.
/// A condition may be shorter than the axis: nothing is taken behind its end. A longer one is an error.
#[derive(Debug, Clone, Copy, Default)]
pub struct Compress {
    /// The axis, which may count from the end; none for a vector of all elements.
    pub axis: Option<i64>,
}

impl Compress {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Compress",
        since: 28,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &["axis"],
        dtypes: dtypes::ALL,
        build: |node: &Node<'_>| Ok(Box::new(Self { axis: node.int("axis")? })),
    };
}

impl Operator for Compress {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        inputs.dtype(1, dtypes::TRUTHS)?;
        let condition = &inputs.shape_of_rank(1, 1)?[0];
        let along = self.axis.map(|along| axis(along, shape.rank())).transpose()?;
        let most = along.map_or_else(|| shape.count().ok()?.known(), |along| shape[along].known());
        if let Some((_, most)) = condition.known().zip(most).filter(|(condition, most)| condition > most) {
            let expected = format!("at most {most} elements");
            return Err(Cause::Shape { input: 1, shape: format!("[{condition}]"), expected });
        }
        let mut taken = along.map_or_else(SymbolicShape::default, |_| shape.clone());
        let count = inputs.unknown("count");
        match along {
            Some(along) => taken.extents_mut()[along] = count,
            None => taken.extents_mut().push(count),
        }
        Ok(vec![Fact::new(x.dtype, taken)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, condition) = (inputs.required(0)?, inputs.required(1)?);
        let count = context.kernels().count_non_zero(condition) as i64;
        let extents = x.shape().extents().iter().map(|extent| i64::from(*extent));
        let shape = match self.axis.map(|along| axis(along, x.shape().rank())).transpose()? {
            Some(along) => {
                let mut extents: Vec<_> = extents.collect();
                extents[along] = count;
                Shape::new(&extents)?
            }
            None => Shape::new(&[count])?,
        };
        outputs.write_shaped(0, &shape, |result| context.kernels().compress(x, condition, self.axis, result))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Extent, infer};

    #[test]
    fn the_axis_gets_an_extent_of_its_own() {
        let shape = |axis, condition: i64| {
            let x = Fact::new(DType::F32, SymbolicShape::new([Extent::symbol("n"), 3.into()]));
            let condition = Fact::new(DType::Bool, [condition]);
            let facts = infer(&Compress { axis }, "node", &[Some(&x), Some(&condition)]);
            Ok::<_, String>(facts.map_err(|error| error.to_string())?[0].shape.as_ref().unwrap().to_string())
        };
        assert_eq!(shape(Some(-1), 2).unwrap(), "[n, node.count]");
        assert_eq!(shape(None, 100).unwrap(), "[node.count]");
        let error = shape(Some(1), 4).unwrap_err();
        assert_eq!(error, "Compress: input 1 has shape [4]: expected at most 3 elements");
        assert!(shape(Some(2), 1).is_err());
    }
}
