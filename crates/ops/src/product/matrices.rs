//! What products of matrices have in common: vectors as matrices, and shapes.

use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor_base::Geometry;

use crate::{Cause, Extent, Facts, SymbolicShape};

/// The shape of a product of matrices in the last two axes, where those before broadcast. A vector is a row on the left and a
/// column on the right, and that axis is not there in the product.
pub(crate) fn product_shape(a: &SymbolicShape, b: &SymbolicShape) -> Result<SymbolicShape, Cause> {
    let refused = || Cause::Unfit(format!("cannot multiply matrices {a} by {b}"));
    let (batch_of_a, rows, depth) = match a.extents() {
        [] => return Err(scalar(0)),
        [depth] => (&[][..], None, depth),
        [batch @ .., rows, depth] => (batch, Some(rows), depth),
    };
    let (batch_of_b, depth_of_b, columns) = match b.extents() {
        [] => return Err(scalar(1)),
        [depth] => (&[][..], depth, None),
        [batch @ .., depth, columns] => (batch, depth, Some(columns)),
    };
    if depth.known().zip(depth_of_b.known()).is_some_and(|(a, b)| a != b) {
        return Err(refused());
    }
    let batch = |extents: &[Extent]| SymbolicShape::new(extents.iter().cloned());
    let mut shape = batch(batch_of_a).broadcast(&batch(batch_of_b)).map_err(|_| refused())?;
    shape.extents_mut().extend(rows.into_iter().chain(columns).cloned());
    Ok(shape)
}

fn scalar(input: usize) -> Cause {
    Cause::Shape { input, shape: "[]".into(), expected: "a vector or matrices".into() }
}

/// Both sides with the axes of a matrix.
pub(crate) fn sides<'a>(a: &AnyView<'a>, b: &AnyView<'a>) -> Result<[AnyView<'a>; 2], Cause> {
    let is_vector = |view: &AnyView<'_>| view.shape().rank() == 1;
    Ok([
        if is_vector(a) { a.seen(|geometry| Ok::<_, Cause>(geometry.unsqueeze(0)?))? } else { *a },
        if is_vector(b) { b.seen(|geometry| Ok::<_, Cause>(geometry.unsqueeze(1)?))? } else { *b },
    ])
}

/// The product with the axes of a matrix, whichever of its sides are vectors.
pub(crate) fn with_matrix<'r>(
    result: &'r mut AnyViewMut<'_>,
    a: &AnyView<'_>,
    b: &AnyView<'_>,
) -> Result<AnyViewMut<'r>, Cause> {
    result.seen(|geometry| {
        let mut geometry = *geometry;
        if b.shape().rank() == 1 {
            geometry = geometry.unsqueeze(-1)?;
        }
        if a.shape().rank() == 1 {
            geometry = geometry.unsqueeze(-2)?;
        }
        Ok(geometry)
    })
}

/// A number for each row, or one for all, in a shape that broadcasts to the product's.
pub(crate) fn by_row<'a>(view: &AnyView<'a>) -> Result<AnyView<'a>, Cause> {
    let is_vector = view.shape().rank() == 1;
    view.seen(|geometry: &Geometry| Ok(if is_vector { geometry.unsqueeze(-1)? } else { *geometry }))
}

/// Checks an input of a number for each line of a side, or one for all: a scalar, a vector, or of the shape of the side with 1
/// in place of the depth.
pub(crate) fn check_lines(inputs: &Facts<'_>, input: usize, side: usize, is_left: bool) -> Result<(), Cause> {
    if inputs.get(input).is_none() {
        return Ok(());
    }
    let (found, side) = (inputs.shape(input)?, inputs.shape(side)?);
    let mut expected = side.clone();
    let lines = match (side.rank(), is_left) {
        (0 | 1, _) => Extent::from(1),
        (rank, true) => side[rank - 2].clone(),
        (rank, false) => side[rank - 1].clone(),
    };
    if side.rank() > 1 {
        let depth = side.rank() - if is_left { 1 } else { 2 };
        expected.extents_mut()[depth] = 1.into();
    }
    let fits = |found: &Extent, expected: &Extent| match (found.known(), expected.known()) {
        (Some(found), Some(expected)) => found == 1 || found == expected,
        _ => true,
    };
    let is_fit = match found.extents() {
        [] => true,
        [extent] => fits(extent, &lines),
        extents => extents.len() == expected.rank() && extents.iter().zip(expected.iter()).all(|(a, b)| fits(a, b)),
    };
    if is_fit {
        return Ok(());
    }
    let lines = if is_left { "row" } else { "column" };
    let expected = format!("a single number, or one for each {lines} of {side}");
    Err(Cause::Shape { input, shape: found.to_string(), expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(a: impl Into<SymbolicShape>, b: impl Into<SymbolicShape>) -> Result<String, String> {
        product_shape(&a.into(), &b.into()).map(|shape| shape.to_string()).map_err(|cause| cause.to_string())
    }

    #[test]
    fn vectors_and_leading_axes() {
        assert_eq!(shape([3], [3]).unwrap(), "[]");
        assert_eq!(shape([4], [2, 4, 1]).unwrap(), "[2, 1]");
        assert_eq!(shape([1, 2, 4, 3], [3]).unwrap(), "[1, 2, 4]");
        let heads = SymbolicShape::new([Extent::symbol("batch"), 1.into(), Extent::symbol("seq"), 64.into()]);
        assert_eq!(shape(heads, [12, 64, 7]).unwrap(), "[batch, 12, seq, 7]");
        assert_eq!(shape([2, 0], [0, 3]).unwrap(), "[2, 3]");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        assert_eq!(shape([2, 3], [4, 5]).unwrap_err(), "cannot multiply matrices [2, 3] by [4, 5]");
        assert_eq!(shape([2, 3, 4], [3, 4, 5]).unwrap_err(), "cannot multiply matrices [2, 3, 4] by [3, 4, 5]");
        assert_eq!(shape([], [3]).unwrap_err(), "input 0 has shape []: expected a vector or matrices");
    }
}
