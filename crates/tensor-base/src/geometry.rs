//! `Geometry`: which element of a buffer each index of a tensor means.

use core::{fmt, ops::RangeInclusive};

use crate::{
    DType, Integers, MAX_BYTES, MAX_COUNT, MAX_RANK, Shape, Strides, ViewError, integers::write_list, shape::wrap_index,
};

/// A shape, strides and an offset: element `(i0, i1, ...)` of the tensor is element
/// `offset + i0 * stride0 + i1 * stride1 + ...` of the buffer.
///
/// All views are arithmetic on geometries; no data is looked at. A geometry that exists never reaches below element 0
/// or past element 2^31 - 2, and a view of it reaches only elements that it reaches itself. So the check against a
/// buffer is made once, where a geometry is first placed on one: [`Geometry::strided`] and [`Geometry::window`].
///
/// ```
/// use stratal_tensor_base::{Geometry, Shape};
///
/// let matrix = Geometry::contiguous(Shape::new(&[3, 4])?);
/// let column = matrix.select(1, 2)?;
/// assert_eq!((column.shape().extents(), column.strides(), column.offset()), (&[3][..], &[4][..], 2));
/// assert_eq!(column.offset_of(&[-1])?, 10);
/// # Ok::<(), stratal_tensor_base::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Geometry {
    shape: Shape,
    /// Entries from the rank on are 0.
    strides: Strides,
    /// At most `MAX_COUNT`. For a shape that is not empty, this and every other offset reached are below it.
    offset: u32,
}

impl Geometry {
    /// Row-major elements from the start of a buffer.
    pub fn contiguous(shape: Shape) -> Self {
        Self { shape, strides: Strides::contiguous(&shape), offset: 0 }
    }

    /// Any strides and offset, as long as they stay inside a buffer of `count` elements.
    ///
    /// An empty shape reaches nothing, so any offset will do; 0 is stored.
    ///
    /// # Errors
    /// [`ViewError::StrideCount`], [`ViewError::StrideTooLarge`] and [`ViewError::OutOfBounds`].
    pub fn strided(shape: Shape, strides: &[i64], offset: i64, count: u64) -> Result<Self, ViewError> {
        let strides = Strides::new(&shape, strides)?;
        let (lowest, highest) = reach(&shape, &strides);
        // The distances are below 2^62, but the offset may be anything.
        let (lowest, highest) = (offset.saturating_add(lowest), offset.saturating_add(highest));
        if shape.is_empty() {
            return Ok(Self { shape, strides, offset: 0 });
        }
        let count = count.min(MAX_COUNT.into());
        if lowest < 0 || highest >= count as i64 {
            return Err(ViewError::OutOfBounds { lowest, highest, count });
        }
        Ok(Self { shape, strides, offset: offset as u32 })
    }

    /// Row-major elements from byte `byte_offset` of a buffer of `buffer_bytes` bytes.
    ///
    /// # Errors
    /// [`ShapeError::TooManyBytes`](crate::ShapeError::TooManyBytes), [`ViewError::Misaligned`] when the offset is no multiple of the element's
    /// size, and [`ViewError::WindowOutOfBounds`].
    pub fn window(shape: Shape, dtype: DType, byte_offset: u64, buffer_bytes: u64) -> Result<Self, ViewError> {
        let bytes = shape.bytes(dtype)? as u64;
        let element = dtype.size() as u64;
        if !byte_offset.is_multiple_of(element) {
            return Err(ViewError::Misaligned { byte_offset, dtype });
        }
        let end = byte_offset.checked_add(bytes);
        let buffer_bytes = buffer_bytes.min(MAX_BYTES.into());
        let is_inside = end.is_some_and(|end| end <= buffer_bytes);
        if !is_inside {
            return Err(ViewError::WindowOutOfBounds { byte_offset, bytes, buffer_bytes });
        }
        let offset = if shape.is_empty() { 0 } else { byte_offset / element };
        Ok(Self { offset: offset as u32, ..Self::contiguous(shape) })
    }

    /// The extents.
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The stride of each axis, in elements.
    pub fn strides(&self) -> &[i32] {
        self.strides.first(self.shape.rank())
    }

