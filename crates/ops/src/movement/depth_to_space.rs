//! `DepthToSpace`: channels laid out as blocks of images.

use super::blocks::{self, DepthOrder, channels, laid_out};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Lays channels out as blocks of elements: images of shape (batch, channels, height, width) become larger by `block` along
/// height and width, and have `block * block` times fewer channels.
#[derive(Debug, Clone, Copy)]
pub struct DepthToSpace {
    /// The height and width of a block, positive.
    pub block: i64,
    /// In which order the channels of a block are numbered.
    pub order: DepthOrder,
}

impl DepthToSpace {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "DepthToSpace",
        since: 28,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["blocksize", "mode"],
        dtypes: dtypes::ALL,
        build: |node| blocks::attributes(node).map(|(block, order)| Box::new(Self { block, order }) as _),
    };
}

impl Operator for DepthToSpace {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let area = blocks::area(self.block)?;
        let shape = blocks::shape(inputs, [(area, true), (self.block, false), (self.block, false)])?;
        Ok(vec![Fact::new(inputs.required(0)?.dtype, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let Self { block, order } = *self;
        outputs.write(0, |result| {
            blocks::copy(context, x, result, |from| channels(from, block, order), |to| laid_out(to, block))
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Attributes, Extent, SymbolicShape, build, infer};

    #[test]
    fn extents_move_between_axes() {
        let shape = |x: SymbolicShape| {
            let operator = DepthToSpace { block: 2, order: DepthOrder::default() };
            let facts =
                infer(&operator, "node", &[Some(&Fact::new(DType::F32, x))]).map_err(|error| error.to_string())?;
            Ok::<_, String>(facts[0].shape.as_ref().unwrap().to_string())
        };
        let (n, h) = (Extent::symbol("n"), Extent::symbol("h"));
        assert_eq!(shape(SymbolicShape::new([n, 12.into(), h, 0.into()])).unwrap(), "[n, 3, 2*h, 0]");
        let error = shape([1, 6, 2, 2].into()).unwrap_err();
        assert_eq!(error, "DepthToSpace: input 0 has shape [1, 6, 2, 2]: expected an extent at axis 1 that 4 divides");
        assert!(shape([6, 2, 2].into()).unwrap_err().contains("expected rank 4"));
        let error = build("", "DepthToSpace", &Attributes::new().with("blocksize", 0), 1, 1).unwrap_err().to_string();
        assert_eq!(
            error,
            "DepthToSpace: attribute blocksize is 0: expected a positive number whose square is within 64 bits"
        );
    }
}
