//! Lists of axes, and lists with a number for each axis.

use stratal_tensor_base::{DType, Scalar};

use crate::{Cause, Elements, Extent, Facts, SymbolicShape, axis, dtypes};

/// Axes that may count from the end, in the order in which they are listed, or all if there is no list.
///
/// # Errors
/// [`Cause::Axis`], and [`Cause::Unfit`] for an axis that is listed twice.
pub(crate) fn listed(axes: Option<&[i64]>, rank: usize) -> Result<Vec<usize>, Cause> {
    let Some(axes) = axes else { return Ok((0..rank).collect()) };
    let mut listed = Vec::with_capacity(axes.len());
    for &one in axes {
        let position = axis(one, rank)?;
        if listed.contains(&position) {
            return Err(Cause::Unfit(format!("axis {position} is listed twice in {axes:?}")));
        }
        listed.push(position);
    }
    Ok(listed)
}

/// Checks that an input, if it is there, is a vector of int32 or int64 with a number of elements.
///
/// # Errors
/// [`Cause::DType`], and [`Cause::Shape`] for another shape.
pub(crate) fn check_list(inputs: &Facts<'_>, input: usize, length: usize) -> Result<(), Cause> {
    if inputs.get(input).is_none() {
        return Ok(());
    }
    inputs.dtype(input, dtypes::INDICES)?;
    check_length(inputs, input, length)
}

/// Checks that an input, if it is there, is a vector with a number of elements.
///
/// # Errors
/// [`Cause::Shape`].
pub(crate) fn check_length(inputs: &Facts<'_>, input: usize, length: usize) -> Result<(), Cause> {
    let Some(fact) = inputs.get(input) else { return Ok(()) };
    let found = if fact.shape.is_some() { inputs.vector_length(input)? } else { None };
    // Elements may be known of a tensor whose shape is not.
    let found = [found, fact.elements.as_ref().map(Elements::len)].into_iter().flatten().find(|found| *found != length);
    match found {
        Some(found) => Err(Cause::Shape { input, shape: format!("[{found}]"), expected: format!("[{length}]") }),
        None => Ok(()),
    }
}

/// Checks that an input, if it is there, has one element, and one of some dtypes.
///
/// # Errors
/// [`Cause::DType`], [`Cause::Shape`].
pub(crate) fn check_single(inputs: &Facts<'_>, input: usize, expected: &'static [DType]) -> Result<(), Cause> {
    let Some(fact) = inputs.get(input) else { return Ok(()) };
    inputs.dtype(input, expected)?;
    let Some(shape) = fact.shape.as_ref() else { return Ok(()) };
    if shape.iter().any(|extent| extent.known().is_some_and(|extent| extent != 1)) {
        return Err(Cause::Shape { input, shape: shape.to_string(), expected: "a single element".into() });
    }
    Ok(())
}

/// Checks that no extent that is known is negative.
///
/// # Errors
/// [`Cause::Element`].
pub(crate) fn check_extents(input: usize, extents: &[Extent]) -> Result<(), Cause> {
    match extents.iter().filter_map(Extent::known).find(|extent| *extent < 0) {
        Some(extent) => {
            Err(Cause::Element { input, value: Scalar::from(extent), expected: "no negative number".into() })
        }
        None => Ok(()),
    }
}

/// Checks that two extents, if both are known, are one.
///
/// # Errors
/// [`Cause::Shape`] for an input of a shape.
pub(crate) fn check_extent(inputs: &Facts<'_>, input: usize, axis: usize, expected: &Extent) -> Result<(), Cause> {
    let shape = inputs.shape(input)?;
    match (shape[axis].known(), expected.known()) {
        (Some(found), Some(expected)) if found != expected => {
            let expected = format!("extent {expected} at axis {axis}");
            Err(Cause::Shape { input, shape: shape.to_string(), expected })
        }
        _ => Ok(()),
    }
}

/// Checks that an input is at most as long as a shape of its rank along some axes, as far as both are known.
///
/// # Errors
/// [`Cause::Shape`].
pub(crate) fn check_at_most(
    inputs: &Facts<'_>,
    input: usize,
    most: &SymbolicShape,
    is_checked: impl Fn(usize) -> bool,
) -> Result<(), Cause> {
    let shape = inputs.shape(input)?;
    for (axis, (found, most)) in shape.iter().zip(most.iter()).enumerate().filter(|(axis, _)| is_checked(*axis)) {
        if found.known().zip(most.known()).is_some_and(|(found, most)| found > most) {
            let expected = format!("an extent of at most {most} at axis {axis}");
            return Err(Cause::Shape { input, shape: shape.to_string(), expected });
        }
    }
    Ok(())
}

/// Zero, or false.
pub(crate) fn zero(dtype: DType) -> Scalar {
    stratal_tensor_base::match_dtype!(dtype, T => Scalar::from(Scalar::from(0_u8).cast::<T>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_listed_once() {
        assert_eq!(listed(None, 3), Ok(vec![0, 1, 2]));
        assert_eq!(listed(Some(&[-1, 0]), 3), Ok(vec![2, 0]));
        assert_eq!(listed(Some(&[]), 3), Ok(vec![]));
        assert_eq!(listed(Some(&[3]), 3), Err(Cause::Axis { axis: 3, rank: 3 }));
        assert_eq!(listed(Some(&[1, -2]), 3).unwrap_err().to_string(), "axis 1 is listed twice in [1, -2]");
    }
}
