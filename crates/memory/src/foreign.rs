//! Foreign memory as buffers: an address, and a function that is told when it is no longer used.
#![expect(unsafe_code, reason = "the caller answers for the memory")]

use std::{fmt, ptr::NonNull};

use crate::{
    AllocationError, Buffer, LENGTH_MAX, Origin, counted::Counted, header::Header, region::Region, storage::Storage,
};

/// Memory of somebody else, which is told on drop that it is no longer used.
pub(crate) struct ForeignMemory {
    region: Region,
    // Taken on drop, and only there.
    drop_function: Option<Box<dyn FnOnce() + Send>>,
}

impl Buffer {
    /// Wraps memory of somebody else, to read and write, without a copy. `drop_function` runs exactly
    /// once, on whichever thread ends the buffer: at the last drop of a handle, or at the release.
    ///
    /// # Safety
    ///
    /// From this call until `drop_function` runs:
    /// - the `length` bytes at `pointer` are in one live allocation, initialised, and may be read and
    ///   written through `pointer`, from any thread;
    /// - nobody accesses them but through this buffer.
    ///
    /// # Errors
    ///
    /// [`AllocationError::TooLong`] past 2^31-1 bytes; `drop_function` has run then.
    ///
    /// ```
    /// use std::ptr::NonNull;
    /// use stratal_memory::Buffer;
    ///
    /// let bytes: &'static mut [u8] = Box::leak(vec![1_u8, 2, 3].into_boxed_slice());
    /// let (pointer, length) = (NonNull::from(&mut *bytes).cast::<u8>(), bytes.len());
    /// // SAFETY: the bytes are leaked, so they live and are ours until the function frees them.
    /// let buffer = unsafe {
    ///     Buffer::from_foreign(pointer, length, move || println!("no longer used"))?
    /// };
    /// assert_eq!(buffer.read()?[..], [1, 2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub unsafe fn from_foreign(
        pointer: NonNull<u8>,
        length: usize,
        drop_function: impl FnOnce() + Send + 'static,
    ) -> Result<Self, AllocationError> {
        wrap(pointer, length, Box::new(drop_function), false)
    }

    /// Wraps memory of somebody else, to read only, without a copy. `drop_function` runs exactly once, on
    /// whichever thread ends the buffer.
    ///
    /// # Safety
    ///
    /// From this call until `drop_function` runs, the `length` bytes at `pointer` are in one live
    /// allocation, initialised, may be read through `pointer` from any thread, and nobody writes them.
    ///
    /// # Errors
    ///
    /// [`AllocationError::TooLong`] past 2^31-1 bytes; `drop_function` has run then.
    pub unsafe fn from_foreign_read_only(
        pointer: NonNull<u8>,
        length: usize,
        drop_function: impl FnOnce() + Send + 'static,
    ) -> Result<Self, AllocationError> {
        wrap(pointer, length, Box::new(drop_function), true)
    }
}

impl ForeignMemory {
    pub(crate) fn region(&self) -> &Region {
        &self.region
    }
}

impl Drop for ForeignMemory {
    fn drop(&mut self) {
        self.region.note_end();
        if let Some(drop_function) = self.drop_function.take() {
            drop_function();
        }
    }
}

impl fmt::Debug for ForeignMemory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ForeignMemory").field("length", &self.region.length()).finish_non_exhaustive()
    }
}

fn wrap(
    pointer: NonNull<u8>,
    length: usize,
    drop_function: Box<dyn FnOnce() + Send>,
    is_read_only: bool,
) -> Result<Buffer, AllocationError> {
    let memory = ForeignMemory { region: Region::new(pointer, length), drop_function: Some(drop_function) };
    if length > LENGTH_MAX {
        return Err(AllocationError::TooLong { length });
    }
    let header = Header::new(Storage::Foreign(memory), length, Origin::Foreign, is_read_only);
    Ok(Buffer::of_header(Counted::new(header)))
}
