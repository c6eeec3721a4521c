//! `FrozenBuffer`: a handle to bytes that are read-only for good, which reads them without guards.
#![expect(unsafe_code, reason = "frozen bytes are read without a borrow of the word")]

use std::ops::Deref;

use crate::Buffer;

/// A handle to bytes that are read-only for good, which reads them without guards. Derefs to the bytes.
///
/// Weights are frozen once they are loaded: reading them is then as cheap as reading a slice, from any
/// number of threads.
///
/// ```
/// use stratal_memory::{AccessError, Buffer};
///
/// let buffer = Buffer::from_vec(vec![1_u8, 2, 3])?;
/// let frozen = buffer.freeze()?;
/// assert_eq!(frozen[..], [1, 2, 3]);
/// assert!(matches!(buffer.write(), Err(AccessError::Frozen { .. })));
/// assert!(buffer.release().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The bytes cannot outlive the handle:
///
/// ```compile_fail,E0505
/// let frozen = stratal_memory::Buffer::from_vec(vec![1_u8]).unwrap().freeze().unwrap();
/// let bytes: &[u8] = &frozen;
/// drop(frozen);
/// assert_eq!(bytes[0], 1);
/// ```
#[derive(Debug, Clone)]
pub struct FrozenBuffer {
    // Invariant: frozen.
    buffer: Buffer,
}

impl FrozenBuffer {
    /// The plain handle. Its reads are not counted either; its writes and releases are refused.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// A plain handle to the same bytes.
    pub fn into_buffer(self) -> Buffer {
        self.buffer
    }

    /// Wraps a handle whose word `freeze` has just marked.
    pub(crate) fn of_frozen(buffer: Buffer) -> Self {
        debug_assert!(buffer.is_frozen(), "freezing comes first");
        Self { buffer }
    }
}

impl Deref for FrozenBuffer {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        // SAFETY: the word is frozen for good, and freezing came after the last write (it acquires), as
        // did handing this handle to other threads. No transition to writer or dead succeeds on a frozen
        // word, and nothing but a new lease clears it, which needs all handles gone. So while `self` is
        // borrowed the storage is in place, the region alive and initialised (`Header::region`), and
        // nobody writes it.
        unsafe { self.buffer.header().region().bytes() }
    }
}
