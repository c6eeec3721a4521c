//! `Outputs`: the memory that an operator computes into, given or to be allocated.

use stratal_kernels::AnyViewMut;
use stratal_tensor::memory::WriteGuard;
use stratal_tensor::{Allocator, Tensor, TensorOptions};
use stratal_tensor_base::{DType, Geometry, Shape};

use crate::{Cause, Fact};

/// One output, as whoever computes wants it.
#[derive(Debug)]
pub enum Slot<'a> {
    /// Not wanted.
    Unwanted,
    /// Into memory that is there. Its dtype and shape are those that the rule gives.
    Given(AnyViewMut<'a>),
    /// Into a new tensor of a dtype, and of a shape if the rule knew it.
    New(DType, Option<Shape>),
    /// Computed into a new tensor.
    Computed(Tensor),
}

/// The outputs of an operator, by position.
#[derive(Debug)]
pub struct Outputs<'a> {
    allocator: Allocator<'a>,
    slots: Vec<Slot<'a>>,
}

/// Memory of one output, held to be written.
#[derive(Debug)]
pub enum Place<'a> {
    /// Of a given output.
    Given(AnyViewMut<'a>),
    /// Of a new tensor.
    New(WriteGuard<'a>, DType, Geometry),
}

impl<'a> Outputs<'a> {
    /// Outputs by position; new tensors come from the allocator.
    pub fn new(allocator: impl Into<Allocator<'a>>, slots: Vec<Slot<'a>>) -> Self {
        Self { allocator: allocator.into(), slots }
    }

    /// The number of outputs, with those that are not wanted.
    pub const fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are no outputs.
    pub const fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether an output is to be computed.
    pub fn is_wanted(&self, output: usize) -> bool {
        self.slots.get(output).is_some_and(|slot| !matches!(slot, Slot::Unwanted))
    }

    /// Writes an output whose shape the rule knows. Does nothing if it is not wanted.
    ///
    /// # Errors
    /// Those of `write`; [`Cause::Tensor`] when no memory can be had.
    pub fn write<E>(
        &mut self,
        output: usize,
        write: impl FnOnce(&mut AnyViewMut<'_>) -> Result<(), E>,
    ) -> Result<(), Cause>
    where
        Cause: From<E>,
    {
        let [place] = self.places([output])?;
        match place {
            Some(mut place) => Ok(write(&mut place.view()?)?),
            None => Ok(()),
        }
    }

    /// Writes an output whose shape follows from elements. Does nothing if it is not wanted.
    ///
    /// # Errors
    /// Those of [`write`](Self::write), and [`Cause::OutputShape`] for memory of another shape.
    pub fn write_shaped<E>(
        &mut self,
        output: usize,
        shape: &Shape,
        write: impl FnOnce(&mut AnyViewMut<'_>) -> Result<(), E>,
    ) -> Result<(), Cause>
    where
        Cause: From<E>,
    {
        self.shape(output, shape)?;
        self.write(output, write)
    }

    /// Says the shape of an output, which follows from elements, before it is written.
    ///
    /// # Errors
    /// [`Cause::OutputShape`] for memory of another shape.
    pub fn shape(&mut self, output: usize, shape: &Shape) -> Result<(), Cause> {
        let given = match self.slots.get_mut(output) {
            Some(Slot::New(_, unknown @ None)) => {
                *unknown = Some(*shape);
                return Ok(());
            }
            Some(Slot::Given(view)) => *view.shape(),
            Some(Slot::New(_, Some(planned))) => *planned,
            _ => return Ok(()),
        };
        if given == *shape {
            return Ok(());
        }
        Err(Cause::OutputShape { output, given: given.to_string(), shape: shape.to_string() })
    }

    /// Holds several different outputs at once, to be written; none for those that are not wanted.
    ///
    /// # Errors
    /// [`Cause::Tensor`] when no memory can be had, [`Cause::Unfit`] for one whose shape nobody has said.
    pub fn places<const N: usize>(&mut self, outputs: [usize; N]) -> Result<[Option<Place<'_>>; N], Cause> {
        for output in outputs {
            self.allocate(output)?;
        }
        let mut places = [const { None }; N];
        for (output, slot) in self.slots.iter_mut().enumerate() {
            let Some(position) = outputs.iter().position(|&wanted| wanted == output) else { continue };
            places[position] = place(slot)?;
        }
        Ok(places)
    }

    /// Holds all outputs at once, however many there are; none for those that are not wanted.
    ///
    /// # Errors
    /// Those of [`places`](Self::places).
    pub fn all_places(&mut self) -> Result<Vec<Option<Place<'_>>>, Cause> {
        for output in 0..self.len() {
            self.allocate(output)?;
        }
        self.slots.iter_mut().map(place).collect()
    }

    /// The new tensors, by position; none for outputs that were given or not wanted.
    pub fn into_tensors(self) -> Vec<Option<Tensor>> {
        let tensor = |slot| match slot {
            Slot::Computed(tensor) => Some(tensor),
            _ => None,
        };
        self.slots.into_iter().map(tensor).collect()
    }

    /// Checks outputs against what the rule says of them, and takes from it the shapes that nobody has said.
    pub(crate) fn keep(&mut self, said: &[Fact]) -> Result<(), Cause> {
        if self.len() > said.len() {
            return Err(Cause::OutputCount { least: 0, most: said.len(), given: self.len() });
        }
        for (output, said) in said.iter().enumerate().take(self.len()) {
            let dtype = match &self.slots[output] {
                Slot::Given(view) => view.dtype(),
                Slot::New(dtype, _) => *dtype,
                Slot::Unwanted | Slot::Computed(_) => continue,
            };
            if dtype != said.dtype {
                return Err(Cause::OutputDType { output, given: dtype, dtype: said.dtype });
            }
            let Some(said) = &said.shape else { continue };
            if let Some(shape) = said.known()? {
                self.shape(output, &shape)?;
                continue;
            }
            let planned = match &self.slots[output] {
                Slot::Given(view) => *view.shape(),
                Slot::New(_, Some(planned)) => *planned,
                _ => continue,
            };
            let extents = planned.extents().iter().map(|&extent| i64::from(extent));
            let fits = said.iter().zip(extents).all(|(said, is)| said.known().is_none_or(|said| said == is));
            if said.rank() != planned.rank() || !fits {
                let (given, shape) = (planned.to_string(), said.to_string());
                return Err(Cause::OutputShape { output, given, shape });
            }
        }
        Ok(())
    }

    fn allocate(&mut self, output: usize) -> Result<(), Cause> {
        if let Some(slot @ Slot::New(..)) = self.slots.get_mut(output) {
            let Slot::New(dtype, shape) = *slot else { return Ok(()) };
            let shape = shape.ok_or_else(|| Cause::Unfit(format!("the shape of output {output} is not known")))?;
            let tensor = TensorOptions::new(dtype).allocator(self.allocator).empty_of(shape)?;
            *slot = Slot::Computed(tensor);
        }
        Ok(())
    }
}

fn place<'b>(slot: &'b mut Slot<'_>) -> Result<Option<Place<'b>>, Cause> {
    Ok(match slot {
        Slot::Given(view) => Some(Place::Given(view.reborrow())),
        Slot::Computed(tensor) => Some(Place::New(tensor.storage_mut()?, tensor.dtype(), *tensor.geometry()?)),
        Slot::Unwanted | Slot::New(..) => None,
    })
}

impl Place<'_> {
    /// The elements, to write.
    ///
    /// # Errors
    /// [`Cause::Tensor`] if the memory does not hold the tensor.
    pub fn view(&mut self) -> Result<AnyViewMut<'_>, Cause> {
        match self {
            Self::Given(view) => Ok(view.reborrow()),
            Self::New(guard, dtype, geometry) => Ok(AnyViewMut::new(guard, *dtype, *geometry)?),
        }
    }
}
