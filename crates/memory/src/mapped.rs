//! `MappedFile`: a file in the address space, and buffers that are windows of it.
#![expect(unsafe_code, reason = "mapping a file is sound only while nobody changes it")]

mod windows;

use std::{fs::File, ptr::NonNull};

use memmap2::{MmapOptions, MmapRaw};

use crate::{
    Buffer, LENGTH_MAX, MapError, Origin,
    counted::Counted,
    header::Header,
    region::Region,
    storage::Storage,
    sync::{PlainArc, PlainMutex, lock_plain},
};

use windows::Windows;

/// A file in the address space. Its buffers are windows of up to 2^31-1 bytes; the file may be larger.
///
/// The mapping stays until the last window and this value are gone. A window starts wherever it is asked
/// to, so typed access works where the file has the alignment of the elements.
///
/// ```
/// use stratal_memory::MappedFile;
///
/// let mut file = tempfile::tempfile()?;
/// std::io::Write::write_all(&mut file, b"header, then data")?;
/// // SAFETY: the file is deleted already, so nobody else can open it, and we do not write it.
/// let mapped = unsafe { MappedFile::open_read_only(&file)? };
/// let data = mapped.window(13, 4)?;
/// drop(mapped);
/// assert_eq!(data.read()?[..], *b"data");
/// assert!(data.write().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct MappedFile {
    mapping: PlainArc<Mapping>,
}

/// The part of a mapped file that its windows share.
#[derive(Debug)]
struct Mapping {
    // Invariant: `length` bytes of it are the file's, unchanging but for writes through windows.
    raw: MmapRaw,
    length: usize,
    is_read_only: bool,
    // The live windows of a writable mapping; they share no bytes.
    windows: PlainMutex<Windows>,
}

/// The memory of one window.
#[derive(Debug)]
pub(crate) struct WindowMemory {
    region: Region,
    mapping: PlainArc<Mapping>,
    offset: usize,
}

impl MappedFile {
    /// Maps a whole file, to read. Writes to its windows are refused.
    ///
    /// # Safety
    ///
    /// Until the last window and the last clone of this value are gone, nobody changes the file's bytes
    /// or makes it shorter, in this process or another. (Otherwise bytes would change under a reader's
    /// shared slice, or be gone.)
    ///
    /// # Errors
    ///
    /// [`MapError::System`].
    pub unsafe fn open_read_only(file: &File) -> Result<Self, MapError> {
        // SAFETY: the caller grants that the file does not change while it is mapped.
        let map = unsafe { MmapOptions::new().map(file) }?;
        Ok(Self::of_raw(map.len(), map.into(), true))
    }

    /// Maps a whole file, to read and to write copies of its pages: what is written is seen through this
    /// mapping alone, and the file stays as it is. Live windows may not overlap.
    ///
    /// # Safety
    ///
    /// As for [`open_read_only`](Self::open_read_only).
    ///
    /// # Errors
    ///
    /// [`MapError::System`].
    pub unsafe fn open_copy_on_write(file: &File) -> Result<Self, MapError> {
        // SAFETY: the caller grants that the file does not change while it is mapped.
        let map = unsafe { MmapOptions::new().map_copy(file) }?;
        Ok(Self::of_raw(map.len(), map.into(), false))
    }

    /// The bytes of the file when it was mapped.
    pub fn len(&self) -> u64 {
        self.mapping.length as u64
    }

    /// Whether the file was empty.
    pub fn is_empty(&self) -> bool {
        self.mapping.length == 0
    }

    /// A buffer of `length` bytes of the file from `offset`.
    ///
    /// # Errors
    ///
    /// [`MapError::OutOfBounds`]; [`MapError::TooLong`] past 2^31-1 bytes; [`MapError::Overlap`] if the
    /// mapping is writable and a live window shares bytes with this one.
    pub fn window(&self, offset: u64, length: u64) -> Result<Buffer, MapError> {
        if length > LENGTH_MAX as u64 {
            return Err(MapError::TooLong { length });
        }
        let out_of_bounds = || MapError::OutOfBounds { offset, length, file_length: self.len() };
        let start = usize::try_from(offset).map_err(|_| out_of_bounds())?;
        let size = usize::try_from(length).map_err(|_| out_of_bounds())?;
        let region = self.mapping.region().part(start, size).ok_or_else(out_of_bounds)?;
        if !self.mapping.is_read_only {
            let added = lock_plain(&self.mapping.windows).add(start, size);
            added.map_err(|live_offset| MapError::Overlap { offset, length, live_offset: live_offset as u64 })?;
        }
        let memory = WindowMemory { region, mapping: PlainArc::clone(&self.mapping), offset: start };
        let header =
            Header::new(Storage::Window(memory), size, Origin::MappedFile { offset }, self.mapping.is_read_only);
        Ok(Buffer::of_header(Counted::new(header)))
    }

    fn of_raw(length: usize, raw: MmapRaw, is_read_only: bool) -> Self {
        Self {
            mapping: PlainArc::new(Mapping { raw, length, is_read_only, windows: PlainMutex::new(Windows::default()) }),
        }
    }
}

impl Mapping {
    fn region(&self) -> Region {
        match NonNull::new(self.raw.as_mut_ptr()) {
            Some(pointer) => Region::new(pointer, self.length),
            None => Region::empty(),
        }
    }
}

impl WindowMemory {
    pub(crate) fn region(&self) -> &Region {
        &self.region
    }
}

impl Drop for WindowMemory {
    fn drop(&mut self) {
        if !self.mapping.is_read_only {
            lock_plain(&self.mapping.windows).remove(self.offset, self.region.length());
        }
    }
}
