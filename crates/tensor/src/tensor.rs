//! `Tensor`: a buffer seen through a dtype and a geometry.

use stratal_memory::{AllocationError, Buffer};
use stratal_tensor_base::{BlockedImage, ChannelBlock, DType, Device, Element, Geometry, Layout, Shape};

use crate::TensorError;

/// A buffer seen through a dtype and a geometry.
///
/// A tensor is a small value: cloning it is cheap and copies no element. Every view is another tensor over the same
/// buffer, so what is written through one is read through all. Nothing is copied, converted or moved to another device
/// unless a method's name says so.
///
/// Elements are reached through guards: [`data`](Self::data) and [`view`](Self::view) to read,
/// [`data_mut`](Self::data_mut) and [`view_mut`](Self::view_mut) to write. Of one buffer many readers or one writer can
/// be alive at a time, whichever of its views they came from; a conflict is an error value, never a wait and never
/// undefined. All of them take `&self`: a tensor is a shared handle, like a cell.
///
/// A tensor whose buffer was released, or whose arena was reset, is *stale*: it keeps its shape, and every access says
/// so.
///
/// Two tensors are never compared by `==`, which could mean the same handle or the same values: see
/// [`shares_buffer`](Self::shares_buffer) and [`all_close`](Self::all_close).
///
/// ```compile_fail,E0369
/// let tensor = stratal_tensor::Tensor::scalar(1.0_f32).unwrap();
/// assert!(tensor == tensor);
/// ```
#[derive(Clone)]
pub struct Tensor {
    buffer: Buffer,
    dtype: DType,
    /// Of a blocked tensor: the logical shape, row-major, which says nothing about where elements are.
    geometry: Geometry,
    /// Elements are stored in the blocked layout of this many channels, from the start of the buffer.
    block: Option<ChannelBlock>,
}

