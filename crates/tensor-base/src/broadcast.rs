//! Broadcasting of shapes: NumPy's multidirectional rule.

use crate::{MAX_RANK, Shape, ShapeError};

impl Shape {
    /// The shape that both broadcast to: aligned at the last axis, each pair of extents is equal or one of them is 1.
    ///
    /// An extent of 0 against 1 gives 0. The result is within the limits of a shape; its bytes matter to whoever
    /// allocates.
    ///
    /// # Errors
    /// [`ShapeError::Broadcast`], [`ShapeError::TooManyElements`].
    ///
    /// ```
    /// use stratal_tensor_base::Shape;
    ///
    /// let left = Shape::new(&[2, 1])?;
    /// let right = Shape::new(&[3])?;
    /// assert_eq!(left.broadcast(&right)?, Shape::new(&[2, 3])?);
    /// # Ok::<(), stratal_tensor_base::ShapeError>(())
    /// ```
    pub fn broadcast(&self, other: &Self) -> Result<Self, ShapeError> {
        let rank = self.rank().max(other.rank());
        let mut extents = [1; MAX_RANK];
        for (axis, extent) in extents[..rank].iter_mut().enumerate() {
            *extent = match (self.aligned(axis, rank), other.aligned(axis, rank)) {
                (left, right) if left == right => left,
                (1, right) => right,
                (left, 1) => left,
                _ => {
                    return Err(ShapeError::Broadcast { left: *self, right: *other });
                }
            };
        }
        Self::from_extents(&extents[..rank])
    }

    /// The shape that all broadcast to; no shapes broadcast to a scalar.
    ///
    /// # Errors
    /// Those of [`Shape::broadcast`], naming the first shape that does not fit what came before it.
    pub fn broadcast_all<'a>(shapes: impl IntoIterator<Item = &'a Self>) -> Result<Self, ShapeError> {
        shapes.into_iter().try_fold(Self::SCALAR, |result, shape| result.broadcast(shape))
    }

    /// The extent of an axis after ones in front have filled the shape up to `rank`.
    fn aligned(&self, axis: usize, rank: usize) -> u32 {
        (axis + self.rank()).checked_sub(rank).map_or(1, |own| self.extents()[own])
    }
}
