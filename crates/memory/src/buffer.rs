//! `Buffer`: the shared handle to one stretch of bytes.
#![expect(unsafe_code, reason = "moves the counted header out of a handle that is dropped")]

use std::{fmt, mem::ManuallyDrop};

use bytemuck::Pod;
use stratal_tensor_base::Device;

use crate::{
    AccessError, FrozenBuffer, Origin, ReadGuard, ReleaseError, WriteGuard, checked, counted::Counted, header::Header,
    pool, word::Refusal,
};

/// A shared handle to one stretch of bytes.
///
/// Cloning makes another handle to the same bytes. A handle alone gives no access: [`read`](Self::read)
/// and [`write`](Self::write) return guards, and of those many readers or one writer can be alive at a
/// time. A conflict is an error value; nobody waits. Both methods take `&self`, as a cell's do.
///
/// The bytes go back to where they came from when the last handle drops, or for all handles at once on
/// [`release`](Self::release). A handle that was left behind is *stale*: it knows, every access says so,
/// and it never reaches memory that belongs to somebody else by then.
///
/// Handles and guards may be sent to and shared between threads.
///
/// ```
/// use stratal_memory::{AccessError, Pool};
///
/// let pool = Pool::new();
/// let buffer = pool.rent(4 * 3)?;
/// buffer.write_as::<f32>()?.copy_from_slice(&[1.0, 2.0, 3.0]);
///
/// let other = buffer.clone();
/// let reading = other.read_as::<f32>()?;
/// assert_eq!(reading[2], 3.0);
/// assert!(matches!(buffer.write(), Err(AccessError::BeingRead { readers: 1, .. })));
/// drop(reading);
///
/// buffer.release()?;
/// assert!(matches!(other.read(), Err(AccessError::Stale { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A guard cannot outlive its handle:
///
/// ```compile_fail,E0505
/// let pool = stratal_memory::Pool::new();
/// let buffer = pool.rent(4).unwrap();
/// let guard = buffer.read().unwrap();
/// drop(buffer);
/// drop(guard);
/// ```
pub struct Buffer {
    // Taken out on drop, and only there.
    header: ManuallyDrop<Counted<Header>>,
}

