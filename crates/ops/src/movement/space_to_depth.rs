//! `SpaceToDepth`: blocks of images gathered in channels.

use super::blocks::{self, DepthOrder, channels, laid_out};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// Gathers the elements of blocks in channels: images of shape (batch, channels, height, width) become smaller by `block`
/// along height and width, and have `block * block` times more channels.
#[derive(Debug, Clone, Copy)]
pub struct SpaceToDepth {
    /// The height and width of a block, positive.
    pub block: i64,
    /// In which order the channels of a block are numbered.
    pub order: DepthOrder,
}

impl SpaceToDepth {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "SpaceToDepth",
        since: 28,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["blocksize", "mode"],
        dtypes: dtypes::ALL,
        build: |node| blocks::attributes(node).map(|(block, order)| Box::new(Self { block, order }) as _),
    };
}

impl Operator for SpaceToDepth {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let area = blocks::area(self.block)?;
        let shape = blocks::shape(inputs, [(area, false), (self.block, true), (self.block, true)])?;
        Ok(vec![Fact::new(inputs.required(0)?.dtype, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let Self { block, order } = *self;
        outputs.write(0, |result| {
            blocks::copy(context, x, result, |from| laid_out(from, block), |to| channels(to, block, order))
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{DepthToSpace, infer};

    #[test]
    fn both_operators_undo_each_other() {
        let context = Context::new().unwrap();
        let x = Tensor::arange(0, 2 * 8 * 2 * 3, 1, DType::I16).unwrap().reshape(&[2, 8, 2, 3]).unwrap();
        for order in [DepthOrder::PlaceChannel, DepthOrder::ChannelPlace] {
            let images = context.run(&DepthToSpace { block: 2, order }, &[Some(&x)]).unwrap();
            assert_eq!(images[0].shape().extents(), [2, 2, 4, 6]);
            let channels = context.run(&SpaceToDepth { block: 2, order }, &[Some(&images[0])]).unwrap();
            assert_eq!(channels[0].shape(), x.shape());
            assert_eq!(channels[0].to_vec::<i16>().unwrap(), x.to_vec::<i16>().unwrap());
        }
    }

    #[test]
    fn extents_must_divide() {
        let operator = SpaceToDepth { block: 2, order: DepthOrder::default() };
        let error = infer(&operator, "node", &[Some(&Fact::new(DType::F32, [1, 1, 4, 3]))]).unwrap_err().to_string();
        assert_eq!(error, "SpaceToDepth: input 0 has shape [1, 1, 4, 3]: expected an extent at axis 3 that 2 divides");
    }
}
