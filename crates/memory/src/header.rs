//! `Header`: what all handles of a buffer share: its state, its bytes' address, and what keeps them.

use crate::{
    Damage, Origin,
    error::Subject,
    pool::PoolState,
    region::Region,
    storage::Storage,
    sync::{AtomicU64, Ordering, TakeCell},
    word::BorrowWord,
};

/// What all handles of a buffer share. It is counted apart from the bytes and outlives every handle, so
/// looking at a stale handle is always defined.
///
/// All but the word, the version and the storage is constant while more than one owner exists: it is
/// written through `&mut Header`, which `Counted::get_mut` grants to an only owner. So a header cannot be
/// let again under a stale handle.
#[derive(Debug)]
pub(crate) struct Header {
    word: BorrowWord,
    // Written by the holder of a write borrow only.
    version: AtomicU64,
    generation: u64,
    // Invariant: while the word is not dead and `storage` holds a value, the first bytes of that value's
    // region, which are alive, initialised, and accessed under the word's borrows only.
    region: Region,
    origin: Origin,
    is_read_only: bool,
    // Taken by whoever made the word dead, or has `&mut Header`: exactly once a lease.
    storage: TakeCell<Storage>,
    // The pool that keeps this header when a handle of a released buffer leaves it without a lease.
    home: Option<&'static PoolState>,
}

impl Header {
    /// A header for a lease of the first `length` bytes of `storage`.
    pub(crate) fn new(storage: Storage, length: usize, origin: Origin, is_read_only: bool) -> Self {
        let mut header = Self::spare(None);
        header.is_read_only = is_read_only;
        header.begin(storage, length, origin);
        header
    }

    /// A header without a lease.
    pub(crate) fn spare(home: Option<&'static PoolState>) -> Self {
        Self {
            word: BorrowWord::new(),
            version: AtomicU64::new(0),
            generation: 0,
            region: Region::empty(),
            origin: Origin::Foreign,
            is_read_only: false,
            storage: TakeCell::new(None),
            home,
        }
    }

    /// Begins a lease of the first `length` bytes of `storage`.
    #[inline]
    pub(crate) fn begin(&mut self, storage: Storage, length: usize, origin: Origin) {
        *self.storage.get_mut() = Some(storage);
        self.begin_again(length, origin);
    }

    /// Begins a lease of the first `length` bytes of the storage that is there already.
    ///
    /// # Panics
    ///
    /// If there is no storage, or less than `length` bytes of it: a mistake of this crate.
    #[inline]
    pub(crate) fn begin_again(&mut self, length: usize, origin: Origin) {
        let region = self.storage.get_mut().as_ref().and_then(|storage| storage.region().part(0, length));
        let Some(region) = region else {
            unreachable!("a lease begins on storage that holds it");
        };
        self.region = region;
        self.origin = origin;
        // The last lease may have left a count behind by a forgotten guard.
        self.word = BorrowWord::new();
        self.version = AtomicU64::new(0);
        self.generation += 1;
    }

    /// The storage, for an only owner. Taking it ends the lease.
    #[inline]
    pub(crate) fn storage_mut(&mut self) -> &mut Option<Storage> {
        self.storage.get_mut()
    }

    /// Does away with the storage of a lease that the caller has ended by the word, if it is there.
    pub(crate) fn retire(&self) -> Result<(), Damage> {
        let mut storage = self.storage.take();
        let retired = retire(&mut storage, self.length(), self.origin);
        if let Some(damaged) = storage {
            self.storage.put(damaged);
        }
        retired
    }

    /// Does away with the storage of a lease, if it is there, for an only owner.
    #[inline]
    pub(crate) fn retire_only(&mut self) -> Result<(), Damage> {
        let (length, origin) = (self.length(), self.origin);
        retire(self.storage.get_mut(), length, origin)
    }

    /// Drops the storage of a damaged lease, once its owner knows.
    pub(crate) fn forget_storage(&self) {
        drop(self.storage.take());
    }

    /// The pool that keeps this header when it is without a lease.
    pub(crate) fn home(&self) -> Option<&'static PoolState> {
        self.home
    }

    #[inline]
    pub(crate) fn word(&self) -> &BorrowWord {
        &self.word
    }

    #[inline]
    pub(crate) fn region(&self) -> &Region {
        &self.region
    }

    #[inline]
    pub(crate) fn length(&self) -> usize {
        self.region.length()
    }

    pub(crate) fn origin(&self) -> Origin {
        self.origin
    }

    #[inline]
    pub(crate) fn is_read_only(&self) -> bool {
        self.is_read_only
    }

    /// The generation that the lease began in.
    pub(crate) fn generation(&self) -> u64 {
        self.generation
    }

    /// How often the bytes were opened for writing. Exact under a borrow, and a hint without one.
    #[inline]
    pub(crate) fn version(&self) -> u64 {
        // The word's orderings carry the version along with the bytes.
        self.version.load(Ordering::Relaxed)
    }

    /// Counts one more opening for writing. The caller holds the write borrow, so it is alone.
    #[inline]
    pub(crate) fn advance_version(&self) {
        self.version.store(self.version() + 1, Ordering::Relaxed);
    }

    /// What an error message says of the buffer.
    pub(crate) fn subject(&self) -> Subject {
        Subject { origin: self.origin, length: self.length(), generation: self.generation }
    }
}

impl Drop for Header {
    /// The net for last drops that race past each other: none of them saw itself as the last, so the
    /// bytes are still here.
    fn drop(&mut self) {
        if let Err(damage) = self.retire_only() {
            crate::checked::report_at_drop(&damage);
        }
    }
}

/// Checks storage at its lease's end, and gives it back or up. Only a damaged part of a larger block is
/// left in its place: the owner of the block comes by at its reset, and finds the damage again.
#[inline]
fn retire(storage: &mut Option<Storage>, length: usize, origin: Origin) -> Result<(), Damage> {
    let Some(present) = storage else {
        return Ok(());
    };
    if present.is_idle() {
        // Dropped from a free list, which happens only when a block source panics in the middle of a
        // trim. There is no lease to end.
        *storage = None;
        return Ok(());
    }
    let checked = present.check(length, origin);
    let is_left = checked.is_err() && present.is_lot();
    let taken = if is_left { None } else { storage.take() };
    match (&checked, taken) {
        (Ok(()), Some(whole)) => whole.give_back(),
        (Err(_), Some(damaged)) => damaged.give_up(),
        (_, None) => {}
    }
    checked
}
