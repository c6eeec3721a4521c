//! `MappedMemory`: zeroed pages straight from the system, huge ones where it can give them.

use std::ptr::NonNull;

use memmap2::{MmapMut, MmapRaw};

/// Zeroed pages straight from the system, unmapped on drop.
#[derive(Debug)]
pub(super) struct MappedMemory {
    // `offset + size` lies inside the mapping.
    mapping: MmapRaw,
    offset: usize,
    size: usize,
}

/// A huge page of x86-64, and of arm64 with pages of 4 KiB.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
const HUGE_PAGE: crate::Alignment = crate::Alignment::new(2 << 20);

impl MappedMemory {
    /// `size` zeroed bytes, or `None` if they are not to be had.
    pub(super) fn zeroed(size: usize) -> Option<Self> {
        #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
        if size >= HUGE_PAGE.bytes() {
            return Self::in_huge_pages(size);
        }
        let mapping = MmapMut::map_anon(size).ok()?.into();
        Some(Self { mapping, offset: 0, size })
    }

    /// Only a range that starts on a huge page's boundary can use huge pages throughout, and the system
    /// promises small ones. So it is asked for one huge page more; what is never touched costs nothing.
    #[cfg(all(target_os = "linux", target_pointer_width = "64"))]
    fn in_huge_pages(size: usize) -> Option<Self> {
        let mapped_size = size.checked_add(HUGE_PAGE.bytes())?;
        if mapped_size > isize::MAX as usize {
            return None;
        }
        let mapping = MmapRaw::from(MmapMut::map_anon(mapped_size).ok()?);
        // Advice may be refused (a kernel built without huge pages): the memory is as good, only slower.
        let _ = mapping.advise(memmap2::Advice::HugePage);
        let address = mapping.as_ptr().addr();
        let offset = HUGE_PAGE.round_up(address)? - address;
        Some(Self { mapping, offset, size })
    }

    pub(super) fn pointer(&self) -> NonNull<u8> {
        // `offset` lies inside the mapping, so the address neither wraps nor becomes null.
        match NonNull::new(self.mapping.as_mut_ptr().wrapping_add(self.offset)) {
            Some(pointer) => pointer,
            None => unreachable!("the system maps nothing at address zero"),
        }
    }

    pub(super) fn size(&self) -> usize {
        self.size
    }
}