    /// The element offset of index `(0, 0, ...)`. For an empty tensor it means nothing.
    pub const fn offset(&self) -> usize {
        self.offset as usize
    }

    /// The lowest and the highest element offset reached; none when there are no elements.
    pub fn span(&self) -> Option<RangeInclusive<usize>> {
        let (lowest, highest) = reach(&self.shape, &self.strides);
        let offset = i64::from(self.offset);
        (!self.shape.is_empty()).then(|| (offset + lowest) as usize..=(offset + highest) as usize)
    }

    /// The same geometry over its own span: the lowest element reached becomes element 0.
    pub fn rebased(&self) -> Self {
        let lowest = self.span().map_or(self.offset(), |span| *span.start());
        Self { offset: self.offset - lowest as u32, ..*self }
    }

    /// Checks that every element lies in a buffer of `count` elements.
    ///
    /// # Errors
    /// [`ViewError::OutOfBounds`].
    pub fn check_bounds(&self, count: u64) -> Result<(), ViewError> {
        match self.span() {
            Some(span) if *span.end() as u64 >= count => {
                Err(ViewError::OutOfBounds { lowest: *span.start() as i64, highest: *span.end() as i64, count })
            }
            _ => Ok(()),
        }
    }

    /// The element offset of an index; negative coordinates count from the end.
    ///
    /// # Errors
    /// [`ViewError::IndexRank`] and [`ViewError::IndexOutOfRange`].
    pub fn offset_of(&self, index: &[i64]) -> Result<usize, ViewError> {
        if index.len() != self.shape.rank() {
            return Err(ViewError::IndexRank { index: Integers::new(index), shape: self.shape });
        }
        let mut offset = i64::from(self.offset);
        for (axis, coordinate) in index.iter().copied().enumerate() {
            let wrapped = self.coordinate(axis, coordinate)?;
            offset += i64::from(wrapped) * i64::from(self.strides()[axis]);
        }
        Ok(offset as usize)
    }

    /// Whether the elements lie in row-major order without gaps: the stride of every axis with an extent other than 1
    /// is the product of the extents to its right. Empty tensors are contiguous.
    pub fn is_contiguous(&self) -> bool {
        let mut expected = 1_i64;
        self.shape.is_empty()
            || self.axes().rev().all(|(extent, stride)| {
                let is_expected = extent == 1 || i64::from(stride) == expected;
                expected *= i64::from(extent);
                is_expected
            })
    }

    /// Whether two indices may mean one element, so that writing through the view is refused.
    ///
    /// The strides, sorted by size, must nest: each one larger than the whole reach of those below it. What is called
    /// free of overlap is; a few exotic disjoint views, such as every third of windows that overlap, are not.
    pub fn may_overlap(&self) -> bool {
        if self.shape.is_empty() {
            return false;
        }
        let mut axes = [(0_u64, 0_u64); MAX_RANK];
        let mut rank = 0;
        for (extent, stride) in self.axes().filter(|(extent, _)| *extent != 1) {
            axes[rank] = (stride.unsigned_abs().into(), u64::from(extent) - 1);
            rank += 1;
        }
        axes[..rank].sort_unstable();
        let mut reach = 0;
        axes[..rank].iter().any(|(stride, steps)| {
            let overlaps = *stride <= reach;
            reach += stride * steps;
            overlaps
        })
    }

    /// Extent and stride of each axis, outermost first.
    pub(crate) fn axes(&self) -> impl DoubleEndedIterator<Item = (u32, i32)> + Clone + '_ {
        self.shape.extents().iter().copied().zip(self.strides().iter().copied())
    }

    /// A coordinate that may count from the end, checked against its axis.
    pub(crate) fn coordinate(&self, axis: usize, index: i64) -> Result<u32, ViewError> {
        let extent = self.shape.extents()[axis];
        wrap_index(index, extent).ok_or(ViewError::IndexOutOfRange { index, axis, extent })
    }

    /// A view of this geometry with other axes, its first element moved by `distance`.
    ///
    /// The caller guarantees that it reaches only elements that this one reaches. A view without elements keeps the
    /// offset, so that no offset ever leaves the buffer.
    #[inline]
    pub(crate) fn view(&self, axes: &AxisList, distance: i64) -> Result<Self, ViewError> {
        let shape = Shape::from_extents(axes.extents())?;
        let strides = Strides::from_slice(axes.strides());
        let moved = i64::from(self.offset) + if shape.is_empty() { 0 } else { distance };
        let view = Self { shape, strides, offset: moved as u32 };
        debug_assert!(
            view.span().is_none_or(|view| {
                self.span().is_some_and(|own| own.contains(view.start()) && own.contains(view.end()))
            }),
            "{view:?} leaves {self:?}"
        );
        Ok(view)
    }

    /// The same elements as this geometry under another shape and strides.
    pub(crate) fn with_axes(&self, shape: Shape, strides: Strides) -> Self {
        Self { shape, strides, offset: self.offset }
    }
}

