//! `HeapMemory`: zeroed memory from the global allocator on a 64-byte boundary.
#![expect(unsafe_code, reason = "calls the global allocator, which takes and gives raw pointers")]

use std::{
    alloc::{Layout, alloc_zeroed, dealloc},
    ptr::NonNull,
};

use crate::Alignment;

/// Zeroed memory from the global allocator on a 64-byte boundary, freed on drop.
#[derive(Debug)]
pub(super) struct HeapMemory {
    // Invariant: returned by `alloc_zeroed(layout)` and not freed since. `layout.size()` is not zero.
    pointer: NonNull<u8>,
    layout: Layout,
}

// SAFETY: this is the only owner of its allocation, like a Box<[u8]>; the global allocator may be called
// from any thread.
unsafe impl Send for HeapMemory {}
// SAFETY: a shared reference gives the address and the size only.
unsafe impl Sync for HeapMemory {}

impl HeapMemory {
    /// `size` zeroed bytes, or `None` if `size` is zero, too large for any allocation, or not to be had.
    pub(super) fn zeroed(size: usize) -> Option<Self> {
        let layout = Layout::from_size_align(size, Alignment::CACHE_LINE.bytes()).ok()?;
        if layout.size() == 0 {
            return None;
        }
        // SAFETY: the layout's size is not zero, as just checked.
        let pointer = unsafe { alloc_zeroed(layout) };
        let pointer = NonNull::new(pointer)?;
        Some(Self { pointer, layout })
    }

    pub(super) fn pointer(&self) -> NonNull<u8> {
        self.pointer
    }

    pub(super) fn size(&self) -> usize {
        self.layout.size()
    }
}

impl Drop for HeapMemory {
    fn drop(&mut self) {
        // SAFETY: by the field's invariant the pointer came from the global allocator with this very
        // layout and has not been freed; it is not used after this.
        unsafe { dealloc(self.pointer.as_ptr(), self.layout) }
    }
}
