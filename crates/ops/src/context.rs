//! `Context`: what operators compute with: kernels, memory, seeds.

use std::sync::{Arc, Mutex, PoisonError};

use stratal_kernels::{AnyView, KernelError, Kernels, process_kernels};
use stratal_tensor::memory::ReadGuard;
use stratal_tensor::{Allocator, Tensor, TensorOptions};
use stratal_tensor_base::{DType, Geometry, Shape};

use crate::operator::facts_of;
use crate::{Cause, Fact, Inputs, Operator, OperatorError, Outputs, Slot, infer};

/// What operators compute with: kernels, the memory that new tensors and scratch space come from, and seeds.
///
/// ```
/// use stratal_ops::{Add, Context};
/// use stratal_tensor::Tensor;
///
/// let context = Context::new()?;
/// let (a, b) = (Tensor::from_slice(&[1.0_f32, 2.0], &[2, 1])?, Tensor::from_slice(&[10.0_f32, 20.0], &[2])?);
/// let sum = context.run(&Add, &[Some(&a), Some(&b)])?.remove(0);
/// assert_eq!(sum.to_vec::<f32>()?, [11.0, 21.0, 12.0, 22.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Context<'a> {
    kernels: Arc<dyn Kernels>,
    allocator: Allocator<'a>,
    /// The seed of the next operator that draws numbers and has none of its own.
    seed: Mutex<u64>,
}

impl<'a> Context<'a> {
    /// With the kernels of the process and its shared pool.
    ///
    /// # Errors
    /// [`KernelError`] when a backend is forced that cannot be.
    pub fn new() -> Result<Self, KernelError> {
        Ok(Self::with_kernels(process_kernels()?))
    }

    /// With kernels, and the pool that the process shares.
    pub fn with_kernels(kernels: Arc<dyn Kernels>) -> Self {
        Self { kernels, allocator: Allocator::Shared, seed: Mutex::new(0) }
    }

    /// With memory from a pool or an arena.
    #[must_use]
    pub fn allocator<'b>(self, allocator: impl Into<Allocator<'b>>) -> Context<'b> {
        Context { kernels: self.kernels, allocator: allocator.into(), seed: self.seed }
    }

    /// With the seed of the first operator that draws numbers and has none of its own. Each one takes the next.
    #[must_use]
    pub fn seed(self, seed: u64) -> Self {
        Self { seed: Mutex::new(seed), ..self }
    }

    /// Sets the seed of the next operator that draws numbers and has none of its own.
    pub fn set_seed(&self, seed: u64) {
        *self.seed.lock().unwrap_or_else(PoisonError::into_inner) = seed;
    }

    /// The kernels.
    pub fn kernels(&self) -> &dyn Kernels {
        &*self.kernels
    }

    /// A seed that no operator has had before.
    pub fn next_seed(&self) -> u64 {
        let mut seed = self.seed.lock().unwrap_or_else(PoisonError::into_inner);
        let next = seed.wrapping_add(1);
        std::mem::replace(&mut seed, next)
    }

    /// Scratch space: a tensor with unspecified elements.
    ///
    /// # Errors
    /// [`Cause::Tensor`] when no memory can be had.
    pub fn scratch(&self, dtype: DType, shape: &Shape) -> Result<Tensor, Cause> {
        Ok(TensorOptions::new(dtype).allocator(self.allocator).empty_of(*shape)?)
    }

    /// A copy in scratch space, row-major, converted to a dtype.
    ///
    /// # Errors
    /// [`Cause::Tensor`] when no memory can be had.
    pub fn converted(&self, view: &AnyView<'_>, dtype: DType) -> Result<Tensor, Cause> {
        let copy = self.scratch(dtype, view.shape())?;
        write(&copy, |result| self.kernels.cast(view, result))?;
        Ok(copy)
    }

    /// Computes an operator from tensors, with all of its outputs new ones.
    ///
    /// # Errors
    /// [`OperatorError`] when the inputs do not fit, or a kernel fails.
    pub fn run(&self, operator: &dyn Operator, inputs: &[Option<&Tensor>]) -> Result<Vec<Tensor>, OperatorError> {
        let outputs = self.run_wanted(operator, inputs, |_| true)?;
        Ok(outputs.into_iter().flatten().collect())
    }

    /// Computes those outputs of an operator that are wanted.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub fn run_wanted(
        &self,
        operator: &dyn Operator,
        inputs: &[Option<&Tensor>],
        is_wanted: impl Fn(usize) -> bool,
    ) -> Result<Vec<Option<Tensor>>, OperatorError> {
        let name = operator.definition().name;
        let of_operator = |cause: Cause| cause.of(name);
        let held = inputs.iter().map(|tensor| tensor.map(read).transpose()).collect::<Result<Vec<_>, _>>();
        let held = held.map_err(of_operator)?;
        let views = held.iter().map(|held| held.as_ref().map(Reading::view).transpose());
        let views = views.collect::<Result<Vec<_>, _>>().map_err(of_operator)?;
        let facts = facts_of(operator, &views);
        let facts: Vec<_> = facts.iter().map(Option::as_ref).collect();
        let slot = |(output, fact): (usize, &Fact)| -> Result<Slot<'_>, Cause> {
            if !is_wanted(output) {
                return Ok(Slot::Unwanted);
            }
            let shape = fact.shape.as_ref().map(|shape| shape.known()).transpose()?.flatten();
            Ok(Slot::New(fact.dtype, shape))
        };
        let inferred = infer(operator, name, &facts)?;
        let slots = inferred.iter().enumerate().map(slot).collect::<Result<_, _>>().map_err(of_operator)?;
        let mut outputs = Outputs::new(self.allocator, slots);
        operator.compute(self, &Inputs::new(&views), &mut outputs).map_err(of_operator)?;
        Ok(outputs.into_tensors())
    }
}

/// A tensor that is held to be read.
#[derive(Debug)]
pub struct Reading<'a> {
    guard: ReadGuard<'a>,
    dtype: DType,
    geometry: Geometry,
}

impl Reading<'_> {
    /// The elements.
    ///
    /// # Errors
    /// [`Cause::Tensor`] if the memory does not hold the tensor.
    pub fn view(&self) -> Result<AnyView<'_>, Cause> {
        Ok(AnyView::new(&self.guard, self.dtype, self.geometry)?)
    }
}

/// Holds a tensor of any dtype to be read.
///
/// # Errors
/// [`Cause::Tensor`] for a stale tensor, or one that is being written.
pub fn read(tensor: &Tensor) -> Result<Reading<'_>, Cause> {
    let geometry = *tensor.geometry()?;
    Ok(Reading { guard: tensor.storage()?, dtype: tensor.dtype(), geometry })
}

/// Writes a tensor of any dtype.
///
/// # Errors
/// Those of `write`; [`Cause::Tensor`] for a stale tensor, or one that is being read or written.
pub fn write<E>(
    tensor: &Tensor,
    write: impl FnOnce(&mut stratal_kernels::AnyViewMut<'_>) -> Result<(), E>,
) -> Result<(), Cause>
where
    Cause: From<E>,
{
    let geometry = *tensor.geometry()?;
    let mut guard = tensor.storage_mut()?;
    let mut view = stratal_kernels::AnyViewMut::new(&mut guard, tensor.dtype(), geometry)?;
    Ok(write(&mut view)?)
}
