//! Making tensors: options, factories, and adopting what exists.

use stratal_memory::{Arena, Buffer, Pool};
use stratal_tensor_base::{DType, Device, Element, Geometry, Scalar, Shape, ShapeError, cast, match_dtype};

use crate::{Tensor, TensorError, fill::representable};

/// Where the bytes of a new tensor come from.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub enum Allocator<'a> {
    /// The pool that the process shares.
    #[default]
    Shared,
    /// A pool.
    Pool(&'a Pool),
    /// An arena; the tensor is stale once it is reset.
    Arena(&'a Arena),
}

impl<'a> From<&'a Pool> for Allocator<'a> {
    fn from(pool: &'a Pool) -> Self {
        Self::Pool(pool)
    }
}

impl<'a> From<&'a Arena> for Allocator<'a> {
    fn from(arena: &'a Arena) -> Self {
        Self::Arena(arena)
    }
}

/// How a tensor is made: dtype, device, where its bytes come from, and whether they are zeroed.
///
/// ```
/// use stratal_tensor::{TensorOptions, base::DType, memory::{Arena, Pool}};
///
/// let arena = Arena::new(&Pool::new());
/// let options = TensorOptions::new(DType::F32).allocator(&arena).zeroed(true);
/// let state = options.empty(&[8, 128])?;
/// assert_eq!(state.item::<f32>(&[7, 127])?, 0.0);
/// # Ok::<(), stratal_tensor::TensorError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct TensorOptions<'a> {
    dtype: DType,
    device: Device,
    allocator: Allocator<'a>,
    is_zeroed: bool,
}

impl<'a> TensorOptions<'a> {
    /// In host memory from the shared pool, with unspecified elements.
    pub fn new(dtype: DType) -> Self {
        Self { dtype, device: Device::Cpu, allocator: Allocator::Shared, is_zeroed: false }
    }

    /// Where the bytes live.
    pub fn device(self, device: Device) -> Self {
        Self { device, ..self }
    }

    /// Where the bytes come from: a `&Pool`, an `&Arena` or an [`Allocator`].
    pub fn allocator(self, allocator: impl Into<Allocator<'a>>) -> Self {
        Self { allocator: allocator.into(), ..self }
    }

    /// Whether all bytes are zero at first.
    pub fn zeroed(self, is_zeroed: bool) -> Self {
        Self { is_zeroed, ..self }
    }

    /// A row-major tensor of these extents. Unless zeroed, its elements are unspecified, though never undefined.
    ///
    /// # Errors
    /// [`ShapeError`] for extents beyond the limits,
    /// [`AllocationError`](stratal_memory::AllocationError) when the memory cannot be had.
    pub fn empty(self, extents: &[i64]) -> Result<Tensor, TensorError> {
        self.empty_of(Shape::new(extents)?)
    }

    /// [`empty`](Self::empty) for a shape that was checked before.
    ///
    /// # Errors
    /// As [`empty`](Self::empty).
    pub fn empty_of(self, shape: Shape) -> Result<Tensor, TensorError> {
        let buffer = self.allocate(shape.bytes(self.dtype)?)?;
        Ok(Tensor::over(buffer, self.dtype, Geometry::contiguous(shape)))
    }

    /// Bytes as these options say.
    pub(crate) fn allocate(self, bytes: usize) -> Result<Buffer, TensorError> {
        let shared = Pool::shared(self.device)?;
        Ok(match (self.allocator, self.is_zeroed) {
            (Allocator::Shared, false) => shared.rent(bytes)?,
            (Allocator::Shared, true) => shared.rent_zeroed(bytes)?,
            (Allocator::Pool(pool), false) => pool.rent(bytes)?,
            (Allocator::Pool(pool), true) => pool.rent_zeroed(bytes)?,
            (Allocator::Arena(arena), false) => arena.alloc(bytes)?,
            (Allocator::Arena(arena), true) => arena.alloc_zeroed(bytes)?,
        })
    }
}

impl Tensor {
    /// A tensor with unspecified elements; see [`TensorOptions::empty`].
    ///
    /// # Errors
    /// As for [`TensorOptions::empty`].
    pub fn empty(extents: &[i64], dtype: DType) -> Result<Self, TensorError> {
        TensorOptions::new(dtype).empty(extents)
    }

    /// A tensor of zeros, or of false.
    ///
    /// # Errors
    /// As for [`TensorOptions::empty`].
    pub fn zeros(extents: &[i64], dtype: DType) -> Result<Self, TensorError> {
        TensorOptions::new(dtype).zeroed(true).empty(extents)
    }

    /// A tensor of ones, or of true.
    ///
    /// # Errors
    /// As for [`TensorOptions::empty`].
    pub fn ones(extents: &[i64], dtype: DType) -> Result<Self, TensorError> {
        Self::full(extents, 1_u8, dtype)
    }

