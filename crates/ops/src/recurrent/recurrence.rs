//! `Recurrence`: what all recurrent operators have in common.

use stratal_tensor_base::DType;

use super::Activation;
use crate::{Cause, Extent, Facts, Node, SymbolicShape, attribute, dtypes};

/// The settings that all recurrent operators share.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recurrence {
    /// Which way the sequence is read.
    pub direction: Direction,
    /// The functions for the gates of each direction, in the operator's order; none for those that it has by itself.
    pub activations: Vec<Activation>,
    /// If there is one, what activations are given is bounded by it on both sides.
    pub clip: Option<f32>,
    /// The size of the state, if it is to be checked.
    pub hidden_size: Option<usize>,
    /// Whether the batch is the first axis of sequences and states: ONNX's layout 1.
    pub is_batch_first: bool,
}

/// Which way a sequence is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// From its first step on.
    #[default]
    Forward,
    /// From its last step on.
    Reverse,
    /// Both ways, each with weights and states of its own.
    Bidirectional,
}

/// The extents of a recurrent layer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LayerExtents {
    pub(super) steps: Extent,
    pub(super) batch: Extent,
    pub(super) features: Extent,
    pub(super) hidden: Extent,
}

impl Direction {
    /// How many times the sequence is read.
    pub const fn count(self) -> usize {
        match self {
            Self::Forward | Self::Reverse => 1,
            Self::Bidirectional => 2,
        }
    }

    /// Whether one of the times is from the last step on.
    pub(super) const fn is_reverse(self, time: usize) -> bool {
        matches!((self, time), (Self::Reverse, _) | (Self::Bidirectional, 1))
    }
}

impl Recurrence {
    /// The settings of a node whose operator has so many activations for each direction.
    pub(super) fn of_node(node: &Node<'_>, activations: usize) -> Result<Self, Cause> {
        let words = [
            ("forward", Direction::Forward),
            ("reverse", Direction::Reverse),
            ("bidirectional", Direction::Bidirectional),
        ];
        let direction = node.word("direction", "forward, reverse or bidirectional", &words)?;
        let needed = activations * direction.count();
        let mut list = Activation::list(node)?;
        // ONNX's default for one direction names functions for two.
        if !list.is_empty() && list.len() != needed && list.len() != 2 * activations {
            let expected = "one for each kind of gate, in each direction";
            return Err(attribute("activations", format!("a list of {}", list.len()), expected));
        }
        list.truncate(needed);
        let clip = node.float("clip")?;
        if let Some(clip) = clip.filter(|clip| clip.is_nan() || *clip < 0.0) {
            return Err(attribute("clip", clip, "no negative number"));
        }
        let hidden_size = node.int("hidden_size")?.map(|_| node.size_or("hidden_size", 0)).transpose()?;
        Ok(Self { direction, activations: list, clip, hidden_size, is_batch_first: node.flag("layout", false)? })
    }

    /// The activations of a direction, or those that the operator has by itself.
    pub(super) fn activations<const N: usize>(&self, direction: usize, own: [Activation; N]) -> [Activation; N] {
        let given = self.activations.get(direction * N..(direction + 1) * N);
        given.and_then(|given| given.try_into().ok()).unwrap_or(own)
    }

    /// Checks the sequences, and what all operators have at the same position: lengths and the first state. The extents; that of
    /// states is the one of their weights at an axis.
    pub(super) fn extents(&self, inputs: &Facts<'_>, axis: usize) -> Result<LayerExtents, Cause> {
        let x = inputs.shape_of_rank(0, 3)?;
        let (steps, batch) = if self.is_batch_first { (&x[1], &x[0]) } else { (&x[0], &x[1]) };
        let hidden = match self.hidden_size {
            Some(size) => (size as i64).into(),
            None => inputs.shape_of_rank(2, 3)?[axis].clone(),
        };
        let extents = LayerExtents { steps: steps.clone(), batch: batch.clone(), features: x[2].clone(), hidden };
        if inputs.get(4).is_some() {
            inputs.dtype(4, dtypes::INDICES)?;
            inputs.check_shape(4, &SymbolicShape::new([extents.batch.clone()]))?;
        }
        inputs.check_shape(5, &self.state(&extents))?;
        Ok(extents)
    }

    /// The number of directions.
    pub(super) fn directions(&self) -> Extent {
        (self.direction.count() as i64).into()
    }

    /// The shape of states.
    pub(super) fn state(&self, extents: &LayerExtents) -> SymbolicShape {
        let (directions, batch, hidden) = (self.directions(), extents.batch.clone(), extents.hidden.clone());
        SymbolicShape::new(if self.is_batch_first { [batch, directions, hidden] } else { [directions, batch, hidden] })
    }

    /// The shape of the states of all steps.
    pub(super) fn sequence(&self, extents: &LayerExtents) -> SymbolicShape {
        let LayerExtents { steps, batch, hidden, .. } = extents.clone();
        let directions = self.directions();
        SymbolicShape::new(if self.is_batch_first {
            [batch, steps, directions, hidden]
        } else {
            [steps, directions, batch, hidden]
        })
    }

    /// Checks float weights, and a bias for so many gates.
    pub(super) fn check_weights(&self, inputs: &Facts<'_>, extents: &LayerExtents, gates: i64) -> Result<DType, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        [1, 2, 3, 5].into_iter().try_for_each(|input| inputs.check_dtype(input, dtype))?;
        let rows = extents.hidden.multiply(&gates.into())?;
        let of = |columns: &Extent| SymbolicShape::new([self.directions(), rows.clone(), columns.clone()]);
        inputs.check_shape(1, &of(&extents.features))?;
        inputs.check_shape(2, &of(&extents.hidden))?;
        self.check_bias(inputs, extents, gates)?;
        Ok(dtype)
    }

    /// Checks the biases of inputs and states.
    pub(super) fn check_bias(&self, inputs: &Facts<'_>, extents: &LayerExtents, gates: i64) -> Result<(), Cause> {
        let biases = extents.hidden.multiply(&(2 * gates).into())?;
        inputs.check_shape(3, &SymbolicShape::new([self.directions(), biases]))
    }
}