impl fmt::Debug for Geometry {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} strides ", self.shape)?;
        write_list(formatter, self.strides())?;
        write!(formatter, "] offset {}", self.offset)
    }
}

/// The axes of a view while they are put together; there is room for one more than a shape may have, so that adding an
/// axis to a full shape is found by the shape's own check.
#[derive(Clone, Copy)]
pub(crate) struct AxisList {
    extents: [u32; MAX_RANK + 1],
    strides: [i32; MAX_RANK + 1],
    length: usize,
}

impl AxisList {
    pub(crate) fn extents(&self) -> &[u32] {
        &self.extents[..self.length]
    }

    pub(crate) fn strides(&self) -> &[i32] {
        &self.strides[..self.length]
    }

    /// The axes of a geometry.
    #[inline]
    pub(crate) fn of(geometry: &Geometry) -> Self {
        let mut list = Self { extents: [0; MAX_RANK + 1], strides: [0; MAX_RANK + 1], length: geometry.shape.rank() };
        // Whole arrays are copied, which is quicker than as many axes as there are.
        list.extents[..MAX_RANK].copy_from_slice(geometry.shape.all_extents());
        list.strides[..MAX_RANK].copy_from_slice(geometry.strides.first(MAX_RANK));
        list
    }

    #[inline]
    pub(crate) fn set(&mut self, axis: usize, extent: u32, stride: i32) {
        (self.extents[axis], self.strides[axis]) = (extent, stride);
    }

    #[inline]
    pub(crate) fn push(&mut self, extent: u32, stride: i32) {
        self.set(self.length, extent, stride);
        self.length += 1;
    }

    pub(crate) fn insert(&mut self, axis: usize, extent: u32, stride: i32) {
        self.push(extent, stride);
        for position in (axis + 1..self.length).rev() {
            self.swap(position - 1, position);
        }
    }

    pub(crate) fn remove(&mut self, axis: usize) -> (u32, i32) {
        let removed = (self.extents[axis], self.strides[axis]);
        for position in axis + 1..self.length {
            self.set(position - 1, self.extents[position], self.strides[position]);
        }
        self.length -= 1;
        removed
    }

    #[inline]
    pub(crate) fn swap(&mut self, first: usize, second: usize) {
        self.extents.swap(first, second);
        self.strides.swap(first, second);
    }
}

impl FromIterator<(u32, i32)> for AxisList {
    fn from_iter<I: IntoIterator<Item = (u32, i32)>>(axes: I) -> Self {
        let mut list = Self { extents: [0; MAX_RANK + 1], strides: [0; MAX_RANK + 1], length: 0 };
        for (extent, stride) in axes {
            list.push(extent, stride);
        }
        list
    }
}

/// How far below and above the first element the others lie. For an empty shape the numbers mean nothing.
///
/// The sums cannot overflow: when no extent is 0 their product is below 2^31, so the steps along all axes together
/// are fewer than 2^31, each of at most 2^31.
fn reach(shape: &Shape, strides: &Strides) -> (i64, i64) {
    let mut reach = (0, 0);
    if !shape.is_empty() {
        for (extent, stride) in shape.extents().iter().zip(strides.first(shape.rank())) {
            let distance = i64::from(extent - 1) * i64::from(*stride);
            reach.0 += distance.min(0);
            reach.1 += distance.max(0);
        }
    }
    reach
}
