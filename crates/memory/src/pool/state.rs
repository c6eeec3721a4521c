//! `PoolState`: the part of a pool that outlives it, and the ways of a block out of it and back.

use std::collections::VecDeque;

use crate::{
    Alignment, AllocationError, Block, BlockSource, Buffer, Damage, LENGTH_MAX, Origin, PoolUsage, SizeClass,
    checked::{self, CANARY_LENGTH, CHECKED},
    counted::Counted,
    header::Header,
    leases::Orphan,
    storage::Storage,
    sync::{Mutex, PlainArc, PlainMutex, lock, lock_plain},
};

use super::lists::Lists;

/// The part of a pool that outlives it, because buffers come back when they will. It lives as long as
/// the process, so that giving a block back needs no count, and unlocking cannot touch freed memory.
///
/// One lock guards all lists and figures. A lock a class, with atomic figures, was slower; caches of
/// threads would break the order, the cap and the figures.
#[derive(Debug)]
pub(crate) struct PoolState {
    lists: Mutex<Lists>,
    // What arenas and plans left behind because a buffer of theirs was in use.
    orphans: PlainMutex<VecDeque<Orphan>>,
}

// The lock that spins does not say so itself: no critical section unwinds half done, so a state seen after a panic is
// whole. Buffers and pools can be used across `catch_unwind` because of it.
impl std::panic::RefUnwindSafe for PoolState {}

/// A pool as its users hold it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PoolRef {
    state: &'static PoolState,
    granularity: Alignment,
}

/// A block that is rented from a pool. It is given back, or up; just dropping it frees the memory but
/// leaves the pool's figures wrong.
#[derive(Debug)]
pub(crate) struct PooledBlock {
    block: Block,
    class: SizeClass,
    state: &'static PoolState,
    // Waits in a free list, so its header is without a lease.
    is_idle: bool,
}

impl PoolState {
    /// A pool's state: one that a dropped pool has left, or a new one that lives as long as the process.
    pub(super) fn open(source: PlainArc<dyn BlockSource>, max_idle_bytes: u64) -> PoolRef {
        let granularity = source.granularity().max(Alignment::CACHE_LINE);
        let state = Self::place(Lists::new(source, max_idle_bytes));
        PoolRef { state, granularity }
    }

    /// Puts lists into a state that a dropped pool has left, or into one that lives from now on.
    #[cfg(not(loom))]
    fn place(lists: Lists) -> &'static Self {
        static STATES: PlainMutex<Vec<&'static PoolState>> = PlainMutex::new(Vec::new());
        let mut states = lock_plain(&STATES);
        for state in states.iter().copied() {
            let mut old = lock(&state.lists);
            if old.is_finished() {
                let finished = std::mem::replace(&mut *old, lists);
                drop(old);
                drop(states);
                // Its source may be dropped with it, which is foreign code: after both locks.
                drop(finished);
                return state;
            }
        }
        let state: &'static Self =
            Box::leak(Box::new(Self { lists: Mutex::new(lists), orphans: PlainMutex::new(VecDeque::new()) }));
        states.push(state);
        state
    }

    /// Models run many times, and each run needs locks of its own.
    #[cfg(loom)]
    fn place(lists: Lists) -> &'static Self {
        Box::leak(Box::new(Self { lists: Mutex::new(lists), orphans: PlainMutex::new(VecDeque::new()) }))
    }

    /// Keeps what an arena or a plan leaves behind, until its buffers are no longer in use.
    pub(crate) fn adopt(&self, orphan: Orphan) {
        lock_plain(&self.orphans).push_back(orphan);
    }

    /// Keeps a header that has no lease and no other owner.
    fn put_spare(&self, header: Counted<Header>) {
        // If it is not kept it drops here, after the lock.
        let _dropped = lock(&self.lists).put_spare(header);
    }

    /// Keeps a block that comes back in a header without other owner, or frees it past the cap.
    #[inline]
    fn put_idle(&self, class: SizeClass, header: Counted<Header>) {
        let kept = lock(&self.lists).put_idle(class, header);
        if let Err((header, source)) = kept {
            free(header, &*source);
        }
    }

    /// Gives the orphans whose buffers are no longer in use back to the pool.
    fn settle_orphans(&self) {
        let count = lock_plain(&self.orphans).len();
        for _ in 0..count {
            // One at a time: giving blocks back may run foreign code, and if that panics, the orphans that others
            // still use must not lie on the stack that unwinds.
            let Some(orphan) = lock_plain(&self.orphans).pop_front() else { return };
            if let Err(orphan) = orphan.settle() {
                self.adopt(orphan);
            }
        }
    }
}

