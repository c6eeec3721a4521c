//! Max unpooling: elements put back to where a maximum was found.

use bytemuck::{cast_slice, cast_slice_mut};

use super::PoolingError;
use crate::{AnyView, AnyViewMut};
use stratal_tensor_base::{DType, match_dtype};

/// The indices in logical order, unless one of them is outside a result of so many elements.
pub(crate) fn positions(indices: &AnyView<'_>, count: usize) -> Result<Vec<usize>, PoolingError> {
    let offsets = indices.geometry().offsets();
    let index_at: Box<dyn Fn(usize) -> i64> = match indices.dtype() {
        DType::I32 => {
            let elements = indices.elements::<i32>();
            Box::new(move |offset| elements[offset].into())
        }
        _ => {
            let elements: &[i64] = cast_slice(indices.bytes());
            Box::new(move |offset| elements[offset])
        }
    };
    let checked = |(position, offset): (usize, usize)| {
        let index = index_at(offset);
        let inside = usize::try_from(index).ok().filter(|index| *index < count);
        inside.ok_or(PoolingError::Index { index, position, count })
    };
    offsets.enumerate().map(checked).collect()
}

/// Writes zeros, and the elements to their positions in row-major order of the result, the last one where several meet.
pub(crate) fn scatter(x: &AnyView<'_>, positions: &[usize], result: &mut AnyViewMut<'_>) {
    let geometry = *result.geometry();
    let extents: Vec<usize> = geometry.shape().extents().iter().map(|extent| *extent as usize).collect();
    let offset_of = |mut position: usize| {
        let mut offset = geometry.offset();
        for (extent, stride) in extents.iter().zip(geometry.strides()).rev() {
            offset = offset.wrapping_add_signed(*stride as isize * (position % extent) as isize);
            position /= extent;
        }
        offset
    };
    let is_contiguous = geometry.is_contiguous();
    match_dtype!(x.dtype(), T => {
        let elements = x.elements::<T>();
        let to: &mut [T] = cast_slice_mut(result.parts().1);
        let zero: T = bytemuck::Zeroable::zeroed();
        if is_contiguous {
            to[geometry.offset()..][..geometry.shape().count()].fill(zero);
        } else {
            geometry.offsets().for_each(|offset| to[offset] = zero);
        }
        for (offset, position) in x.geometry().offsets().zip(positions) {
            let place = if is_contiguous { geometry.offset() + position } else { offset_of(*position) };
            to[place] = elements[offset];
        }
    });
}
