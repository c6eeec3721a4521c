//! `Shape`: the extents of a tensor, within the limits that keep all size arithmetic exact.

use core::fmt;

use crate::{DType, Integers, ShapeError, ViewError, integers::write_list};

/// The most axes a shape may have.
pub const MAX_RANK: usize = 8;
/// The largest extent of an axis, 2^31 - 1.
pub const MAX_EXTENT: u32 = i32::MAX as u32;
/// The most elements a shape may have, 2^31 - 1.
pub const MAX_COUNT: u32 = i32::MAX as u32;
/// The most bytes a buffer may hold, 2^31 - 1.
pub const MAX_BYTES: u32 = i32::MAX as u32;

/// The extents of a tensor: 0 to 8 axes, stored inline.
///
/// A shape that exists is within the limits: each extent is at most [`MAX_EXTENT`], and each product of its leading
/// extents, taken left to right, is at most [`MAX_COUNT`]. So `[0, 100000, 100000]` is a shape and
/// `[100000, 100000, 0]` is not. Rank 0 is a scalar with one element; a shape with an extent of 0 has none.
///
/// ```
/// use stratal_tensor_base::Shape;
///
/// let shape = Shape::new(&[2, 3, 4])?;
/// assert_eq!(shape.count(), 24);
/// assert_eq!(shape.extents(), [2, 3, 4]);
/// assert_eq!(
///     Shape::new(&[2, -3]).unwrap_err().to_string(),
///     "extent -3 of axis 1 is negative",
/// );
/// # Ok::<(), stratal_tensor_base::ShapeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Entries from `rank` on are 0, so that derived equality compares shapes.
    extents: [u32; MAX_RANK],
    /// The product of the extents.
    count: u32,
    rank: u8,
}

impl Shape {
    /// The shape of rank 0, which has one element.
    pub const SCALAR: Self = Self { extents: [0; MAX_RANK], count: 1, rank: 0 };

    /// Checks extents from anywhere.
    ///
    /// # Errors
    /// [`ShapeError::RankTooLarge`], [`ShapeError::NegativeExtent`], [`ShapeError::ExtentTooLarge`] and
    /// [`ShapeError::TooManyElements`], for the first extent that breaks a limit.
    #[inline]
    pub fn new(extents: &[i64]) -> Result<Self, ShapeError> {
        // A negative extent is a huge unsigned number, and so refused with those that are too large.
        Self::within_limits(extents, |extent| extent as u64)
            .ok_or_else(|| refusal(extents.len(), |axis| extents[axis].into()))
    }

    /// The number of axes.
    pub const fn rank(&self) -> usize {
        self.rank as usize
    }

    /// The extents, outermost first.
    pub fn extents(&self) -> &[u32] {
        &self.extents[..self.rank()]
    }

    /// The extents, then zeros.
    #[inline]
    pub(crate) const fn all_extents(&self) -> &[u32; MAX_RANK] {
        &self.extents
    }

    /// The extent of one axis.
    ///
    /// # Panics
    /// If `axis` is not below the rank. Axes that come from data go through [`Shape::axis`] first.
    pub fn extent(&self, axis: usize) -> usize {
        self.extents()[axis] as usize
    }

    /// The number of elements.
    pub const fn count(&self) -> usize {
        self.count as usize
    }

    /// Whether there are no elements.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The bytes that the elements take.
    ///
    /// # Errors
    /// [`ShapeError::TooManyBytes`] when they are more than [`MAX_BYTES`].
    pub fn bytes(&self, dtype: DType) -> Result<usize, ShapeError> {
        let bytes = u64::from(self.count) * dtype.size() as u64;
        if bytes > u64::from(MAX_BYTES) {
            return Err(ShapeError::TooManyBytes { shape: *self, dtype, bytes });
        }
        Ok(bytes as usize)
    }

    /// Resolves an axis that may count from the end: -1 is the last one.
    ///
    /// # Errors
    /// [`ViewError::AxisOutOfRange`] outside `-rank..rank`.
    pub fn axis(&self, axis: i64) -> Result<usize, ViewError> {
        wrap_index(axis, self.rank() as u32)
            .map(|axis| axis as usize)
            .ok_or(ViewError::AxisOutOfRange { axis, rank: self.rank() })
    }

    /// Checks extents that are already within 32 bits.
    #[inline]
    pub(crate) fn from_extents(extents: &[u32]) -> Result<Self, ShapeError> {
        Self::within_limits(extents, u64::from).ok_or_else(|| refusal(extents.len(), |axis| extents[axis].into()))
    }

    /// The shape, if it keeps every limit.
    #[inline]
    fn within_limits<T: Copy>(extents: &[T], widen: impl Fn(T) -> u64) -> Option<Self> {
        if extents.len() > MAX_RANK {
            return None;
        }
        let mut shape = Self { rank: extents.len() as u8, ..Self::SCALAR };
        for (kept, extent) in shape.extents.iter_mut().zip(extents) {
            let extent = widen(*extent);
            // Where the extent is within its limit, both factors are below 2^31.
            let count = u64::from(shape.count).wrapping_mul(extent);
            if extent > u64::from(MAX_EXTENT) || count > u64::from(MAX_COUNT) {
                return None;
            }
            *kept = extent as u32;
            shape.count = count as u32;
        }
        Some(shape)
    }
}

impl TryFrom<&[usize]> for Shape {
    type Error = ShapeError;

    #[inline]
    fn try_from(extents: &[usize]) -> Result<Self, ShapeError> {
        Self::within_limits(extents, |extent| extent as u64)
            .ok_or_else(|| refusal(extents.len(), |axis| extents[axis] as i128))
    }
}

impl Default for Shape {
    fn default() -> Self {
        Self::SCALAR
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_list(formatter, self.extents())?;
        formatter.write_str("]")
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl From<&Shape> for Integers {
    fn from(shape: &Shape) -> Self {
        shape.extents().iter().map(|extent| i64::from(*extent)).collect()
    }
}

/// An index in `-length..length`, where negative ones count from the end, as an index in `0..length`.
pub(crate) fn wrap_index(index: i64, length: u32) -> Option<u32> {
    let length = i64::from(length);
    // The sum cannot overflow: one term is negative, the other is not.
    let wrapped = if index < 0 { index + length } else { index };
    (0..length).contains(&wrapped).then_some(wrapped as u32)
}

/// Which limit extents break that are no shape: the rank's, or that of the first extent to break one.
#[cold]
fn refusal(rank: usize, extent_at: impl Fn(usize) -> i128) -> ShapeError {
    let mut count = 1;
    let broken = (0..rank.min(MAX_RANK)).find_map(|axis| {
        let extent = extent_at(axis);
        // Until a limit is broken the count is below 2^31, and an extent is below 2^64.
        count *= extent;
        if extent < 0 {
            Some(ShapeError::NegativeExtent { axis, extent: extent as i64 })
        } else if extent > MAX_EXTENT.into() {
            Some(ShapeError::ExtentTooLarge { axis, extent: extent as u64 })
        } else if count > MAX_COUNT.into() {
            Some(ShapeError::TooManyElements { extents: (0..=axis).map(|axis| extent_at(axis) as i64).collect() })
        } else {
            None
        }
    });
    broken.filter(|_| rank <= MAX_RANK).unwrap_or(ShapeError::RankTooLarge { rank })
}