impl PoolRef {
    #[inline]
    pub(super) fn rent(self, length: usize, is_zeroed: bool) -> Result<Buffer, AllocationError> {
        let class = self.class_of(length)?;
        let idle = lock(&self.state.lists).take_idle(class);
        let Some((mut header, rent)) = idle else {
            return self.rent_fresh(length, class, is_zeroed);
        };
        let Some(only) = Counted::get_mut(&mut header) else {
            unreachable!("an idle header has no other owner");
        };
        if let Some(Storage::Pool(pooled)) = only.storage_mut() {
            pooled.is_idle = false;
            if CHECKED || is_zeroed {
                pooled.prepare(length, is_zeroed);
            }
        }
        only.begin_again(length, Origin::Pool { rent });
        Ok(Buffer::of_header(header))
    }

    #[cold]
    fn rent_fresh(self, length: usize, class: SizeClass, is_zeroed: bool) -> Result<Buffer, AllocationError> {
        let mut pooled = self.fresh(length, class)?;
        pooled.prepare(length, is_zeroed);
        let (rent, spare) = {
            let mut lists = lock(&self.state.lists);
            (lists.note_fresh(class), lists.take_spare())
        };
        let mut header = spare.unwrap_or_else(|| self.new_header());
        let Some(only) = Counted::get_mut(&mut header) else {
            unreachable!("a spare header has no other owner");
        };
        only.begin(Storage::Pool(pooled), length, Origin::Pool { rent });
        Ok(Buffer::of_header(header))
    }

    /// Rents a block as such, for a lease of `length` bytes or for several that share it.
    pub(crate) fn take_block(self, length: usize) -> Result<PooledBlock, AllocationError> {
        let class = self.class_of(length)?;
        let idle = lock(&self.state.lists).take_idle(class);
        if let Some((mut header, _)) = idle
            && let Some(only) = Counted::get_mut(&mut header)
            && let Some(Storage::Pool(mut pooled)) = only.storage_mut().take()
        {
            self.state.put_spare(header);
            pooled.is_idle = false;
            pooled.prepare(length, false);
            return Ok(pooled);
        }
        let mut pooled = self.fresh(length, class)?;
        pooled.prepare(length, false);
        lock(&self.state.lists).note_fresh(class);
        Ok(pooled)
    }

    /// A block from the source, not counted yet.
    fn fresh(self, length: usize, class: SizeClass) -> Result<PooledBlock, AllocationError> {
        let out_of_memory = AllocationError::OutOfMemory { length, block_size: class.bytes() };
        let size = usize::try_from(class.bytes())
            .ok()
            .and_then(|bytes| bytes.checked_add(CANARY_LENGTH))
            .and_then(|bytes| self.granularity.round_up(bytes))
            .ok_or(out_of_memory)?;
        // The lock is held for the clone alone.
        let source = lock(&self.state.lists).source();
        let block = source.allocate(size).ok_or(out_of_memory)?;
        let given = block.size();
        if given < size {
            source.free(block);
            return Err(AllocationError::ShortBlock { block_size: size as u64, given });
        }
        Ok(PooledBlock { block, class, state: self.state, is_idle: false })
    }

    #[inline]
    fn class_of(self, length: usize) -> Result<SizeClass, AllocationError> {
        let too_long = AllocationError::TooLong { length };
        let class = SizeClass::of(length).ok_or(too_long)?;
        if self.granularity == Alignment::CACHE_LINE {
            return Ok(class);
        }
        class.in_granules_of(self.granularity).ok_or(too_long)
    }

    fn new_header(self) -> Counted<Header> {
        Counted::new(Header::spare(Some(self.state)))
    }

