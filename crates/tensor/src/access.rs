//! Guards: borrowed access to a tensor's elements, as slices and as strided views.

use std::{
    fmt,
    marker::PhantomData,
    ops::{Deref, DerefMut, Range},
};

use stratal_memory::{ReadGuard, WriteGuard};
use stratal_tensor_base::{DType, Element, Geometry};

use crate::{Tensor, TensorError, View, ViewMut};

impl Tensor {
    /// The elements as a slice, in row-major order, to read. Of a blocked tensor: the stored span, padding included.
    ///
    /// # Errors
    /// [`TensorError::WrongDType`], [`TensorError::NotContiguous`], and
    /// [`AccessError`](stratal_memory::AccessError) for a stale tensor or one that is being written.
    ///
    /// ```
    /// use stratal_tensor::Tensor;
    ///
    /// let tensor = Tensor::from_slice(&[1.0_f32, 2.0, 3.0], &[3])?;
    /// assert_eq!(tensor.data::<f32>()?.iter().sum::<f32>(), 6.0);
    /// assert!(tensor.data::<f64>().is_err());
    /// # Ok::<(), stratal_tensor::TensorError>(())
    /// ```
    pub fn data<T: Element>(&self) -> Result<Data<'_, T>, TensorError> {
        let bytes = self.slice_bytes::<T>()?;
        Ok(Data { guard: self.buffer().read()?, bytes, element: PhantomData })
    }

    /// The elements as a slice, to read and write. Advances the version by one.
    ///
    /// # Errors
    /// As [`data`](Self::data), and [`AccessError`](stratal_memory::AccessError) for a tensor that is being read, or
    /// whose memory is read-only. The version stays as it is then.
    pub fn data_mut<T: Element>(&self) -> Result<DataMut<'_, T>, TensorError> {
        let bytes = self.slice_bytes::<T>()?;
        Ok(DataMut { guard: self.buffer().write()?, bytes, element: PhantomData })
    }

    /// The elements as a strided view, to read.
    ///
    /// # Errors
    /// [`TensorError::WrongDType`], [`TensorError::Blocked`], and [`AccessError`](stratal_memory::AccessError) for a
    /// stale tensor or one that is being written.
    pub fn view<T: Element>(&self) -> Result<ViewGuard<'_, T>, TensorError> {
        let geometry = self.view_geometry::<T>()?;
        Ok(ViewGuard::new(self.buffer().read()?, geometry))
    }

    /// The elements as a strided view, to read and write. Advances the version by one.
    ///
    /// # Errors
    /// As [`view`](Self::view), [`TensorError::Overlapping`] when two indices may share an element, and
    /// [`AccessError`](stratal_memory::AccessError) for a tensor that is being read, or whose memory is read-only.
    pub fn view_mut<T: Element>(&self) -> Result<ViewMutGuard<'_, T>, TensorError> {
        let geometry = self.writable_geometry::<T>()?;
        Ok(ViewMutGuard::new(self.buffer().write()?, geometry))
    }

    /// All bytes of the buffer, to read.
    ///
    /// # Errors
    /// [`AccessError`](stratal_memory::AccessError) for a stale tensor or one that is being written.
    pub fn storage(&self) -> Result<ReadGuard<'_>, TensorError> {
        Ok(self.buffer().read()?)
    }

    /// All bytes of the buffer, to read and write. Advances the version by one.
    ///
    /// # Errors
    /// [`AccessError`](stratal_memory::AccessError) for a stale tensor, one that is being read or written, or whose
    /// memory is read-only.
    pub fn storage_mut(&self) -> Result<WriteGuard<'_>, TensorError> {
        Ok(self.buffer().write()?)
    }

    /// One element. Negative coordinates count from the end.
    ///
    /// # Errors
    /// [`ViewError`](stratal_tensor_base::ViewError) for an index outside the shape, and the errors of
    /// [`view`](Self::view).
    pub fn item<T: Element>(&self, index: &[i64]) -> Result<T, TensorError> {
        self.check_dtype::<T>()?;
        let offset = self.plain("item")?.offset_of(index)?;
        let bytes = self.buffer().read()?;
        Ok(bytemuck::pod_read_unaligned(&bytes[element_bytes::<T>(offset..offset + 1)]))
    }

    /// Writes one element. Advances the version by one.
    ///
    /// # Errors
    /// As [`item`](Self::item) and [`view_mut`](Self::view_mut). The version stays as it is then.
    pub fn set<T: Element>(&self, index: &[i64], value: T) -> Result<(), TensorError> {
        self.writable_geometry::<T>()?;
        let offset = self.plain("set")?.offset_of(index)?;
        let mut bytes = self.buffer().write()?;
        bytes[element_bytes::<T>(offset..offset + 1)].copy_from_slice(bytemuck::bytes_of(&value));
        Ok(())
    }

    /// The geometry of elements that may be written.
    pub(crate) fn writable_geometry<T: Element>(&self) -> Result<Geometry, TensorError> {
        let geometry = self.view_geometry::<T>()?;
        check_writable(&geometry)?;
        Ok(geometry)
    }

    fn view_geometry<T: Element>(&self) -> Result<Geometry, TensorError> {
        self.check_dtype::<T>()?;
        self.plain("a view").copied()
    }

    /// Where the elements lie that make up the slice.
    fn slice_bytes<T: Element>(&self) -> Result<Range<usize>, TensorError> {
        self.check_dtype::<T>()?;
        if let Some(image) = self.blocked() {
            return Ok(element_bytes::<T>(0..image.physical_shape().count()));
        }
        let geometry = self.plain("a slice")?;
        if !geometry.is_contiguous() {
            return Err(TensorError::NotContiguous { geometry: *geometry });
        }
        let start = if self.is_empty() { 0 } else { geometry.offset() };
        Ok(element_bytes::<T>(start..start + geometry.shape().count()))
    }
}

