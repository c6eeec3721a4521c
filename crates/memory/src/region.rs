//! `Region`: an address range, and the two steps that turn one into a slice.
#![expect(unsafe_code, reason = "slices are made from addresses here, for every owner and guard")]

use std::{ptr::NonNull, slice};

use crate::sync::Tracked;

/// An address range. It owns nothing and promises nothing: whoever makes a slice of it must know that
/// the bytes are alive and theirs.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    pointer: NonNull<u8>,
    length: usize,
    tracked: Tracked,
}

// SAFETY: a region is an address and a number; holding them on any thread touches no memory. Each
// access goes through an unsafe function whose caller answers for it.
unsafe impl Send for Region {}
// SAFETY: as above: sharing an address touches no memory.
unsafe impl Sync for Region {}

impl Region {
    pub(crate) fn new(pointer: NonNull<u8>, length: usize) -> Self {
        Self { pointer, length, tracked: Tracked::new(length) }
    }

    /// A region of no bytes, aligned for every element type.
    pub(crate) fn empty() -> Self {
        Self { pointer: NonNull::<CacheLine>::dangling().cast(), length: 0, tracked: Tracked::new(0) }
    }

    #[inline]
    pub(crate) fn pointer(&self) -> NonNull<u8> {
        self.pointer
    }

    #[inline]
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// The part that starts `offset` bytes in and is `length` bytes long, if it lies inside.
    #[inline]
    pub(crate) fn part(&self, offset: usize, length: usize) -> Option<Self> {
        let end = offset.checked_add(length)?;
        if end > self.length {
            return None;
        }
        // The offset stays inside the range, so the address neither wraps nor becomes null.
        let pointer = NonNull::new(self.pointer.as_ptr().wrapping_add(offset))?;
        Some(Self { pointer, length, tracked: self.tracked.part(offset, length) })
    }

    /// The bytes, to read.
    ///
    /// # Safety
    ///
    /// For all of `'a`: the range lies in one live allocation that `pointer` may access (or is empty),
    /// its bytes are initialised, and nobody writes them.
    #[inline]
    pub(crate) unsafe fn bytes<'a>(&self) -> &'a [u8] {
        self.tracked.note_read();
        // SAFETY: the pointer is not null by type and u8 needs no alignment. The caller grants that the
        // range is alive, in one allocation (so below isize::MAX), initialised and unwritten for 'a.
        unsafe { slice::from_raw_parts(self.pointer.as_ptr(), self.length) }
    }

    /// The bytes, to write.
    ///
    /// # Safety
    ///
    /// For all of `'a`: the range lies in one live allocation that `pointer` may write (or is empty),
    /// its bytes are initialised, and nobody else reads or writes them.
    #[inline]
    pub(crate) unsafe fn bytes_mut<'a>(&self) -> &'a mut [u8] {
        self.tracked.note_write();
        // SAFETY: the pointer is not null by type and u8 needs no alignment. The caller grants that the
        // range is alive, writable, in one allocation (so below isize::MAX), initialised and that
        // nobody else touches it during 'a.
        unsafe { slice::from_raw_parts_mut(self.pointer.as_ptr(), self.length) }
    }

    /// Tells a model checker that the bytes go away.
    pub(crate) fn note_end(&self) {
        self.tracked.note_end();
    }
}

/// What a dangling address is aligned to.
#[repr(align(64))]
struct CacheLine;