    pub(crate) fn state(self) -> &'static PoolState {
        self.state
    }

    pub(super) fn trim(self) -> u64 {
        self.state.settle_orphans();
        let drained = lock(&self.state.lists).drain();
        for header in drained.headers {
            free(header, &*drained.source);
        }
        drained.bytes
    }

    pub(super) fn usage(self) -> PoolUsage {
        lock(&self.state.lists).usage()
    }

    pub(super) fn damage(self) -> u64 {
        lock(&self.state.lists).damage()
    }

    pub(super) fn max_idle_bytes(self) -> u64 {
        lock(&self.state.lists).max_idle_bytes()
    }

    /// Notes that somebody may come for blocks, until [`detach`](Self::detach).
    pub(crate) fn attach(self) -> Self {
        lock(&self.state.lists).add_user();
        self
    }

    pub(crate) fn detach(self) {
        lock(&self.state.lists).remove_user();
    }

    pub(super) fn close(self) {
        lock(&self.state.lists).close();
        self.trim();
        self.detach();
    }
}

impl PooledBlock {
    #[inline]
    pub(crate) fn block(&self) -> &Block {
        &self.block
    }

    /// Whether the block waits in a free list.
    #[inline]
    pub(crate) fn is_idle(&self) -> bool {
        self.is_idle
    }

    /// The block, to use directly.
    pub(crate) fn block_mut(&mut self) -> &mut Block {
        &mut self.block
    }

    /// Prepares the bytes for a lease of `length` bytes.
    fn prepare(&mut self, length: usize, is_zeroed: bool) {
        let needs_zeros = is_zeroed && !self.block.is_zeroed();
        if needs_zeros {
            self.block.bytes_mut()[..length].fill(0);
        }
        if CHECKED {
            checked::prepare(self.block.bytes_mut(), length, is_zeroed);
        }
        self.block.note_lent();
    }

    /// At the end of a lease of `length` bytes: checks the canaries and fills the bytes.
    #[inline]
    pub(crate) fn check(&mut self, length: usize, origin: Origin) -> Result<(), Damage> {
        debug_assert!(length <= LENGTH_MAX, "a lease keeps within the limit");
        if CHECKED {
            return checked::check(self.block.bytes_mut(), length, origin);
        }
        Ok(())
    }

    /// Gives the block back to its pool.
    pub(crate) fn give_back(mut self) {
        self.is_idle = true;
        let (state, class) = (self.state, self.class);
        let spare = lock(&state.lists).take_spare();
        let mut header = spare.unwrap_or_else(|| Counted::new(Header::spare(Some(state))));
        if let Some(only) = Counted::get_mut(&mut header) {
            *only.storage_mut() = Some(Storage::Pool(self));
        }
        state.put_idle(class, header);
    }

    /// Gives a damaged block back to its source: the pool never uses it again.
    pub(crate) fn give_up(self) {
        let source = {
            let mut lists = lock(&self.state.lists);
            lists.note_damage(self.class);
            lists.source()
        };
        source.free(self.block);
    }
}

/// Takes back what a handle leaves, if it is the only one. Where several drop at once and none sees itself
/// as the only one, the drop of the header itself is the net.
///
/// Guards borrow handles, so none is alive: a count in the word is of a forgotten one.
#[inline]
pub(crate) fn take_back(mut header: Counted<Header>) -> Result<(), Damage> {
    let Some(only) = Counted::get_mut(&mut header) else {
        return Ok(());
    };
    let (length, origin, home) = (only.length(), only.origin(), only.home());
    match only.storage_mut() {
        Some(Storage::Pool(pooled)) => {
            let (state, class) = (pooled.state, pooled.class);
            if let Err(damage) = pooled.check(length, origin) {
                if let Some(storage) = only.storage_mut().take() {
                    storage.give_up();
                }
                return Err(damage);
            }
            pooled.is_idle = true;
            state.put_idle(class, header);
        }
        // Released before.
        None => {
            if let Some(home) = home {
                home.put_spare(header);
            }
        }
        // Others end with the header, which knows how.
        Some(_) => drop(header),
    }
    Ok(())
}

/// Frees the block that a header without other owner holds, and the header.
#[cold]
fn free(mut header: Counted<Header>, source: &dyn BlockSource) {
    let storage = Counted::get_mut(&mut header).and_then(|header| header.storage_mut().take());
    if let Some(Storage::Pool(pooled)) = storage {
        source.free(pooled.block);
    }
}