/// Opens one tensor for writing and others for reading, all or none.
///
/// All are of the element type `T`; shapes and strides may differ. The version of the output advances only when
/// everything is held.
///
/// # Errors
/// The errors of [`Tensor::view_mut`] and [`Tensor::view`], and
/// [`AccessError::OutputIsInput`](stratal_memory::AccessError::OutputIsInput) if an input shares the output's buffer.
pub fn access<'a, T: Element, const N: usize>(
    output: &'a Tensor,
    inputs: [&'a Tensor; N],
) -> Result<(ViewMutGuard<'a, T>, [ViewGuard<'a, T>; N]), TensorError> {
    let output_geometry = output.writable_geometry::<T>()?;
    for input in inputs {
        input.view_geometry::<T>()?;
    }
    let (writer, readers) = stratal_memory::access(output.buffer(), inputs.map(Tensor::buffer))?;
    let mut inputs = inputs.into_iter();
    let views = readers.map(|guard| {
        let geometry = inputs.next().and_then(|input| input.geometry().ok().copied());
        // Checked above, for as many inputs as there are readers.
        ViewGuard::new(guard, geometry.unwrap_or(output_geometry))
    });
    Ok((ViewMutGuard::new(writer, output_geometry), views))
}

/// Borrowed elements of a contiguous tensor, to read. Derefs to a slice.
pub struct Data<'a, T: Element> {
    guard: ReadGuard<'a>,
    /// Inside the buffer, and aligned for `T`.
    bytes: Range<usize>,
    element: PhantomData<T>,
}

/// Borrowed elements of a contiguous tensor, to read and write. Derefs to a slice.
pub struct DataMut<'a, T: Element> {
    guard: WriteGuard<'a>,
    /// Inside the buffer, and aligned for `T`.
    bytes: Range<usize>,
    element: PhantomData<T>,
}

/// Borrowed elements of a tensor with any strides, to read.
pub struct ViewGuard<'a, T: Element> {
    guard: ReadGuard<'a>,
    /// Of the elements over their own span.
    geometry: Geometry,
    /// The span, inside the buffer, and aligned for `T`.
    bytes: Range<usize>,
    element: PhantomData<T>,
}

