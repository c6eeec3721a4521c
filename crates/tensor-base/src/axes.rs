//! Views that reorder, add, drop and merge axes.

use crate::{Geometry, Integers, Shape, ShapeError, ViewError, geometry::AxisList, strides::fitting_stride};

impl Geometry {
    /// Axis `i` of the result is axis `axes[i]` of this; negative axes count from the end.
    ///
    /// # Errors
    /// [`ViewError::NotAPermutation`] for a list of another length than the rank, [`ViewError::AxisOutOfRange`] and
    /// [`ViewError::RepeatedAxis`]. An empty tensor may be refused with [`ShapeError::TooManyElements`] when its
    /// extent of 0 would no longer lead.
    ///
    /// ```
    /// use stratal_tensor_base::{Geometry, Shape};
    ///
    /// let geometry = Geometry::contiguous(Shape::new(&[2, 3, 4])?);
    /// let permuted = geometry.permute(&[-1, 0, 1])?;
    /// assert_eq!(permuted.shape().extents(), [4, 2, 3]);
    /// assert_eq!(permuted.strides(), [1, 12, 4]);
    /// # Ok::<(), stratal_tensor_base::Error>(())
    /// ```
    pub fn permute(&self, axes: &[i64]) -> Result<Self, ViewError> {
        let rank = self.shape().rank();
        if axes.len() != rank {
            return Err(ViewError::NotAPermutation { axes: Integers::new(axes), rank });
        }
        self.distinct_axes(axes)?;
        let mut permuted = AxisList::from_iter([]);
        for axis in axes {
            let axis = self.shape().axis(*axis)?;
            permuted.push(self.shape().extents()[axis], self.strides()[axis]);
        }
        self.view(&permuted, 0)
    }

    /// Swaps two axes, which may be the same.
    ///
    /// # Errors
    /// [`ViewError::AxisOutOfRange`]; for an empty tensor also as in [`Geometry::permute`].
    pub fn transpose(&self, first: i64, second: i64) -> Result<Self, ViewError> {
        let (first, second) = (self.shape().axis(first)?, self.shape().axis(second)?);
        let mut axes = AxisList::of(self);
        axes.swap(first, second);
        self.view(&axes, 0)
    }

    /// Swaps the last two axes: the transposed matrix, or a batch of them.
    ///
    /// # Errors
    /// [`ViewError::AxisOutOfRange`] below rank 2.
    pub fn t(&self) -> Result<Self, ViewError> {
        self.transpose(-2, -1)
    }

    /// Takes an axis out and puts it back so that it ends up at `to`; the others keep their order.
    ///
    /// # Errors
    /// As for [`Geometry::transpose`].
    pub fn movedim(&self, from: i64, to: i64) -> Result<Self, ViewError> {
        let (from, to) = (self.shape().axis(from)?, self.shape().axis(to)?);
        let mut axes = AxisList::of(self);
        let (extent, stride) = axes.remove(from);
        axes.insert(to, extent, stride);
        self.view(&axes, 0)
    }

    /// Drops axes of extent 1. Naming one twice is naming it once.
    ///
    /// # Errors
    /// [`ViewError::AxisOutOfRange`], and [`ViewError::Squeeze`] for an extent other than 1.
    pub fn squeeze(&self, axes: &[i64]) -> Result<Self, ViewError> {
        let mut is_dropped = [false; crate::MAX_RANK];
        for axis in axes {
            let axis = self.shape().axis(*axis)?;
            let extent = self.shape().extents()[axis];
            if extent != 1 {
                return Err(ViewError::Squeeze { axis, extent });
            }
            is_dropped[axis] = true;
        }
        let kept = self.axes().zip(is_dropped).filter(|(_, is_dropped)| !is_dropped);
        self.view(&kept.map(|(axis, _)| axis).collect(), 0)
    }

    /// Drops every axis of extent 1.
    pub fn squeeze_all(&self) -> Self {
        let kept: AxisList = self.axes().filter(|(extent, _)| *extent != 1).collect();
        // Without factors of 1 the products are the same, so this shape is within the limits as well.
        self.view(&kept, 0).unwrap_or(*self)
    }

