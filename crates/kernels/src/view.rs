//! `AnyView` and `AnyViewMut`: views whose dtype is a value, which is what the seam takes.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor::{TensorError, View, ViewMut};
use stratal_tensor_base::{DType, Element, Geometry, Shape, ShapeError, ViewError};

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
    /// Sees bytes as elements of a dtype through a geometry.
    ///
    /// # Errors
    /// [`TensorError::Misaligned`] when the bytes do not lie in memory as elements of the dtype do,
    /// [`ViewError::OutOfBounds`] when the geometry leaves them.
    pub fn new(bytes: &'a [u8], dtype: DType, geometry: Geometry) -> Result<Self, TensorError> {
        check_alignment(bytes, dtype)?;
        geometry.check_bounds((bytes.len() / dtype.size()) as u64)?;
        Ok(Self { dtype, geometry, bytes: &bytes[..whole_elements(bytes, dtype)] })
    }

    /// Other elements of the same memory, or the same in another order: `change` gets the geometry and returns another one.
    ///
    /// ```
    /// use stratal_kernels::AnyView;
    /// use stratal_tensor::View;
    /// use stratal_tensor_base::{Geometry, Shape};
    ///
    /// let matrix = View::new(&[1, 2, 3, 4, 5, 6], Geometry::contiguous(Shape::new(&[2, 3])?))?;
    /// let transposed = AnyView::from(matrix).seen(|geometry| geometry.t())?;
    /// assert_eq!(transposed.typed::<i32>().map(|view| view.iter().collect()), Some(vec![1, 4, 2, 5, 3, 6]));
    /// # Ok::<(), stratal_tensor::TensorError>(())
    /// ```
    ///
    /// # Errors
    /// Those of `change`, and [`ViewError::OutOfBounds`] when what it returns leaves the memory.
    pub fn seen<E: From<ViewError>>(&self, change: impl FnOnce(&Geometry) -> Result<Geometry, E>) -> Result<Self, E> {
        let geometry = change(&self.geometry)?;
        geometry.check_bounds((self.bytes.len() / self.dtype.size()) as u64)?;
        Ok(Self { geometry, ..*self })
    }

    /// The view with its element type, if it is this one.
    pub fn typed<T: Element>(&self) -> Option<View<'a, T>> {
        // Bounds were checked when this view was made.
        (self.dtype == T::DTYPE).then(|| View::new(self.elements(), self.geometry).ok()).flatten()
    }

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

impl<'a> AnyViewMut<'a> {
    /// Sees bytes as elements of a dtype through a geometry, to write.
    ///
    /// # Errors
    /// Those of [`AnyView::new`], and [`TensorError::Overlapping`] when two indices may share an element.
    pub fn new(bytes: &'a mut [u8], dtype: DType, geometry: Geometry) -> Result<Self, TensorError> {
        check_alignment(bytes, dtype)?;
        geometry.check_bounds((bytes.len() / dtype.size()) as u64)?;
        check_writable(&geometry)?;
        let length = whole_elements(bytes, dtype);
        Ok(Self { dtype, geometry, bytes: &mut bytes[..length] })
    }

    /// As [`AnyView::seen`], to write.
    ///
    /// # Errors
    /// Those of [`AnyView::seen`], and [`TensorError::Overlapping`] when two indices may share an element.
    pub fn seen<E: From<ViewError> + From<TensorError>>(
        &mut self,
        change: impl FnOnce(&Geometry) -> Result<Geometry, E>,
    ) -> Result<AnyViewMut<'_>, E> {
        let geometry = change(&self.geometry)?;
        geometry.check_bounds((self.bytes.len() / self.dtype.size()) as u64)?;
        check_writable(&geometry)?;
        Ok(AnyViewMut { dtype: self.dtype, geometry, bytes: self.bytes })
    }

    /// The view with its element type, if it is this one.
    pub fn typed<T: Element>(&mut self) -> Option<ViewMut<'_, T>> {
        let geometry = self.geometry;
        // Bounds and overlaps were checked when this view was made.
        (self.dtype == T::DTYPE).then(|| ViewMut::new(self.elements_mut(), geometry).ok()).flatten()
    }

    /// The same elements, to write, for a while.
    pub fn reborrow(&mut self) -> AnyViewMut<'_> {
        AnyViewMut { dtype: self.dtype, geometry: self.geometry, bytes: self.bytes }
    }

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

/// How many bytes whole elements take: what lies behind them belongs to no element.
const fn whole_elements(bytes: &[u8], dtype: DType) -> usize {
    bytes.len() - bytes.len() % dtype.size()
}

fn check_alignment(bytes: &[u8], dtype: DType) -> Result<(), TensorError> {
    let is_aligned = bytes.is_empty() || bytes.as_ptr().addr().is_multiple_of(dtype.alignment());
    if is_aligned { Ok(()) } else { Err(TensorError::Misaligned { byte_offset: 0, dtype }) }
}

fn check_writable(geometry: &Geometry) -> Result<(), TensorError> {
    if geometry.may_overlap() { Err(TensorError::Overlapping { geometry: *geometry }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(extents: &[i64]) -> Geometry {
        Geometry::contiguous(Shape::new(extents).unwrap())
    }

    #[test]
    fn bytes_are_checked_for_alignment_bounds_and_overlaps() {
        let mut words = [0_u32; 4];
        let bytes: &mut [u8] = cast_slice_mut(&mut words);
        assert!(AnyView::new(bytes, DType::F32, geometry(&[4])).is_ok());
        assert!(matches!(
            AnyView::new(&bytes[1..], DType::F32, geometry(&[2])),
            Err(TensorError::Misaligned { dtype: DType::F32, .. })
        ));
        let past = AnyView::new(bytes, DType::F32, geometry(&[5])).unwrap_err();
        assert_eq!(past, TensorError::View(ViewError::OutOfBounds { lowest: 0, highest: 4, count: 4 }));
        // Bytes behind the last whole element are nobody's.
        assert_eq!(AnyView::new(&bytes[..15], DType::F32, geometry(&[3])).unwrap().bytes().len(), 12);
        assert!(AnyView::new(&bytes[..15], DType::F32, geometry(&[4])).is_err());
        let repeated = geometry(&[1]).expand(&[2]).unwrap();
        assert!(matches!(AnyViewMut::new(bytes, DType::F32, repeated), Err(TensorError::Overlapping { .. })));
    }

    #[test]
    fn views_change_their_geometry_within_their_memory() {
        let mut words = [1, 2, 3, 4];
        let mut view = AnyViewMut::from(ViewMut::new(&mut words, geometry(&[2, 2])).unwrap());
        let row = view.as_view().seen(|g| g.select(0, 1)).unwrap();
        assert_eq!(row.typed::<i32>().unwrap().iter().collect::<Vec<_>>(), [3, 4]);
        assert!(row.typed::<u32>().is_none());
        assert!(row.seen(|_| Ok::<_, ViewError>(geometry(&[5]))).is_err());
        assert!(view.seen(|g| Ok::<_, TensorError>(g.unsqueeze(0)?.expand(&[3, 2, 2])?)).is_err());
        view.seen(|g| Ok::<_, TensorError>(g.t()?)).unwrap().typed::<i32>().unwrap().set(&[0, 1], 9).unwrap();
        assert_eq!(words, [1, 2, 9, 4]);
    }
}
