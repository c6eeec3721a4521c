//! Views that take a part of an axis: slices, ranges, single indices, parts and windows.

use crate::{Geometry, Integers, ViewError, geometry::AxisList, strides::fitting_stride};

impl Geometry {
    /// Python's `[start:stop:step]` along one axis.
    ///
    /// Negative bounds count from the end, then both are clamped; a negative step walks backwards; a missing bound is
    /// the end that the step comes from or leads to. Any 64-bit value is served.
    ///
    /// # Errors
    /// [`ViewError::AxisOutOfRange`], [`ViewError::ZeroStep`].
    ///
    /// ```
    /// use stratal_tensor_base::{Geometry, Shape};
    ///
    /// let geometry = Geometry::contiguous(Shape::new(&[10])?);
    /// let every_third_backwards = geometry.slice(0, None, None, -3)?;
    /// assert_eq!(every_third_backwards.offsets().collect::<Vec<_>>(), [9, 6, 3, 0]);
    /// # Ok::<(), stratal_tensor_base::Error>(())
    /// ```
    pub fn slice(&self, axis: i64, start: Option<i64>, stop: Option<i64>, step: i64) -> Result<Self, ViewError> {
        let axis = self.shape().axis(axis)?;
        if step == 0 {
            return Err(ViewError::ZeroStep { axis });
        }
        let (start, length) = slice_range(self.shape().extents()[axis], start, stop, step);
        let stride = i64::from(self.strides()[axis]);
        // Where the stride matters two steps stay inside the axis, so the product is a distance inside the buffer.
        let stepped = if length > 1 { fitting_stride(stride.saturating_mul(step)) } else { stride as i32 };
        let mut axes = AxisList::of(self);
        axes.set(axis, length, stepped);
        self.view(&axes, i64::from(start) * stride)
    }

    /// `length` elements from `start` on, which may count from the end; nothing is clamped.
    ///
    /// # Errors
    /// [`ViewError::AxisOutOfRange`], [`ViewError::NarrowOutOfRange`].
    pub fn narrow(&self, axis: i64, start: i64, length: i64) -> Result<Self, ViewError> {
        let axis = self.shape().axis(axis)?;
        let extent = self.shape().extents()[axis];
        let first = if start < 0 { start + i64::from(extent) } else { start };
        let is_inside =
            first >= 0 && length >= 0 && first.checked_add(length).is_some_and(|end| end <= i64::from(extent));
        if !is_inside {
            return Err(ViewError::NarrowOutOfRange { start, length, axis, extent });
        }
        let stride = self.strides()[axis];
        let mut axes = AxisList::of(self);
        axes.set(axis, length as u32, stride);
        self.view(&axes, first * i64::from(stride))
    }

    /// One index of an axis, which disappears. A negative index counts from the end.
    ///
    /// # Errors
    /// [`ViewError::AxisOutOfRange`], [`ViewError::IndexOutOfRange`].
    pub fn select(&self, axis: i64, index: i64) -> Result<Self, ViewError> {
        let axis = self.shape().axis(axis)?;
        let index = self.coordinate(axis, index)?;
        let mut axes = AxisList::of(self);
        let (_, stride) = axes.remove(axis);
        self.view(&axes, i64::from(index) * i64::from(stride))
    }

    /// Reverses axes. An empty list changes nothing.
    ///
    /// # Errors
    /// [`ViewError::AxisOutOfRange`], [`ViewError::RepeatedAxis`].
    pub fn flip(&self, axes: &[i64]) -> Result<Self, ViewError> {
        self.distinct_axes(axes)?;
        let mut flipped = AxisList::of(self);
        let mut distance = 0_i64;
        for axis in axes {
            let axis = self.shape().axis(*axis)?;
            let (extent, stride) = (self.shape().extents()[axis], self.strides()[axis]);
            if extent > 1 {
                // The strides of an empty tensor may be anything and the sum wrap, but then it is not used.
                distance = distance.wrapping_add(i64::from(extent - 1) * i64::from(stride));
                flipped.set(axis, extent, fitting_stride(-i64::from(stride)));
            }
        }
        self.view(&flipped, distance)
    }

    /// Consecutive parts of an axis, of the given sizes.
    ///
    /// # Errors
    /// [`ViewError::AxisOutOfRange`], and [`ViewError::SplitSizes`] unless all sizes are at least 0 and sum to the
    /// extent.
    pub fn split<'a>(&'a self, axis: i64, sizes: &'a [i64]) -> Result<impl Iterator<Item = Self> + use<'a>, ViewError> {
        let axis = self.shape().axis(axis)?;
        let extent = self.shape().extents()[axis];
        let sum = sizes.iter().try_fold(0_i64, |sum, size| (*size >= 0).then(|| sum.checked_add(*size)).flatten());
        if sum != Some(extent.into()) {
            return Err(ViewError::SplitSizes { sizes: Integers::new(sizes), axis, extent });
        }
        let starts = sizes.iter().scan(0, |next, size| {
            let start = *next;
            *next += size;
            Some((start, *size))
        });
        // The parts lie inside the axis, so none is refused.
        Ok(starts.map_while(move |(start, size)| self.narrow(axis as i64, start, size).ok()))
    }

