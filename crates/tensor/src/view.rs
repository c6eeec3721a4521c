//! `View` and `ViewMut`: borrowed elements with any strides, which is what kernels compute on.

use std::fmt;

use stratal_tensor_base::{Element, Geometry, Shape, ViewError};

use crate::{TensorError, access::check_writable};

/// Borrowed elements with any strides, to read.
///
/// A view is a slice and a geometry that stays inside it. Walk it with [`Walk`](stratal_tensor_base::Walk), which turns
/// strides into runs, or element by element where speed does not matter.
#[derive(Clone, Copy)]
pub struct View<'a, T> {
    elements: &'a [T],
    /// Reaches only `elements`.
    geometry: Geometry,
}

/// Borrowed elements with strides that do not overlap, to read and write.
pub struct ViewMut<'a, T> {
    elements: &'a mut [T],
    /// Reaches only `elements`, and each at one index.
    geometry: Geometry,
}

impl<'a, T: Element> View<'a, T> {
    /// Sees a slice through a geometry.
    ///
    /// # Errors
    /// [`ViewError::OutOfBounds`] when the geometry leaves the slice.
    pub fn new(elements: &'a [T], geometry: Geometry) -> Result<Self, ViewError> {
        geometry.check_bounds(elements.len() as u64)?;
        Ok(Self { elements, geometry })
    }

    /// Over exactly the span that the geometry reaches.
    pub(crate) fn over_span(elements: &'a [T], geometry: Geometry) -> Self {
        debug_assert!(geometry.check_bounds(elements.len() as u64).is_ok());
        Self { elements, geometry }
    }

    /// The extents.
    pub fn shape(&self) -> &Shape {
        self.geometry.shape()
    }

    /// Which of [`elements`](Self::elements) each index means.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The slice that the geometry points into: all elements, and whatever lies between them.
    pub fn elements(&self) -> &'a [T] {
        self.elements
    }

    /// The elements as a slice in row-major order, if they are one.
    pub fn as_slice(&self) -> Option<&'a [T]> {
        let start = self.geometry.offset();
        self.geometry.is_contiguous().then(|| match self.shape().count() {
            0 => &[][..],
            count => &self.elements[start..start + count],
        })
    }

    /// The element at an index; negative coordinates count from the end.
    ///
    /// # Errors
    /// [`ViewError::IndexRank`] and [`ViewError::IndexOutOfRange`].
    pub fn get(&self, index: &[i64]) -> Result<T, ViewError> {
        Ok(self.elements[self.geometry.offset_of(index)?])
    }

    /// The elements in row-major order of the index.
    pub fn iter(&self) -> impl Iterator<Item = T> + use<'a, T> {
        let elements = self.elements;
        self.geometry.offsets().map(move |offset| elements[offset])
    }
}

impl<'a, T: Element> ViewMut<'a, T> {
    /// Sees a slice through a geometry.
    ///
    /// # Errors
    /// [`ViewError::OutOfBounds`] when the geometry leaves the slice, [`TensorError::Overlapping`] when two indices may
    /// share an element.
    pub fn new(elements: &'a mut [T], geometry: Geometry) -> Result<Self, TensorError> {
        geometry.check_bounds(elements.len() as u64)?;
        check_writable(&geometry)?;
        Ok(Self { elements, geometry })
    }

    /// Over exactly the span that the geometry reaches.
    pub(crate) fn over_span(elements: &'a mut [T], geometry: Geometry) -> Self {
        debug_assert!(geometry.check_bounds(elements.len() as u64).is_ok() && !geometry.may_overlap());
        Self { elements, geometry }
    }

    /// The extents.
    pub fn shape(&self) -> &Shape {
        self.geometry.shape()
    }

    /// Which of [`elements_mut`](Self::elements_mut) each index means.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The slice that the geometry points into: all elements, and whatever lies between them.
    pub fn elements_mut(&mut self) -> &mut [T] {
        self.elements
    }

    /// The slice that the geometry points into, for as long as it was borrowed.
    pub fn into_elements(self) -> &'a mut [T] {
        self.elements
    }

    /// The elements as a slice in row-major order, if they are one.
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        let start = self.geometry.offset();
        self.geometry.is_contiguous().then(|| match self.geometry.shape().count() {
            0 => &mut [][..],
            count => &mut self.elements[start..start + count],
        })
    }

    /// The same elements, to read.
    pub fn as_view(&self) -> View<'_, T> {
        View::over_span(self.elements, self.geometry)
    }

    /// Writes the element at an index; negative coordinates count from the end.
    ///
    /// # Errors
    /// [`ViewError::IndexRank`] and [`ViewError::IndexOutOfRange`].
    pub fn set(&mut self, index: &[i64], value: T) -> Result<(), ViewError> {
        self.elements[self.geometry.offset_of(index)?] = value;
        Ok(())
    }
}

impl<T: Element> fmt::Debug for View<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "View<{}> {:?}", T::DTYPE, self.geometry)
    }
}

impl<T: Element> fmt::Debug for ViewMut<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ViewMut<{}> {:?}", T::DTYPE, self.geometry)
    }
}
