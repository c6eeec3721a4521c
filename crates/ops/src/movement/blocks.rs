//! Blocks of images whose elements become channels, and back.

use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor_base::{Geometry, Shape};

use crate::{Cause, Context, Facts, Node, SymbolicShape, attribute};

/// In which order the channels of a block are numbered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DepthOrder {
    /// The place in the block first, row by row, then the channel: ONNX's `DCR`.
    #[default]
    PlaceChannel,
    /// The channel first, then the place in the block: ONNX's `CRD`.
    ChannelPlace,
}

/// The attributes of both operators.
pub(super) fn attributes(node: &Node<'_>) -> Result<(i64, DepthOrder), Cause> {
    let block = node.needed("blocksize", node.int("blocksize")?)?;
    area(block)?;
    let words = [("DCR", DepthOrder::PlaceChannel), ("CRD", DepthOrder::ChannelPlace)];
    Ok((block, node.word("mode", "DCR or CRD", &words)?))
}

/// How many elements a block has.
pub(super) fn area(block: i64) -> Result<i64, Cause> {
    let area = block.checked_mul(block).filter(|_| block > 0);
    area.ok_or_else(|| attribute("blocksize", block, "a positive number whose square is within 64 bits"))
}

/// The shape of images (batch, channels, height, width) with extents multiplied or divided by a number each.
pub(super) fn shape(inputs: &Facts<'_>, by: [(i64, bool); 3]) -> Result<SymbolicShape, Cause> {
    let from = inputs.shape_of_rank(0, 4)?;
    let mut to = from.clone();
    for (axis, (by, divides)) in (1..).zip(by) {
        let (extent, by) = (&from[axis], by.into());
        to.extents_mut()[axis] = if divides { extent.divide_floor(&by)? } else { extent.multiply(&by)? };
        let is_unfit = divides && extent.known().is_some() && to[axis].multiply(&by)? != *extent;
        if is_unfit {
            let expected = format!("an extent at axis {axis} that {by} divides");
            return Err(Cause::Shape { input: 0, shape: from.to_string(), expected });
        }
    }
    Ok(to)
}

/// Images whose blocks are in channels, seen as (batch, channels, height, row in the block, width, column in the block).
pub(super) fn channels(geometry: &Geometry, block: i64, order: DepthOrder) -> Result<Geometry, Cause> {
    let [batch, channels, height, width] = extents(geometry);
    let depth = channels / area(block)?;
    let (split, order) = match order {
        DepthOrder::PlaceChannel => ([batch, block, block, depth, height, width], [0, 3, 4, 1, 5, 2]),
        DepthOrder::ChannelPlace => ([batch, depth, block, block, height, width], [0, 1, 4, 2, 5, 3]),
    };
    Ok(reshaped(geometry, &split)?.permute(&order)?)
}

/// Images whose blocks are laid out, seen in the same way.
pub(super) fn laid_out(geometry: &Geometry, block: i64) -> Result<Geometry, Cause> {
    let [batch, channels, height, width] = extents(geometry);
    area(block)?;
    reshaped(geometry, &[batch, channels, height / block, block, width / block, block])
}

/// Copies what both geometries show.
pub(super) fn copy(
    context: &Context<'_>,
    x: &AnyView<'_>,
    result: &mut AnyViewMut<'_>,
    from: impl FnOnce(&Geometry) -> Result<Geometry, Cause>,
    to: impl FnOnce(&Geometry) -> Result<Geometry, Cause>,
) -> Result<(), Cause> {
    Ok(context.kernels().copy(&x.seen(from)?, &mut result.seen(to)?)?)
}

fn extents(geometry: &Geometry) -> [i64; 4] {
    let mut extents = [0; 4];
    for (to, from) in extents.iter_mut().zip(geometry.shape().extents()) {
        *to = i64::from(*from);
    }
    extents
}

/// With axes split, which strides can always say.
fn reshaped(geometry: &Geometry, extents: &[i64]) -> Result<Geometry, Cause> {
    let from = *geometry.shape();
    let unfit = || Cause::Unfit(format!("cannot see {from} as {extents:?}"));
    geometry.try_reshape(&Shape::new(extents)?).ok_or_else(unfit)
}