    /// Adds an axis of extent 1 that ends up at `axis`; -1 is behind the last.
    ///
    /// # Errors
    /// [`ViewError::AxisOutOfRange`] outside `-rank - 1..=rank`, [`ShapeError::RankTooLarge`].
    pub fn unsqueeze(&self, axis: i64) -> Result<Self, ViewError> {
        let rank = self.shape().rank();
        let position =
            crate::shape::wrap_index(axis, rank as u32 + 1).ok_or(ViewError::AxisOutOfRange { axis, rank })? as usize;
        let mut axes = AxisList::of(self);
        // A stride nothing walks along; that of row-major order keeps printed strides unsurprising.
        let stride = axes
            .extents()
            .get(position)
            .map_or(1, |extent| fitting_stride(i64::from(*extent) * i64::from(axes.strides()[position])));
        axes.insert(position, 1, stride);
        self.view(&axes, 0)
    }

    /// Repeats elements without copying: axes of extent 1 grow, and new ones appear in front, all with stride 0. An
    /// extent of -1 keeps what is there.
    ///
    /// # Errors
    /// [`ShapeError::Expand`] when an extent other than 1 would change or a new axis is given -1, and the errors of
    /// [`Shape::new`].
    pub fn expand(&self, extents: &[i64]) -> Result<Self, ViewError> {
        let refused = || ShapeError::Expand { from: *self.shape(), to: Integers::new(extents) };
        if extents.len() > crate::MAX_RANK {
            return Err(ShapeError::RankTooLarge { rank: extents.len() }.into());
        }
        let added = extents.len().checked_sub(self.shape().rank()).ok_or_else(refused)?;
        let mut kept = [0; crate::MAX_RANK];
        for (axis, extent) in extents.iter().enumerate() {
            kept[axis] = match extent {
                -1 if axis < added => return Err(refused().into()),
                -1 => self.shape().extents()[axis - added].into(),
                extent => *extent,
            };
        }
        self.broadcast_to(&Shape::new(&kept[..extents.len()])?)
    }

    /// [`Geometry::expand`] to a shape known to be one.
    ///
    /// # Errors
    /// [`ShapeError::Expand`].
    pub fn broadcast_to(&self, shape: &Shape) -> Result<Self, ViewError> {
        let refused = || ShapeError::Expand { from: *self.shape(), to: shape.into() };
        let added = shape.rank().checked_sub(self.shape().rank()).ok_or_else(refused)?;
        let mut axes = AxisList::from_iter([]);
        for (axis, extent) in shape.extents().iter().copied().enumerate() {
            let stride = match axis.checked_sub(added) {
                None => 0,
                Some(own) if self.shape().extents()[own] == extent => self.strides()[own],
                Some(own) if self.shape().extents()[own] == 1 => 0,
                Some(_) => return Err(refused().into()),
            };
            axes.push(extent, stride);
        }
        self.view(&axes, 0)
    }

    /// The diagonal of the matrices spanned by two axes, as a new last axis.
    ///
    /// A positive `offset` starts that many columns (along `second`) to the right, a negative one as many rows (along
    /// `first`) down; a diagonal that lies outside is empty.
    ///
    /// # Errors
    /// [`ViewError::AxisOutOfRange`], and [`ViewError::RepeatedAxis`] when both are the same; for an empty tensor also as
    /// in [`Geometry::permute`].
    pub fn diagonal(&self, offset: i64, first: i64, second: i64) -> Result<Self, ViewError> {
        self.distinct_axes(&[first, second])?;
        let (first, second) = (self.shape().axis(first)?, self.shape().axis(second)?);
        let (rows, columns) = (self.shape().extents()[first], self.shape().extents()[second]);
        let (row_stride, column_stride) = (self.strides()[first], self.strides()[second]);
        let right = offset.clamp(0, columns.into());
        let down = offset.saturating_neg().clamp(0, rows.into());
        let length = (i64::from(rows) - down).min(i64::from(columns) - right);

        let mut axes = AxisList::of(self);
        axes.remove(first.max(second));
        axes.remove(first.min(second));
        let stride = i64::from(row_stride) + i64::from(column_stride);
        axes.push(length as u32, fitting_stride(stride));
        self.view(&axes, down * i64::from(row_stride) + right * i64::from(column_stride))
    }

    /// Checks that axes are in range and none is named twice.
    pub(crate) fn distinct_axes(&self, axes: &[i64]) -> Result<(), ViewError> {
        let mut is_named = [false; crate::MAX_RANK];
        for axis in axes {
            let position = self.shape().axis(*axis)?;
            if core::mem::replace(&mut is_named[position], true) {
                return Err(ViewError::RepeatedAxis { axis: *axis, axes: Integers::new(axes) });
            }
        }
        Ok(())
    }
}
