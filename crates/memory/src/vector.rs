//! Vectors as buffers: the memory is taken over as it is, without a copy.
#![expect(unsafe_code, reason = "takes a vector apart and puts it together again")]

use std::{mem::ManuallyDrop, ptr::NonNull};

use bytemuck::Pod;

use crate::{
    AllocationError, Buffer, LENGTH_MAX, Origin, counted::Counted, header::Header, region::Region, storage::Storage,
};

/// The memory of a vector of some element type, freed on drop.
#[derive(Debug)]
pub(crate) struct VectorMemory {
    // Invariant: all the initialised bytes of the vector that was taken apart into the rest.
    region: Region,
    capacity: usize,
    // Invariant: puts the vector together again and drops it; to be called once.
    drop_vector: unsafe fn(NonNull<u8>, usize, usize),
    // In elements.
    length: usize,
}

impl Buffer {
    /// Takes over a vector, without a copy. The buffer has the alignment of the vector's elements.
    ///
    /// # Errors
    ///
    /// [`AllocationError::TooLong`] past 2^31-1 bytes.
    ///
    /// ```
    /// use stratal_memory::Buffer;
    ///
    /// let buffer = Buffer::from_vec(vec![1.0_f32, 2.0])?;
    /// assert_eq!(buffer.len(), 8);
    /// buffer.write_as::<f32>()?[1] = 3.0;
    /// assert_eq!(buffer.read_as::<f32>()?[..], [1.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Elements are plain data. What owns memory or has invalid bytes is refused by the compiler:
    ///
    /// ```compile_fail,E0277
    /// let buffer = stratal_memory::Buffer::from_vec(vec![String::from("one")]);
    /// ```
    pub fn from_vec<T: Pod>(vector: Vec<T>) -> Result<Self, AllocationError> {
        let length = size_of_val(vector.as_slice());
        if length > LENGTH_MAX {
            return Err(AllocationError::TooLong { length });
        }
        let mut vector = ManuallyDrop::new(vector);
        let Some(pointer) = NonNull::new(vector.as_mut_ptr().cast::<u8>()) else {
            unreachable!("a vector's address is never null");
        };
        let memory = VectorMemory {
            region: Region::new(pointer, length),
            capacity: vector.capacity(),
            drop_vector: drop_vector::<T>,
            length: vector.len(),
        };
        let header = Header::new(Storage::Vector(memory), length, Origin::Vector, false);
        Ok(Self::of_header(Counted::new(header)))
    }
}

impl VectorMemory {
    pub(crate) fn region(&self) -> &Region {
        &self.region
    }
}

impl Drop for VectorMemory {
    fn drop(&mut self) {
        self.region.note_end();
        // SAFETY: pointer, length, capacity and function come from one vector of one element type, taken
        // apart in `from_vec` and never dropped. This runs once. Elements are `Pod`: any bytes that were
        // written meanwhile are valid ones, and they may be freed on any thread.
        unsafe { (self.drop_vector)(self.region.pointer(), self.length, self.capacity) }
    }
}

/// Drops the vector that these are the parts of.
///
/// # Safety
///
/// The parts are of a `Vec<T>` that was taken apart and that nobody drops or uses from here on.
unsafe fn drop_vector<T>(pointer: NonNull<u8>, length: usize, capacity: usize) {
    // SAFETY: the caller grants that a `Vec<T>` with the global allocator gave these parts, so the
    // pointer, the element type, the length and the capacity fit together, and that it is ours to drop.
    let vector = unsafe { Vec::<T>::from_raw_parts(pointer.as_ptr().cast::<T>(), length, capacity) };
    drop(vector);
}
