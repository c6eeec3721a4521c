//! Heads: tensors that hold the features of all heads side by side, and those that have an axis for them.

use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor_base::{Geometry, Shape};

use crate::{Cause, Extent, Facts, SymbolicShape};

/// The extents of queries, keys or values, whichever way they lie.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HeadExtents {
    pub(super) batch: Extent,
    pub(super) heads: Extent,
    pub(super) sequence: Extent,
    /// The features of one head.
    pub(super) size: Extent,
}

impl HeadExtents {
    /// Of an input of shape `[batch, heads, sequence, size]`, or `[batch, sequence, heads * size]` with a number of heads that
    /// an attribute gives, if there is one.
    pub(super) fn of(
        inputs: &Facts<'_>,
        input: usize,
        attribute: Option<&'static str>,
        heads: Option<usize>,
    ) -> Result<Self, Cause> {
        let shape = inputs.shape(input)?;
        let unfit = |expected: String| Cause::Shape { input, shape: shape.to_string(), expected };
        let given = heads.map(|heads| Extent::from(heads as i64));
        match shape.extents() {
            [batch, heads, sequence, size] => {
                if given
                    .as_ref()
                    .and_then(Extent::known)
                    .zip(heads.known())
                    .is_some_and(|(given, heads)| given != heads)
                {
                    return Err(unfit(format!(
                        "{} heads at axis 1, as {} says",
                        given.unwrap_or(0.into()),
                        attribute.unwrap_or_default()
                    )));
                }
                Ok(Self { batch: batch.clone(), heads: heads.clone(), sequence: sequence.clone(), size: size.clone() })
            }
            [batch, sequence, features] => {
                let name = attribute.ok_or_else(|| unfit("rank 4".into()))?;
                let heads = given.ok_or(Cause::MissingAttribute { name })?;
                let is_multiple = heads
                    .known()
                    .zip(features.known())
                    .is_none_or(|(heads, features)| heads != 0 && features % heads == 0);
                if !is_multiple {
                    return Err(unfit(format!("a multiple of the {heads} heads at axis 2")));
                }
                let size = features.divide_floor(&heads)?;
                Ok(Self { batch: batch.clone(), heads, sequence: sequence.clone(), size })
            }
            _ => Err(unfit("rank 3 or 4".into())),
        }
    }

    /// The shape of a tensor of as many axes as an input has.
    pub(super) fn shape(&self, rank: usize) -> Result<SymbolicShape, Cause> {
        let Self { batch, heads, sequence, size } = self.clone();
        Ok(if rank == 3 {
            let features = heads.multiply(&size)?;
            SymbolicShape::new([batch, sequence, features])
        } else {
            SymbolicShape::new([batch, heads, sequence, size])
        })
    }
}

/// Sees `[batch, sequence, heads * size]` as `[batch, heads, sequence, size]`; what has four axes stays.
pub(super) fn split<'a>(view: &AnyView<'a>, heads: Option<usize>) -> Result<AnyView<'a>, Cause> {
    view.seen(|geometry| split_geometry(geometry, heads))
}

/// [`split`], to write.
pub(super) fn split_mut<'a>(view: &'a mut AnyViewMut<'_>, heads: Option<usize>) -> Result<AnyViewMut<'a>, Cause> {
    view.seen(|geometry| split_geometry(geometry, heads))
}

fn split_geometry(geometry: &Geometry, heads: Option<usize>) -> Result<Geometry, Cause> {
    let (&[batch, sequence, features], Some(heads)) = (geometry.shape().extents(), heads) else { return Ok(*geometry) };
    let size = (features as usize).checked_div(heads).unwrap_or(0);
    let shape = Shape::new(&[batch.into(), sequence.into(), heads as i64, size as i64])?;
    Ok(reshaped(geometry, &shape)?.permute(&[0, 2, 1, 3])?)
}

/// The same elements in another shape, where strides can say it.
pub(super) fn reshaped(geometry: &Geometry, shape: &Shape) -> Result<Geometry, Cause> {
    let unfit = || Cause::Unfit(format!("cannot see {} as {shape}", geometry.shape()));
    geometry.try_reshape(shape).ok_or_else(unfit)
}
