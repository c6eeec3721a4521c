//! `AnyView` and `AnyViewMut`: views whose dtype is a value, which is what the seam takes.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor::{View, ViewMut};
use stratal_tensor_base::{DType, Element, Geometry, Shape, ShapeError};

/// Borrowed elements of some dtype with any strides, to read.
#[derive(Debug, Clone, Copy)]
pub struct AnyView<'a> {
    dtype: DType,
    /// Reaches only elements within `bytes`.
    geometry: Geometry,
    /// Whole elements, aligned for them.
    bytes: &'a [u8],
}

/// Borrowed elements of some dtype with strides that do not overlap, to read and write.
#[derive(Debug)]
pub struct AnyViewMut<'a> {
    dtype: DType,
    /// Reaches only elements within `bytes`, and each at one index.
    geometry: Geometry,
    /// Whole elements, aligned for them.
    bytes: &'a mut [u8],
}

impl<'a> AnyView<'a> {
    /// The dtype of the elements.
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The extents.
    pub const fn shape(&self) -> &Shape {
        self.geometry.shape()
    }

    /// Which element each index means.
    pub const fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The bytes of the slice that the geometry points into.
    pub(crate) const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// All elements of a slice, as a vector.
    ///
    /// # Errors
    /// [`ShapeError`] beyond the limits of shapes.
    pub(crate) fn of_slice<T: Element>(elements: &'a [T]) -> Result<Self, ShapeError> {
        let shape = Shape::try_from(&[elements.len()][..])?;
        Ok(Self { dtype: T::DTYPE, geometry: Geometry::contiguous(shape), bytes: cast_slice(elements) })
    }

    /// Other elements of the same slice: the geometry is a view of this one's.
    pub(crate) const fn with_geometry(&self, geometry: Geometry) -> Self {
        Self { geometry, ..*self }
    }

    /// The slice that the geometry points into. The type must be the dtype's.
    pub(crate) fn elements<T: Element>(&self) -> &'a [T] {
        debug_assert_eq!(self.dtype, T::DTYPE);
        cast_slice(self.bytes)
    }
}

impl AnyViewMut<'_> {
    /// The dtype of the elements.
    pub const fn dtype(&self) -> DType {
        self.dtype
    }

    /// The extents.
    pub const fn shape(&self) -> &Shape {
        self.geometry.shape()
    }

    /// Which element each index means.
    pub const fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The same elements, to read.
    pub fn as_view(&self) -> AnyView<'_> {
        AnyView { dtype: self.dtype, geometry: self.geometry, bytes: self.bytes }
    }

    /// Other elements of the same slice: the geometry is a view of this one's in which no two indices share an element.
    pub(crate) const fn with_geometry(&mut self, geometry: Geometry) -> AnyViewMut<'_> {
        AnyViewMut { dtype: self.dtype, geometry, bytes: self.bytes }
    }

    /// The geometry, and the bytes of the slice that it points into.
    pub(crate) const fn parts(&mut self) -> (&Geometry, &mut [u8]) {
        (&self.geometry, self.bytes)
    }

    /// The slice that the geometry points into. The type must be the dtype's.
    pub(crate) fn elements_mut<T: Element>(&mut self) -> &mut [T] {
        debug_assert_eq!(self.dtype, T::DTYPE);
        cast_slice_mut(self.bytes)
    }
}

impl<'a, T: Element> From<View<'a, T>> for AnyView<'a> {
    fn from(view: View<'a, T>) -> Self {
        Self { dtype: T::DTYPE, geometry: *view.geometry(), bytes: cast_slice(view.elements()) }
    }
}

impl<'a, T: Element> From<ViewMut<'a, T>> for AnyViewMut<'a> {
    fn from(view: ViewMut<'a, T>) -> Self {
        let geometry = *view.geometry();
        Self { dtype: T::DTYPE, geometry, bytes: cast_slice_mut(view.into_elements()) }
    }
}