    /// Consecutive parts of an axis of the same size; the last may be smaller. An extent of 0 is one empty part.
    ///
    /// # Errors
    /// [`ViewError::AxisOutOfRange`], and [`ViewError::SplitSize`] for a size below 1.
    pub fn split_every(&self, axis: i64, size: i64) -> Result<impl Iterator<Item = Self> + use<'_>, ViewError> {
        let axis = self.shape().axis(axis)?;
        if size < 1 {
            return Err(ViewError::SplitSize { size, axis });
        }
        let extent = i64::from(self.shape().extents()[axis]);
        let count = (extent.max(1) as u64).div_ceil(size as u64) as i64;
        Ok(self.parts(axis, size, count))
    }

    /// At most `count` consecutive parts of an axis, as equal as [`Geometry::split_every`] can make them. An extent of
    /// 0 is one empty part.
    ///
    /// # Errors
    /// [`ViewError::AxisOutOfRange`], and [`ViewError::SplitSize`] for a count below 1.
    pub fn chunk(&self, axis: i64, count: i64) -> Result<impl Iterator<Item = Self> + use<'_>, ViewError> {
        let axis = self.shape().axis(axis)?;
        if count < 1 {
            return Err(ViewError::SplitSize { size: count, axis });
        }
        let extent = u64::from(self.shape().extents()[axis]);
        let size = extent.div_ceil(count as u64).max(1);
        Ok(self.parts(axis, size as i64, extent.max(1).div_ceil(size) as i64))
    }

    /// Every index of an axis in order, each as [`Geometry::select`] gives it.
    ///
    /// # Errors
    /// [`ViewError::AxisOutOfRange`].
    pub fn unbind(&self, axis: i64) -> Result<impl Iterator<Item = Self> + use<'_>, ViewError> {
        let axis = self.shape().axis(axis)?;
        let extent = i64::from(self.shape().extents()[axis]);
        // The indices lie inside the axis, so none is refused.
        Ok((0..extent).map_while(move |index| self.select(axis as i64, index).ok()))
    }

    /// Windows of `size` elements, one every `step`, as a new last axis; they share elements when `step < size`.
    ///
    /// # Errors
    /// [`ViewError::AxisOutOfRange`], [`ViewError::Unfold`] unless `1 <= size <= extent` and `step >= 1`, and
    /// [`ShapeError`](crate::ShapeError) when the windows break a limit.
    pub fn unfold(&self, axis: i64, size: i64, step: i64) -> Result<Self, ViewError> {
        let axis = self.shape().axis(axis)?;
        let extent = self.shape().extents()[axis];
        if size < 1 || size > i64::from(extent) || step < 1 {
            return Err(ViewError::Unfold { axis, extent, size, step });
        }
        let stride = self.strides()[axis];
        let windows = (i64::from(extent) - size) / step + 1;
        let mut axes = AxisList::of(self);
        axes.set(axis, windows as u32, fitting_stride(i64::from(stride).saturating_mul(step)));
        axes.push(size as u32, stride);
        self.view(&axes, 0)
    }

    /// `count` parts of `size` elements, the last one cut at the end of the axis.
    fn parts(&self, axis: usize, size: i64, count: i64) -> impl Iterator<Item = Self> + use<'_> {
        let extent = i64::from(self.shape().extents()[axis]);
        // The parts lie inside the axis, so none is refused.
        (0..count).map_while(move |part| {
            let start = part * size;
            self.narrow(axis as i64, start, size.min(extent - start)).ok()
        })
    }
}

/// The first index and the number of steps of a Python slice over `extent` elements.
///
/// The first index is 0 when there are no steps.
fn slice_range(extent: u32, start: Option<i64>, stop: Option<i64>, step: i64) -> (u32, u32) {
    let extent = i64::from(extent);
    // Walking backwards, the positions run from `extent - 1` down to -1, the place before the first element.
    let (lowest, highest) = if step > 0 { (0, extent) } else { (-1, extent - 1) };
    let resolve = |bound: i64| {
        let counted = if bound < 0 { bound.saturating_add(extent) } else { bound };
        counted.clamp(lowest, highest)
    };
    let (first, last) = if step > 0 { (lowest, highest) } else { (highest, lowest) };
    let start = start.map_or(first, resolve);
    let stop = stop.map_or(last, resolve);
    let distance = if step > 0 { stop - start } else { start - stop };
    if distance <= 0 {
        return (0, 0);
    }
    let length = (distance as u64).div_ceil(step.unsigned_abs());
    (start as u32, length as u32)
}
