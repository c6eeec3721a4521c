//! `SymbolicShape`: extents that may not be known yet.

use std::fmt;
use std::ops::Deref;

use stratal_tensor_base::{Shape, ShapeError};

use crate::{Extent, ExtentError};

/// The extents of a tensor, of which some may be symbols.
///
/// ```
/// use stratal_ops::{Extent, SymbolicShape};
///
/// let left = SymbolicShape::new([Extent::symbol("batch"), 1.into()]);
/// let right = SymbolicShape::from([12, 64]);
/// assert_eq!(left.broadcast(&right)?.to_string(), "[12, 64]");
/// assert_eq!(left.broadcast(&SymbolicShape::from([7]))?.to_string(), "[batch, 7]");
/// # Ok::<(), stratal_ops::ExtentError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct SymbolicShape(Vec<Extent>);

impl SymbolicShape {
    /// A shape of these extents.
    pub fn new(extents: impl IntoIterator<Item = Extent>) -> Self {
        Self(extents.into_iter().collect())
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The extents.
    pub fn extents(&self) -> &[Extent] {
        &self.0
    }

    /// The extents, to change.
    pub fn extents_mut(&mut self) -> &mut Vec<Extent> {
        &mut self.0
    }

    /// The shape, if all extents are known.
    ///
    /// # Errors
    /// [`ShapeError`] beyond the limits of shapes.
    pub fn known(&self) -> Result<Option<Shape>, ShapeError> {
        self.known_extents().map(|extents| Shape::new(&extents)).transpose()
    }

    /// The extents as numbers, if all are known.
    pub fn known_extents(&self) -> Option<Vec<i64>> {
        self.0.iter().map(Extent::known).collect()
    }

    /// The number of elements.
    ///
    /// # Errors
    /// [`ExtentError`] when it cannot be expressed.
    pub fn count(&self) -> Result<Extent, ExtentError> {
        product(&self.0)
    }

    /// The shape of an element-by-element operation on both.
    ///
    /// # Errors
    /// [`ExtentError::Broadcast`] when two axes do not fit each other.
    pub fn broadcast(&self, other: &Self) -> Result<Self, ExtentError> {
        let rank = self.rank().max(other.rank());
        let one = Extent::from(1);
        let extent = |shape: &Self, axis: usize| {
            (axis + shape.rank()).checked_sub(rank).map_or_else(|| one.clone(), |axis| shape.0[axis].clone())
        };
        (0..rank).map(|axis| extent(self, axis).broadcast(&extent(other, axis))).collect::<Result<_, _>>().map(Self)
    }

    /// The extents as numbers, with a value for each symbol.
    ///
    /// # Errors
    /// Those of [`Extent::evaluate`].
    pub fn evaluate(&self, symbols: &dyn Fn(&str) -> Option<i64>) -> Result<Vec<i64>, ExtentError> {
        self.0.iter().map(|extent| extent.evaluate(symbols)).collect()
    }
}

/// The product of extents.
pub(crate) fn product(extents: &[Extent]) -> Result<Extent, ExtentError> {
    // A zero makes the product known, whatever the others are.
    if extents.iter().any(|extent| extent.is(0)) {
        return Ok(0.into());
    }
    extents.iter().try_fold(Extent::from(1), |product, extent| product.multiply(extent))
}

impl Deref for SymbolicShape {
    type Target = [Extent];

    fn deref(&self) -> &[Extent] {
        &self.0
    }
}

impl From<&Shape> for SymbolicShape {
    fn from(shape: &Shape) -> Self {
        Self(shape.extents().iter().map(|&extent| i64::from(extent).into()).collect())
    }
}

impl<const N: usize> From<[i64; N]> for SymbolicShape {
    fn from(extents: [i64; N]) -> Self {
        Self(extents.into_iter().map(Extent::from).collect())
    }
}

impl FromIterator<Extent> for SymbolicShape {
    fn from_iter<I: IntoIterator<Item = Extent>>(extents: I) -> Self {
        Self::new(extents)
    }
}

impl fmt::Display for SymbolicShape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(&self.0).finish()
    }
}

impl fmt::Debug for SymbolicShape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broadcasting_names_what_does_not_fit() {
        let error = SymbolicShape::from([2, 3]).broadcast(&SymbolicShape::from([4])).unwrap_err();
        assert_eq!(error.to_string(), "cannot broadcast 3 with 4");
        // An axis without elements is no axis of 1.
        let empty = SymbolicShape::from([2, 1]).broadcast(&SymbolicShape::from([2, 0])).unwrap();
        assert_eq!(empty, SymbolicShape::from([2, 0]));
    }

    #[test]
    fn shapes_beyond_the_limits_are_errors() {
        assert!(SymbolicShape::from([1 << 40]).known().is_err());
        assert!(SymbolicShape::from([-1]).known().is_err());
        assert_eq!(SymbolicShape::new([Extent::symbol("n")]).known(), Ok(None));
    }
}
