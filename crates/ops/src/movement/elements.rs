//! The elements of small tensors, which move with the tensors: shapes are computed from them.

use stratal_kernels::AnyViewMut;
use stratal_tensor_base::Geometry;

use crate::{Cause, Elements, Fact, MAX_FACT_ELEMENTS};

/// The elements that a view of a tensor shows.
pub(crate) fn seen(fact: &Fact, change: impl FnOnce(&Geometry) -> Result<Geometry, Cause>) -> Option<Elements> {
    let elements = fact.elements.as_ref()?;
    let shape = fact.shape.as_ref()?.known().ok()??;
    let view = change(&Geometry::contiguous(shape)).ok()?;
    if view.shape().count() > MAX_FACT_ELEMENTS { None } else { picked(elements, view.offsets()) }
}

/// The elements at positions; none if one of them does not exist.
pub(crate) fn picked(elements: &Elements, mut positions: impl Iterator<Item = usize>) -> Option<Elements> {
    fn picked<T: Clone>(elements: &[T], positions: &mut dyn Iterator<Item = usize>) -> Option<Vec<T>> {
        positions.map(|position| elements.get(position).cloned()).collect()
    }
    match elements {
        Elements::Integers(integers) => picked(integers, &mut positions).map(Elements::Integers),
        Elements::Floats(floats) => picked(floats, &mut positions).map(Elements::Floats),
    }
}

/// The elements of several tensors, one after the other.
pub(crate) fn joined<'a>(parts: impl IntoIterator<Item = &'a Fact>) -> Option<Elements> {
    let mut parts = parts.into_iter();
    let mut joined = parts.next()?.elements.clone()?;
    for part in parts {
        match (&mut joined, part.elements.as_ref()?) {
            (Elements::Integers(joined), Elements::Integers(part)) => joined.extend_from_slice(part),
            (Elements::Floats(joined), Elements::Floats(part)) => joined.extend_from_slice(part),
            _ => return None,
        }
    }
    Some(joined)
}

/// Writes integers to a result of int64 in row-major order, as many as it has elements.
pub(crate) fn write_integers(result: &mut AnyViewMut<'_>, integers: &[i64]) -> Result<(), Cause> {
    let (dtype, shape) = (result.dtype(), *result.shape());
    let unfit = || Cause::Unfit(format!("{} integers do not fit a result of {dtype} {shape}", integers.len()));
    let mut view = result.typed::<i64>().filter(|_| integers.len() == shape.count()).ok_or_else(unfit)?;
    let geometry = *view.geometry();
    for (offset, integer) in geometry.offsets().zip(integers) {
        view.elements_mut()[offset] = *integer;
    }
    Ok(())
}
