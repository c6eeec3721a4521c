//! `ReadGuard` and `WriteGuard`: borrowed access to a buffer's bytes, as bytes or as elements.
#![expect(unsafe_code, reason = "a borrow of the word is what makes a slice of the buffer's bytes sound")]

use std::{
    fmt,
    marker::PhantomData,
    ops::{Deref, DerefMut},
};

use bytemuck::{Pod, PodCastError};

use crate::{
    AccessError,
    header::Header,
    word::{ReadBorrow, WriteBorrow},
};

/// Borrowed access to a buffer's bytes, to read. Derefs to a slice.
///
/// The borrow ends when the guard drops, also by unwinding; there is no poisoning, because every byte
/// pattern is a value. A guard that is forgotten (`std::mem::forget`) keeps the buffer from being written
/// or released until its last handle drops.
pub struct ReadGuard<'a, T: Pod = u8> {
    header: &'a Header,
    // Invariant: a borrow of `header`'s word, so the bytes are alive and nobody writes them.
    _borrow: ReadBorrow<'a>,
    // Invariant: the bytes are a slice of these.
    element: PhantomData<T>,
}

/// Borrowed access to a buffer's bytes, to read and write. Derefs to a slice.
///
/// The borrow ends when the guard drops, also by unwinding.
pub struct WriteGuard<'a, T: Pod = u8> {
    header: &'a Header,
    // Invariant: a borrow of `header`'s word, so the bytes are alive and nobody else accesses them.
    borrow: WriteBorrow<'a>,
    // Invariant: the bytes are a slice of these.
    element: PhantomData<T>,
}

impl<'a> ReadGuard<'a> {
    #[inline]
    pub(crate) fn open(header: &'a Header) -> Result<Self, AccessError> {
        match header.word().read() {
            Ok(borrow) => Ok(Self { header, _borrow: borrow, element: PhantomData }),
            Err(refusal) => Err(header.subject().refused(refusal)),
        }
    }

    /// The same borrow, of elements.
    ///
    /// # Errors
    ///
    /// [`AccessError::Ragged`] or [`AccessError::Misaligned`] if the bytes are no slice of such elements;
    /// the borrow ends then.
    #[inline]
    pub fn typed<T: Pod>(self) -> Result<ReadGuard<'a, T>, AccessError> {
        check_elements::<T>(&self)?;
        Ok(ReadGuard { header: self.header, _borrow: self._borrow, element: PhantomData })
    }
}

impl<T: Pod> ReadGuard<'_, T> {
    /// The version of the bytes under this guard.
    pub fn version(&self) -> u64 {
        self.header.version()
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        // SAFETY: while the borrow is held no transition of the word to writer or dead succeeds. So the
        // storage has not been taken (`Header::storage`), nor can the header be let anew (this guard
        // borrows a handle, and that takes an only owner), and the region is alive and initialised, and
        // unwritten (`Header::region`), for as long as `self` is borrowed.
        unsafe { self.header.region().bytes() }
    }
}

impl<'a> WriteGuard<'a> {
    /// Opens for writing without advancing the version yet.
    #[inline]
    pub(crate) fn open(header: &'a Header) -> Result<Self, AccessError> {
        if header.is_read_only() {
            return Err(refused_read_only(header));
        }
        match header.word().write() {
            Ok(borrow) => Ok(Self { header, borrow, element: PhantomData }),
            Err(refusal) => Err(header.subject().refused(refusal)),
        }
    }

    /// The same borrow, of elements.
    ///
    /// # Errors
    ///
    /// [`AccessError::Ragged`] or [`AccessError::Misaligned`] if the bytes are no slice of such elements;
    /// the borrow ends then.
    #[inline]
    pub fn typed<T: Pod>(self) -> Result<WriteGuard<'a, T>, AccessError> {
        check_elements::<T>(&self)?;
        Ok(WriteGuard { header: self.header, borrow: self.borrow, element: PhantomData })
    }
}

impl<T: Pod> WriteGuard<'_, T> {
    /// The version of the bytes under this guard, which has counted itself.
    pub fn version(&self) -> u64 {
        self.header.version()
    }

    /// Advances the version, once all that the access needs is held.
    #[inline]
    pub(crate) fn counted(self) -> Self {
        self.header.advance_version();
        self
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        // SAFETY: while the borrow is held no transition of the word succeeds. So the storage has not
        // been taken (`Header::storage`), nor can the header be let anew (this guard borrows a handle,
        // and that takes an only owner), and the region is alive and initialised (`Header::region`).
        // Only this guard writes, and not while `self` is borrowed.
        unsafe { self.header.region().bytes() }
    }

    #[inline]
    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, the region is alive and initialised while the borrow is held. It is
        // writable memory, since `open` refuses other. The borrow is the only one, and `self` is
        // borrowed exclusively, so nobody else reads or writes the region meanwhile.
        unsafe { self.header.region().bytes_mut() }
    }
}

impl<T: Pod> Deref for ReadGuard<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // Cannot panic: the same bytes were cast when the guard was made.
        bytemuck::cast_slice(self.bytes())
    }
}

impl<T: Pod> Deref for WriteGuard<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // Cannot panic: the same bytes were cast when the guard was made.
        bytemuck::cast_slice(self.bytes())
    }
}

impl<T: Pod> DerefMut for WriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // Cannot panic: the same bytes were cast when the guard was made.
        bytemuck::cast_slice_mut(self.bytes_mut())
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for ReadGuard<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl<T: Pod + fmt::Debug> fmt::Debug for WriteGuard<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

#[inline]
fn check_elements<T: Pod>(bytes: &[u8]) -> Result<(), AccessError> {
    match bytemuck::try_cast_slice::<u8, T>(bytes) {
        Ok(_) => Ok(()),
        Err(PodCastError::TargetAlignmentGreaterAndInputNotAligned) => {
            Err(AccessError::Misaligned { alignment: align_of::<T>() })
        }
        Err(_) => Err(AccessError::Ragged { length: bytes.len(), element_size: size_of::<T>() }),
    }
}

#[cold]
fn refused_read_only(header: &Header) -> AccessError {
    let subject = header.subject();
    // A stale handle is told that it is stale first.
    match header.word().state() {
        Some(refusal) if header.word().is_dead() => subject.refused(refusal),
        _ => AccessError::ReadOnly { origin: subject.origin, length: subject.length },
    }
}
