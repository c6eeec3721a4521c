//! `Arena`: bump allocation for the state of one run, reclaimed all at once.
#![expect(unsafe_code, reason = "gives out parts of its chunks, which nobody else may use until the reset")]

mod chunks;

use std::{cell::RefCell, fmt};

use crate::{
    AllocationError, Buffer, LENGTH_MAX, Origin, Pool, ResetError, checked,
    counted::Counted,
    header::Header,
    leases::{self, Orphan},
    lot::Lot,
    pool::PoolRef,
    storage::Storage,
};

use chunks::Chunks;

/// Bump allocation for the state of one run, reclaimed all at once.
///
/// Buffers are carved one after the other, on 64-byte boundaries, from chunks that come from a pool. A
/// [`reset`](Self::reset) ends all of them: handles that are left become stale. Chunks and headers are
/// kept, so a run that allocates what an earlier one did takes nothing from the heap or the system.
///
/// An arena belongs to one run: it may be sent to another thread, but not be shared between threads.
/// Its buffers may, like all buffers.
///
/// ```
/// use stratal_memory::{Arena, Pool};
///
/// let pool = Pool::new();
/// let mut arena = Arena::new(&pool);
/// let state = arena.alloc_zeroed(100)?;
/// assert_eq!(state.read()?[99], 0);
/// arena.reset()?;
/// assert!(state.is_stale());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// ```compile_fail,E0277
/// let arena = stratal_memory::Arena::new(&stratal_memory::Pool::new());
/// std::thread::scope(|scope| {
///     scope.spawn(|| arena.alloc(1).is_ok());
/// });
/// ```
pub struct Arena {
    pool: PoolRef,
    state: RefCell<State>,
}

#[derive(Debug)]
struct State {
    // In the order of allocation; those from `count` on are for later. Each that is in use holds a lot
    // of a chunk until its buffer ends. Declared, and so dropped, before the chunks.
    headers: Vec<Counted<Header>>,
    count: usize,
    bytes_used: usize,
    bytes_peak: usize,
    // Invariant: a chunk is neither dropped, given away, rewound nor accessed while a lot of it exists.
    chunks: Chunks,
}

/// What a chunk holds unless a buffer needs more.
const CHUNK_LENGTH: usize = 1 << 20;

impl Arena {
    /// An arena with chunks of 1 MiB. The first is rented at the first allocation.
    pub fn new(pool: &Pool) -> Self {
        Self::with_chunk_length(pool, CHUNK_LENGTH)
    }

    /// An arena with chunks of this many bytes, or more where a buffer needs more. More than 2^31-1
    /// count as that many.
    pub fn with_chunk_length(pool: &Pool, chunk_length: usize) -> Self {
        Self {
            pool: pool.inner().attach(),
            state: RefCell::new(State {
                headers: Vec::new(),
                count: 0,
                bytes_used: 0,
                bytes_peak: 0,
                chunks: Chunks::new(chunk_length.min(LENGTH_MAX)),
            }),
        }
    }

    /// Allocates a buffer of `length` bytes. What they hold is unspecified, though never undefined.
    ///
    /// # Errors
    ///
    /// [`AllocationError`] as for [`Pool::rent`]; what was allocated before is not affected.
    #[inline]
    pub fn alloc(&self, length: usize) -> Result<Buffer, AllocationError> {
        self.allocate(length, false)
    }

    /// Allocates a buffer of `length` bytes that are all zero.
    ///
    /// # Errors
    ///
    /// As [`alloc`](Self::alloc).
    pub fn alloc_zeroed(&self, length: usize) -> Result<Buffer, AllocationError> {
        self.allocate(length, true)
    }

    /// Ends all buffers allocated since the last reset and takes their memory back.
    ///
    /// # Errors
    ///
    /// [`ResetError::Refused`] if a guard is alive, or a handle to a frozen buffer; nothing has changed
    /// then. [`ResetError::Damaged`] in checked builds if somebody wrote past the end of a buffer: the
    /// reset is done, and the chunk in question is never used again. Several damaged buffers are told
    /// one by one in no message, only the first; [`Pool::damage`] counts the chunks.
    pub fn reset(&mut self) -> Result<(), ResetError> {
        let state = self.state.get_mut();
        let damaged = leases::end_all(&mut state.headers[..state.count]).map_err(ResetError::Refused)?;
        // All lots of all chunks are gone with their leases.
        state.count = 0;
        state.bytes_used = 0;
        state.chunks.rewind(&damaged);
        match damaged.first() {
            Some(lease) => Err(ResetError::Damaged(lease.damage)),
            None => Ok(()),
        }
    }