    /// A tensor of one value.
    ///
    /// # Errors
    /// [`TensorError::NoSuchValue`] when the dtype cannot hold the value: a fraction, NaN or a number out of range for
    /// an integer, anything but 0 and 1 for bool. Floats take the nearest value they have.
    ///
    /// ```
    /// use stratal_tensor::{Tensor, base::DType};
    ///
    /// assert_eq!(Tensor::full(&[2], 7, DType::BF16)?.to_vec::<half::bf16>()?[1].to_f32(), 7.0);
    /// assert!(Tensor::full(&[2], 0.5, DType::I32).is_err());
    /// # use stratal_tensor::base as half;
    /// # Ok::<(), stratal_tensor::TensorError>(())
    /// ```
    pub fn full(extents: &[i64], value: impl Into<Scalar>, dtype: DType) -> Result<Self, TensorError> {
        let value = value.into();
        match_dtype!(dtype, T => {
            let value: T = representable(value)?;
            let tensor = Self::empty(extents, dtype)?;
            tensor.data_mut::<T>()?.fill(value);
            Ok(tensor)
        })
    }

    /// The numbers from `start` up or down to, but not including, `stop`.
    ///
    /// They are counted in exact integers; floats take the nearest value they have.
    ///
    /// # Errors
    /// [`TensorError::ZeroStep`], [`ShapeError`] for more numbers than a tensor holds, [`TensorError::NoSuchValue`] when
    /// the dtype cannot hold the first or the last of them.
    pub fn arange(start: i64, stop: i64, step: i64, dtype: DType) -> Result<Self, TensorError> {
        if step == 0 {
            return Err(TensorError::ZeroStep { start, stop });
        }
        let distance =
            if step > 0 { i128::from(stop) - i128::from(start) } else { i128::from(start) - i128::from(stop) };
        let count = distance.max(0).unsigned_abs().div_ceil(step.unsigned_abs().into());
        let too_many = |extent| ShapeError::ExtentTooLarge { axis: 0, extent };
        let count = i64::try_from(count).map_err(|_| too_many(count.try_into().unwrap_or(u64::MAX)))?;
        let shape = Shape::new(&[count])?;
        // All lie between start and stop, so none overflows.
        let number = |index: i64| (i128::from(start) + i128::from(index) * i128::from(step)) as i64;
        let tensor = match_dtype!(dtype, T => {
            for index in [0, count - 1].into_iter().filter(|_| count > 0) {
                representable::<T>(number(index).into())?;
            }
            let tensor = TensorOptions::new(dtype).empty_of(shape)?;
            for (index, element) in tensor.data_mut::<T>()?.iter_mut().enumerate() {
                *element = cast(number(index as i64));
            }
            tensor
        });
        Ok(tensor)
    }

    /// The identity matrix.
    ///
    /// # Errors
    /// As for [`TensorOptions::empty`].
    pub fn eye(extent: i64, dtype: DType) -> Result<Self, TensorError> {
        let matrix = Self::zeros(&[extent, extent], dtype)?;
        matrix.diagonal(0, 0, 1)?.fill(1_u8)?;
        Ok(matrix)
    }

    /// A tensor with a copy of these elements, in row-major order.
    ///
    /// # Errors
    /// [`TensorError::WrongCount`] unless they fill the shape, and as for [`TensorOptions::empty`].
    pub fn from_slice<T: Element>(elements: &[T], extents: &[i64]) -> Result<Self, TensorError> {
        let shape = filled_shape(elements.len(), extents)?;
        let tensor = TensorOptions::new(T::DTYPE).empty_of(shape)?;
        tensor.data_mut::<T>()?.copy_from_slice(elements);
        Ok(tensor)
    }

    /// A tensor over these elements, in row-major order. The vector becomes the buffer: nothing is copied.
    ///
    /// # Errors
    /// As for [`from_slice`](Self::from_slice).
    pub fn from_vec<T: Element>(elements: Vec<T>, extents: &[i64]) -> Result<Self, TensorError> {
        let shape = filled_shape(elements.len(), extents)?;
        shape.bytes(T::DTYPE)?;
        Ok(Self::over(Buffer::from_vec(elements)?, T::DTYPE, Geometry::contiguous(shape)))
    }

    /// A tensor of rank 0.
    ///
    /// # Errors
    /// [`AllocationError`](stratal_memory::AllocationError).
    pub fn scalar<T: Element>(value: T) -> Result<Self, TensorError> {
        Self::from_slice(&[value], &[])
    }
}

/// The shape that exactly so many elements fill.
fn filled_shape(elements: usize, extents: &[i64]) -> Result<Shape, TensorError> {
    let shape = Shape::new(extents)?;
    if shape.count() == elements { Ok(shape) } else { Err(TensorError::WrongCount { elements, shape }) }
}
