//! `Granularity`: how many elements share a scale and a zero point.

use stratal_kernels::AnyView;
use stratal_tensor::{Tensor, View};
use stratal_tensor_base::{DType, Geometry, Shape};

use crate::{Cause, Context, Extent, Facts, Node, SymbolicShape, axis, read, write};

/// Which elements share a scale and a zero point, whose shape says the rest: a single number is for all; a vector has one for
/// each place along the axis; with blocks, they have the shape of the operand, but one place along the axis for each block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granularity {
    /// The axis; it may count from the end. Not looked at for single numbers.
    pub axis: i64,
    /// Elements of a block along the axis; 0 if there are no blocks.
    pub block: usize,
}

impl Granularity {
    pub(super) fn of_node(node: &Node<'_>) -> Result<Self, Cause> {
        Ok(Self { axis: node.int_or("axis", 1)?, block: node.size_or("block_size", 0)? })
    }

    /// Checks scales or zero points that are an input.
    pub(super) fn check(&self, inputs: &Facts<'_>, input: usize) -> Result<(), Cause> {
        if inputs.get(input).is_none() {
            return Ok(());
        }
        let (x, found) = (inputs.shape(0)?, inputs.shape(input)?);
        let expected = match found.extents() {
            [] => return Ok(()),
            _ if self.block > 0 => self.blocks(x)?,
            [extent] if extent.is(1) => return Ok(()),
            _ => SymbolicShape::new([x[axis(self.axis, x.rank())?].clone()]),
        };
        let differs = |(found, expected): (&Extent, &Extent)| {
            found.known().zip(expected.known()).is_some_and(|(found, expected)| found != expected)
        };
        if found.rank() == expected.rank() && !found.iter().zip(expected.iter()).any(differs) {
            return Ok(());
        }
        let expected = format!("a single number, or shape {expected}");
        Err(Cause::Shape { input, shape: found.to_string(), expected })
    }

    /// The shape of one number a block.
    fn blocks(&self, x: &SymbolicShape) -> Result<SymbolicShape, Cause> {
        let mut shape = x.clone();
        let along = &mut shape.extents_mut()[axis(self.axis, x.rank())?];
        *along = along.divide_ceil(&(self.block as i64).into())?;
        Ok(shape)
    }

    /// Scales or zero points, converted, in the shape of the operand.
    pub(super) fn spread(
        &self,
        context: &Context<'_>,
        view: &AnyView<'_>,
        dtype: DType,
        shape: &Shape,
    ) -> Result<Tensor, Cause> {
        let values = context.converted(view, dtype)?;
        let extents: Vec<i64> = shape.extents().iter().map(|extent| i64::from(*extent)).collect();
        if values.count() == 1 {
            return Ok(values.reshape(&[])?.expand(&extents)?);
        }
        if shape.is_empty() {
            // One axis of nothing may be as long as extents go.
            return context.scratch(dtype, shape);
        }
        let along = axis(self.axis, shape.rank())?;
        if self.block == 0 {
            let mut ones = vec![1; shape.rank()];
            ones[along] = -1;
            return Ok(values.reshape(&ones)?.expand(&extents)?);
        }
        // The last block may be shorter.
        let blocks: Vec<i64> = (0..extents[along]).map(|place| place / self.block as i64).collect();
        let blocks = View::new(&blocks, Geometry::contiguous(Shape::new(&[extents[along]])?))?.into();
        let spread = context.scratch(dtype, shape)?;
        let values = read(&values)?;
        write(&spread, |spread| {
            Ok::<_, Cause>(context.kernels().gather(&values.view()?, &blocks, along as i64, spread)?)
        })?;
        Ok(spread)
    }
}