    /// Gives the chunks that hold no buffer back to the pool; after a reset, all of them.
    pub fn trim(&mut self) {
        self.state.get_mut().chunks.trim();
    }

    /// The bytes in use since the last reset, in whole cache lines.
    pub fn bytes_used(&self) -> usize {
        self.state.borrow().bytes_used
    }

    /// The most bytes that were in use at one time: the high-water mark.
    pub fn bytes_peak(&self) -> usize {
        self.state.borrow().bytes_peak
    }

    /// The bytes of all chunks that the arena holds.
    pub fn bytes_held(&self) -> usize {
        self.state.borrow().chunks.size()
    }

    #[inline]
    fn allocate(&self, length: usize, is_zeroed: bool) -> Result<Buffer, AllocationError> {
        if length > LENGTH_MAX {
            return Err(AllocationError::TooLong { length });
        }
        let size = checked::arena_size(length).ok_or(AllocationError::TooLong { length })?;
        loop {
            if let Some(buffer) = self.state.borrow_mut().carve(length, size, is_zeroed) {
                return Ok(buffer);
            }
            self.add_chunk(length, size)?;
        }
    }

    #[cold]
    fn add_chunk(&self, length: usize, size: usize) -> Result<(), AllocationError> {
        let chunk_length = self.state.borrow().chunks.length_for(length, size);
        // The state is not borrowed meanwhile: the block source is foreign code, which may come back to
        // this arena.
        let chunk = self.pool.take_block(chunk_length)?;
        self.state.borrow_mut().chunks.add(chunk, size);
        Ok(())
    }
}

impl State {
    /// Carves a buffer of `length` bytes from a lot of `size`, if a chunk has room for it.
    #[inline]
    fn carve(&mut self, length: usize, size: usize, is_zeroed: bool) -> Option<Buffer> {
        let (chunk, offset) = self.chunks.place(size)?;
        // SAFETY: the chunk is not dropped, rewound or accessed while a lot of it exists (`chunks`), and
        // since it was last rewound `place` has not given any of these bytes to anybody.
        let lot = unsafe { Lot::carve(chunk.block(), offset, size, true) };
        let Some(mut lot) = lot else {
            unreachable!("a chunk has room where its mark says so");
        };
        lot.prepare(length);
        if is_zeroed {
            lot.zero(length);
        }
        let index = self.count;
        if index == self.headers.len() {
            self.headers.push(Counted::new(Header::spare(None)));
        }
        let slot = &mut self.headers[index];
        let Some(header) = Counted::get_mut(slot) else {
            unreachable!("a reset leaves headers without other owner");
        };
        header.begin(Storage::Lot(lot), length, Origin::Arena { index });
        self.count += 1;
        self.bytes_used += size;
        self.bytes_peak = self.bytes_peak.max(self.bytes_used);
        Some(Buffer::of_header(Counted::clone(slot)))
    }
}

impl Drop for Arena {
    /// A reset. If that is refused, the pool keeps the chunks until the buffers are no longer in use and
    /// somebody trims it.
    fn drop(&mut self) {
        let state = self.state.get_mut();
        let headers = std::mem::take(&mut state.headers);
        let chunks = state.chunks.take();
        let settled = Orphan::of_arena(headers, chunks).settle();
        let damage = settled.unwrap_or_else(|orphan| {
            self.pool.state().adopt(orphan);
            None
        });
        self.pool.detach();
        if let Some(damage) = damage {
            checked::report_at_drop(&damage);
        }
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Arena")
            .field("buffers", &self.state.borrow().count)
            .field("bytes_used", &self.bytes_used())
            .field("bytes_peak", &self.bytes_peak())
            .field("bytes_held", &self.bytes_held())
            .finish()
    }
}