impl Tensor {
    /// A row-major tensor over existing storage, from byte `byte_offset` on.
    ///
    /// The buffer may come from anywhere: a pool, an arena, a vector, a mapped file. Nothing is copied.
    ///
    /// # Errors
    /// [`ViewError`](stratal_tensor_base::ViewError) when the window leaves the buffer or its offset is no multiple of
    /// the element's size, [`TensorError::Misaligned`] when the memory itself starts where such an element may not, and
    /// [`AccessError`](stratal_memory::AccessError) when the buffer is stale or being written.
    pub fn from_buffer(buffer: Buffer, byte_offset: u64, shape: Shape, dtype: DType) -> Result<Self, TensorError> {
        let geometry = Geometry::window(shape, dtype, byte_offset, buffer.len() as u64)?;
        let tensor = Self { buffer, dtype, geometry, block: None };
        if shape.is_empty() {
            // Reading nothing needs no alignment, but a stale buffer is refused all the same.
            drop(tensor.buffer.read()?);
        } else {
            tensor.check_alignment()?;
        }
        Ok(tensor)
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The extents.
    pub fn shape(&self) -> &Shape {
        self.geometry.shape()
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.shape().rank()
    }

    /// The number of elements.
    pub fn count(&self) -> usize {
        self.shape().count()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.shape().is_empty()
    }

    /// The stride of each axis, in elements. A blocked tensor has none.
    pub fn strides(&self) -> &[i32] {
        if self.block.is_some() { &[] } else { self.geometry.strides() }
    }

    /// The position of the first element in the buffer, in elements.
    pub fn offset(&self) -> usize {
        self.geometry.offset()
    }

    /// Which element of the buffer each index means.
    ///
    /// # Errors
    /// [`TensorError::Blocked`].
    pub fn geometry(&self) -> Result<&Geometry, TensorError> {
        self.plain("a geometry")
    }

    /// Where the elements of an image live; of any other tensor [`Layout::Strided`].
    pub fn layout(&self) -> Layout {
        self.block.map_or_else(|| self.geometry.layout(), Layout::NchwBlocked)
    }

    /// Whether the elements lie as in `layout`, which more than one layout may say of the same strides.
    pub fn matches(&self, layout: Layout) -> bool {
        match self.block {
            Some(block) => layout == Layout::NchwBlocked(block),
            None => self.geometry.matches(layout),
        }
    }

    /// Whether the elements lie in row-major order without gaps. Those of a blocked tensor do not.
    pub fn is_contiguous(&self) -> bool {
        self.block.is_none() && self.geometry.is_contiguous()
    }

    /// Where the bytes live.
    pub fn device(&self) -> Device {
        self.buffer.device()
    }

    /// This tensor on a device. On the one it is on already, the tensor itself: the same buffer.
    ///
    /// # Errors
    /// [`AllocationError::UnsupportedDevice`] for any device but the host's memory.
    pub fn to(&self, device: Device) -> Result<Self, TensorError> {
        if device == self.device() {
            Ok(self.clone())
        } else {
            Err(AllocationError::UnsupportedDevice { device }.into())
        }
    }

    /// The buffer, for whoever works with bytes.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// How often the buffer was opened for writing, through any of its views.
    pub fn version(&self) -> u64 {
        self.buffer.version()
    }

    /// Whether the buffer was released or its arena reset.
    pub fn is_stale(&self) -> bool {
        self.buffer.is_stale()
    }

    /// Whether both are views of one buffer.
    pub fn shares_buffer(&self, other: &Self) -> bool {
        self.buffer.is_same(&other.buffer)
    }

    /// Gives the bytes back now, for all views: every one of them is stale from then on.
    ///
    /// # Errors
    /// [`ReleaseError`](stratal_memory::ReleaseError) if the tensor is stale already, or somebody has it open.
    pub fn release(&self) -> Result<(), TensorError> {
        Ok(self.buffer.release()?)
    }

    /// The bits of the same elements as another dtype of the same size.
    ///
    /// # Errors
    /// [`DTypeError`](stratal_tensor_base::DTypeError) for another size and for bool as the target,
    /// [`TensorError::Blocked`].
    pub fn reinterpret(&self, dtype: DType) -> Result<Self, TensorError> {
        self.plain("reinterpret")?;
        self.dtype.check_reinterpret(dtype)?;
        Ok(Self { dtype, ..self.clone() })
    }

    /// A tensor over a whole buffer that was allocated for it.
    pub(crate) fn over(buffer: Buffer, dtype: DType, geometry: Geometry) -> Self {
        Self { buffer, dtype, geometry, block: None }
    }

    /// A blocked tensor over a whole buffer that was allocated for it.
    pub(crate) fn over_blocked(buffer: Buffer, dtype: DType, shape: Shape, block: ChannelBlock) -> Self {
        Self { buffer, dtype, geometry: Geometry::contiguous(shape), block: Some(block) }
    }

    /// The same buffer through another geometry, which reaches only elements that this one reaches.
    #[inline]
    pub(crate) fn with_geometry(&self, geometry: Geometry) -> Self {
        Self { buffer: self.buffer.clone(), dtype: self.dtype, geometry, block: self.block }
    }

    /// The geometry of a tensor that has one, for an operation that needs it.
    pub(crate) fn plain(&self, operation: &'static str) -> Result<&Geometry, TensorError> {
        match self.block {
            None => Ok(&self.geometry),
            Some(_) => Err(TensorError::Blocked { operation, layout: self.layout() }),
        }
    }

    /// The index map of a blocked tensor.
    pub(crate) fn blocked(&self) -> Option<BlockedImage> {
        // It was made with this shape and block once, so it is made again.
        self.block.and_then(|block| BlockedImage::new(*self.shape(), block).ok())
    }

    /// Checks that the memory starts where elements may. It never moves, so this holds for every access and view that
    /// reaches an element.
    pub(crate) fn check_alignment(&self) -> Result<(), TensorError> {
        // Offsets are multiples of the element's size, which is one of its alignment.
        if self.buffer.read()?.as_ptr().addr().is_multiple_of(self.dtype.alignment()) {
            Ok(())
        } else {
            let byte_offset = (self.offset() * self.dtype.size()) as u64;
            Err(TensorError::Misaligned { byte_offset, dtype: self.dtype })
        }
    }

    pub(crate) fn check_dtype<T: Element>(&self) -> Result<(), TensorError> {
        if T::DTYPE == self.dtype {
            Ok(())
        } else {
            Err(TensorError::WrongDType { tensor: self.dtype, asked: T::DTYPE })
        }
    }
}