/// Borrowed elements of a tensor with strides that do not overlap, to read and write.
pub struct ViewMutGuard<'a, T: Element> {
    guard: WriteGuard<'a>,
    /// Of the elements over their own span.
    geometry: Geometry,
    /// The span, inside the buffer, and aligned for `T`.
    bytes: Range<usize>,
    element: PhantomData<T>,
}

impl<T: Element> Data<'_, T> {
    /// The version of the elements under this guard.
    pub fn version(&self) -> u64 {
        self.guard.version()
    }
}

impl<T: Element> DataMut<'_, T> {
    /// The version of the elements under this guard, which has counted itself.
    pub fn version(&self) -> u64 {
        self.guard.version()
    }
}

impl<'a, T: Element> ViewGuard<'a, T> {
    fn new(guard: ReadGuard<'a>, geometry: Geometry) -> Self {
        let bytes = span_bytes(&geometry, T::DTYPE);
        Self { guard, geometry: geometry.rebased(), bytes, element: PhantomData }
    }

    /// The elements, for as long as this guard lives.
    pub fn as_view(&self) -> View<'_, T> {
        View::over_span(typed(&self.guard[self.bytes.clone()]), self.geometry)
    }

    /// The version of the elements under this guard.
    pub fn version(&self) -> u64 {
        self.guard.version()
    }
}

impl<'a, T: Element> ViewMutGuard<'a, T> {
    fn new(guard: WriteGuard<'a>, geometry: Geometry) -> Self {
        let bytes = span_bytes(&geometry, T::DTYPE);
        Self { guard, geometry: geometry.rebased(), bytes, element: PhantomData }
    }

    /// The elements, to read.
    pub fn as_view(&self) -> View<'_, T> {
        View::over_span(typed(&self.guard[self.bytes.clone()]), self.geometry)
    }

    /// The elements, to read and write.
    pub fn as_view_mut(&mut self) -> ViewMut<'_, T> {
        ViewMut::over_span(typed_mut(&mut self.guard[self.bytes.clone()]), self.geometry)
    }

    /// The version of the elements under this guard, which has counted itself.
    pub fn version(&self) -> u64 {
        self.guard.version()
    }
}

impl<T: Element> Deref for Data<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        typed(&self.guard[self.bytes.clone()])
    }
}

impl<T: Element> Deref for DataMut<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        typed(&self.guard[self.bytes.clone()])
    }
}

impl<T: Element> DerefMut for DataMut<'_, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        typed_mut(&mut self.guard[self.bytes.clone()])
    }
}

impl<T: Element> fmt::Debug for Data<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl<T: Element> fmt::Debug for DataMut<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl<T: Element> fmt::Debug for ViewGuard<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_view(), formatter)
    }
}

impl<T: Element> fmt::Debug for ViewMutGuard<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_view(), formatter)
    }
}

/// Refuses a geometry in which two indices may share an element.
pub(crate) fn check_writable(geometry: &Geometry) -> Result<(), TensorError> {
    if geometry.may_overlap() { Err(TensorError::Overlapping { geometry: *geometry }) } else { Ok(()) }
}

/// The bytes of a buffer from the lowest element reached to the highest.
pub(crate) fn span_bytes(geometry: &Geometry, dtype: DType) -> Range<usize> {
    geometry.span().map_or(0..0, |span| span.start() * dtype.size()..(span.end() + 1) * dtype.size())
}

/// Bytes as elements. Tensors are aligned for their elements and hold a whole number of them, so nothing is refused;
/// no elements have no alignment to keep.
pub(crate) fn typed<T: Element>(bytes: &[u8]) -> &[T] {
    if bytes.is_empty() { &[] } else { bytemuck::cast_slice(bytes) }
}

/// [`typed`], to write.
pub(crate) fn typed_mut<T: Element>(bytes: &mut [u8]) -> &mut [T] {
    if bytes.is_empty() { &mut [] } else { bytemuck::cast_slice_mut(bytes) }
}

fn element_bytes<T: Element>(elements: Range<usize>) -> Range<usize> {
    elements.start * size_of::<T>()..elements.end * size_of::<T>()
}
