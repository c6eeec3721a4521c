//! `Block`: one owned stretch of memory on a 64-byte boundary.
#![expect(unsafe_code, reason = "the owner of a region makes slices of it without further checks")]

mod heap;
#[cfg(all(any(unix, windows), not(miri)))]
mod mapping;

use std::fmt;

use crate::region::Region;

/// One owned stretch of memory: starts on a 64-byte boundary, always initialised, freed on drop.
///
/// Blocks are what a [`BlockSource`](crate::BlockSource) deals in. Fresh ones hold zeros.
///
/// ```
/// use stratal_memory::Block;
///
/// let mut block = Block::heap(100).expect("100 bytes are to be had");
/// assert!(block.bytes().iter().all(|&byte| byte == 0));
/// block.bytes_mut()[7] = 1;
/// assert_eq!(block.bytes().as_ptr() as usize % 64, 0);
/// ```
pub struct Block {
    // Invariant: exactly the bytes that `memory` keeps alive, all initialised, starting on a 64-byte
    // boundary. Only this block and what it is lent to by `region` may touch them.
    region: Region,
    // Nobody has written to the bytes since the system zeroed them.
    is_zeroed: bool,
    memory: Memory,
}

/// Who frees the bytes.
#[derive(Debug)]
enum Memory {
    Heap(#[expect(dead_code, reason = "held to be dropped")] heap::HeapMemory),
    #[cfg(all(any(unix, windows), not(miri)))]
    Mapping(#[expect(dead_code, reason = "held to be dropped")] mapping::MappedMemory),
}

impl Block {
    /// A block of zeros from the global allocator, or `None` if it has no such memory.
    ///
    /// At least one cache line is allocated, so that an empty block has an address of its own.
    pub fn heap(size: usize) -> Option<Self> {
        let memory = heap::HeapMemory::zeroed(size.max(64))?;
        Some(Self {
            region: Region::new(memory.pointer(), memory.size()),
            is_zeroed: true,
            memory: Memory::Heap(memory),
        })
    }

    /// A block of zeros straight from the system, which is asked to use huge pages, or `None` if it has
    /// no such memory.
    ///
    /// Pages appear when they are first touched. Where there are no mappings this is [`Self::heap`].
    pub fn mapping(size: usize) -> Option<Self> {
        #[cfg(all(any(unix, windows), not(miri)))]
        {
            let memory = mapping::MappedMemory::zeroed(size.max(64))?;
            Some(Self {
                region: Region::new(memory.pointer(), memory.size()),
                is_zeroed: true,
                memory: Memory::Mapping(memory),
            })
        }
        #[cfg(not(all(any(unix, windows), not(miri))))]
        Self::heap(size)
    }

    /// The number of bytes.
    pub fn size(&self) -> usize {
        self.region.length()
    }

    /// Whether the bytes are still the zeros that the system gave.
    pub fn is_zeroed(&self) -> bool {
        self.is_zeroed
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `memory` keeps the initialised region alive while `self` is borrowed. The borrow is
        // shared, so `bytes_mut` cannot run; and whoever writes through a copy of the region has `self`
        // locked away from everybody else meanwhile (the duty of `Block::region`).
        unsafe { self.region.bytes() }
    }

    /// The bytes, to write.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.is_zeroed = false;
        // SAFETY: `memory` keeps the initialised, writable region alive while `self` is borrowed. The
        // borrow is exclusive, and whoever accesses a copy of the region has `self` locked away from
        // everybody else meanwhile (the duty of `Block::region`).
        unsafe { self.region.bytes_mut() }
    }

    /// The address range, for an owner of this block that lends the bytes out under its own rules. It
    /// must keep the block from being used directly or dropped while a slice of the range exists.
    pub(crate) fn region(&self) -> &Region {
        &self.region
    }

    /// Forgets that the bytes are zeros, because they are lent out by region.
    pub(crate) fn note_lent(&mut self) {
        self.is_zeroed = false;
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.region.note_end();
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address is left out: nothing printed depends on addresses.
        let kind = match self.memory {
            Memory::Heap(_) => "heap",
            #[cfg(all(any(unix, windows), not(miri)))]
            Memory::Mapping(_) => "mapping",
        };
        formatter
            .debug_struct("Block")
            .field("size", &self.size())
            .field("memory", &kind)
            .field("is_zeroed", &self.is_zeroed)
            .finish()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_zeroed_and_of_the_size_asked_for() {
        for size in [0, 1, 63, 64, 65, 4096, 100_000, (2 << 20) + 64, 5 << 20] {
            for mut block in [Block::heap(size).unwrap(), Block::mapping(size).unwrap()] {
                assert_eq!(block.size(), size.max(64));
                assert_eq!(block.bytes().as_ptr().addr() % 64, 0);
                assert!(block.is_zeroed());
                assert!(block.bytes().iter().all(|&byte| byte == 0));
                let last = block.size() - 1;
                block.bytes_mut()[last] = 7;
                assert!(!block.is_zeroed());
                assert_eq!(block.bytes()[last], 7);
            }
        }
    }

    #[test]
    fn sizes_no_machine_has_are_refused() {
        for size in [usize::MAX, isize::MAX as usize] {
            assert!(Block::heap(size).is_none());
            assert!(Block::mapping(size).is_none());
        }
    }

    #[test]
    #[cfg(all(target_os = "linux", target_pointer_width = "64", not(miri)))]
    fn large_mappings_start_on_a_huge_page() {
        let block = Block::mapping(4 << 20).unwrap();
        assert_eq!(block.bytes().as_ptr().addr() % (2 << 20), 0);
    }
}