impl Buffer {
    /// The number of bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.header.length()
    }

    /// Whether there are no bytes. Such a buffer has an address and borrows all the same.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the bytes live.
    pub fn device(&self) -> Device {
        Device::Cpu
    }

    /// Where the bytes came from.
    pub fn origin(&self) -> Origin {
        self.header.origin()
    }

    /// The generation that this handle was made in.
    pub fn generation(&self) -> u64 {
        self.header.generation()
    }

    /// The buffer's generation now. It passes [`generation`](Self::generation) when the buffer is
    /// released or its arena reset, and this handle is stale from then on.
    pub fn current_generation(&self) -> u64 {
        self.header.generation() + u64::from(self.is_stale())
    }

    /// Whether the buffer was released or its arena reset. Another thread may do so right after.
    pub fn is_stale(&self) -> bool {
        self.header.word().is_dead()
    }

    /// Whether the bytes are read-only for good, by [`freeze`](Self::freeze).
    pub fn is_frozen(&self) -> bool {
        self.header.word().is_frozen()
    }

    /// Whether the memory itself cannot be written.
    pub fn is_read_only(&self) -> bool {
        self.header.is_read_only()
    }

    /// How often the bytes were opened for writing since the buffer was made.
    ///
    /// While another thread may write this is a hint; [`ReadGuard::version`] is exact.
    pub fn version(&self) -> u64 {
        self.header.version()
    }

    /// Whether both are handles to the same bytes.
    pub fn is_same(&self, other: &Self) -> bool {
        Counted::is_same(&self.header, &other.header)
    }

    /// Opens the bytes for reading, until the guard drops.
    ///
    /// # Errors
    ///
    /// [`AccessError::Stale`], [`AccessError::BeingWritten`] or [`AccessError::TooManyReaders`].
    #[inline]
    pub fn read(&self) -> Result<ReadGuard<'_>, AccessError> {
        ReadGuard::open(&self.header)
    }

    /// Opens the bytes for writing, until the guard drops, and advances the version by one.
    ///
    /// # Errors
    ///
    /// [`AccessError::Stale`], [`AccessError::BeingRead`], [`AccessError::BeingWritten`],
    /// [`AccessError::ReadOnly`] or [`AccessError::Frozen`]. The version stays as it is then.
    #[inline]
    pub fn write(&self) -> Result<WriteGuard<'_>, AccessError> {
        WriteGuard::open(&self.header).map(WriteGuard::counted)
    }

    /// Opens the bytes for reading as elements.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read); [`AccessError::Ragged`] or [`AccessError::Misaligned`] if the bytes are no
    /// slice of such elements.
    #[inline]
    pub fn read_as<T: Pod>(&self) -> Result<ReadGuard<'_, T>, AccessError> {
        self.read()?.typed()
    }

    /// Opens the bytes for writing as elements, and advances the version by one.
    ///
    /// # Errors
    ///
    /// As [`write`](Self::write); [`AccessError::Ragged`] or [`AccessError::Misaligned`] if the bytes are
    /// no slice of such elements, and the version stays as it is then too.
    #[inline]
    pub fn write_as<T: Pod>(&self) -> Result<WriteGuard<'_, T>, AccessError> {
        Ok(WriteGuard::open(&self.header)?.typed()?.counted())
    }

    /// Ends the buffer for all its handles and gives the bytes back at once. Memory of an arena comes
    /// back at the arena's reset.
    ///
    /// # Errors
    ///
    /// [`ReleaseError::Refused`] if the handle is stale (also when another thread releases at the same
    /// time: exactly one succeeds), if a guard lives, or if the buffer is frozen.
    /// [`ReleaseError::Damaged`] in checked builds if somebody wrote past the end.
    ///
    /// # Panics
    ///
    /// If the drop function of foreign memory does.
    pub fn release(&self) -> Result<(), ReleaseError> {
        // Refused or won in one step: whoever comes second finds the word dead.
        let death = self
            .header
            .word()
            .kill()
            .map_err(|refusal| ReleaseError::Refused(self.header.subject().refused(refusal)))?;
        let retired = self.header.retire();
        // Only now may an arena use these bytes again.
        drop(death);
        retired.map_err(ReleaseError::Damaged)
    }

    /// Makes the bytes read-only for good, for all handles, and returns one that reads them without
    /// guards. Freezing again is no error.
    ///
    /// A frozen buffer cannot be released early, and an arena cannot be reset while a handle to a frozen
    /// buffer of it is alive. The bytes go back when the last handle drops.
    ///
    /// # Errors
    ///
    /// [`AccessError::Stale`] or [`AccessError::BeingWritten`].
    pub fn freeze(&self) -> Result<FrozenBuffer, AccessError> {
        match self.header.word().freeze() {
            Ok(()) => Ok(FrozenBuffer::of_frozen(self.clone())),
            Err(refusal) => Err(self.header.subject().refused(refusal)),
        }
    }

    /// A handle to the lease of `header`.
    #[inline]
    pub(crate) fn of_header(header: Counted<Header>) -> Self {
        Self { header: ManuallyDrop::new(header) }
    }

    #[inline]
    pub(crate) fn header(&self) -> &Header {
        &self.header
    }
}

impl Clone for Buffer {
    #[inline]
    fn clone(&self) -> Self {
        Self::of_header(Counted::clone(&self.header))
    }
}

impl Drop for Buffer {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the field is not used again: this is the one place that takes it, and drop runs once.
        let header = unsafe { ManuallyDrop::take(&mut self.header) };
        if let Err(damage) = pool::take_back(header) {
            checked::report_at_drop(&damage);
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let borrow = match self.header.word().state() {
            None => "idle",
            Some(Refusal::Dead | Refusal::Dying) => "stale",
            Some(Refusal::Writer) => "being written",
            Some(Refusal::Readers(_) | Refusal::Full) => "being read",
            Some(Refusal::Frozen) => "frozen",
        };
        formatter
            .debug_struct("Buffer")
            .field("origin", &self.origin())
            .field("length", &self.len())
            .field("generation", &self.generation())
            .field("version", &self.version())
            .field("borrow", &borrow)
            .finish()
    }
}
