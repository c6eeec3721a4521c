//! `ModelFile`: the bytes of a file, read on demand, mapped or in memory, behind one face.
#![expect(unsafe_code, reason = "mapping a file is sound only while nobody changes it")]

mod bytes;
mod positioned;
mod prefetch;
mod reader;
mod sibling;

use std::{
    fs::File,
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

use stratal_memory::{Buffer, FrozenBuffer, LENGTH_MAX, MappedFile, Pool};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Device, Shape};

use crate::{Error, FileError};

pub use self::bytes::FileBytes;
pub use self::reader::FileReader;

/// The bytes of a file, behind one face for three kinds:
///
/// - *on demand* ([`open`](Self::open)): each range is read when it is asked for, into memory of its own. Safe, whatever others
///   do to the file meanwhile: they may make numbers wrong, and no more.
/// - *mapped* ([`map`](Self::map)): ranges are windows of one mapping, and nothing is copied. The caller vouches for the file.
/// - *in memory* ([`of_vec`](Self::of_vec)): ranges are parts of one vector.
///
/// Every range is checked against the length that the file had when it was opened. Cloning copies no byte.
///
/// ```
/// use stratal_formats::ModelFile;
///
/// let file = ModelFile::of_vec(vec![1, 2, 3, 4])?;
/// assert_eq!(file.bytes(1..3)?[..], [2, 3]);
/// assert!(file.bytes(3..5).is_err());
/// # Ok::<(), stratal_formats::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ModelFile {
    source: Source,
    length: u64,
    /// Where files lie that this one names; none for bytes in memory.
    folder: Option<Arc<Path>>,
}

#[derive(Debug, Clone)]
enum Source {
    OnDemand(Arc<File>),
    Mapped(MappedFile, Arc<File>),
    Memory(FrozenBuffer),
}

impl ModelFile {
    /// Opens a file whose bytes are read when they are asked for.
    ///
    /// # Errors
    /// [`FileError::Open`] when the system refuses, [`FileError::NotAFile`] for anything but a regular file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        Self::on_demand(open_regular(path)?, path, folder_of(path))
    }

    /// Maps a file. Tensors of it are windows, which cannot be written; where an element would not be aligned, they are copies.
    ///
    /// # Safety
    /// Until the last clone of this value and the last buffer and tensor that came from it are gone, nobody changes the file's
    /// bytes or makes it shorter, in this process or another. The same holds for the files beneath its folder that it names
    /// (shards, external data), which are mapped too.
    ///
    /// # Errors
    /// As [`open`](Self::open); [`FileError::Map`] when the system refuses to map the file.
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        // SAFETY: the caller grants that nobody changes the file while it is mapped.
        unsafe { Self::mapped(open_regular(path)?, path, folder_of(path)) }
    }

    /// The bytes of a vector as a file.
    ///
    /// # Errors
    /// [`AllocationError::TooLong`](stratal_memory::AllocationError::TooLong) past 2^31-1 bytes.
    pub fn of_vec(bytes: Vec<u8>) -> Result<Self, FileError> {
        let length = bytes.len() as u64;
        let bytes = Buffer::from_vec(bytes)?.freeze()?;
        Ok(Self { source: Source::Memory(bytes), length, folder: None })
    }

    /// The bytes that the file had when it was opened.
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether the file was empty.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether ranges are windows of a mapping.
    pub fn is_mapped(&self) -> bool {
        matches!(self.source, Source::Mapped(..))
    }

    /// Whether ranges are read, instead of parts of what is in memory.
    pub(crate) fn is_on_demand(&self) -> bool {
        matches!(self.source, Source::OnDemand(_))
    }

    /// The bytes of a range, to parse. Those of a mapped file and of one in memory are not copied.
    ///
    /// # Errors
    /// [`FileError::OutOfBounds`] past the end, [`FileError::TooLong`] past 2^31-1 bytes, [`FileError::Read`] when the system
    /// fails.
    pub fn bytes(&self, range: Range<u64>) -> Result<FileBytes, FileError> {
        let length = self.check(&range)?;
        match &self.source {
            Source::Memory(bytes) => {
                // Within the vector, since the range is within the file.
                let start = range.start as usize;
                Ok(FileBytes::new(bytes.clone(), start..start + length))
            }
            Source::Mapped(mapped, _) => {
                let window = window(mapped, range.start, length)?;
                Ok(FileBytes::new(window.freeze()?, 0..length))
            }
            Source::OnDemand(_) => Ok(FileBytes::new(self.copied(range.start, length)?.freeze()?, 0..length)),
        }
    }

    /// Copies bytes of the file from `offset` on into `target`.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes).
    pub fn read_into(&self, offset: u64, target: &mut [u8]) -> Result<(), FileError> {
        let length = target.len() as u64;
        self.check(&(offset..offset.saturating_add(length)))?;
        match &self.source {
            Source::OnDemand(file) => positioned::read_exact(file, offset, target)
                .map_err(|source| FileError::Read { offset, length, source })?,
            Source::Mapped(mapped, _) => {
                target.copy_from_slice(&window(mapped, offset, target.len())?.read()?);
            }
            Source::Memory(bytes) => {
                // Within the vector, since the range is within the file.
                let start = offset as usize;
                target.copy_from_slice(&bytes[start..start + target.len()]);
            }
        }
        Ok(())
    }

    /// The elements from byte `offset` on, row-major and little-endian as they lie there.
    ///
    /// Of a mapped file and of one in memory it is a view, which cannot be written, when the elements are aligned. Otherwise
    /// they are copied.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes); [`ShapeError`](stratal_tensor_base::ShapeError) when the shape needs more than 2^31-1 bytes.
    pub fn tensor(&self, dtype: DType, shape: Shape, offset: u64) -> Result<Tensor, Error> {
        let length = shape.bytes(dtype)?;
        self.check(&(offset..offset.saturating_add(length as u64)))?;
        let (buffer, start) = match &self.source {
            Source::Mapped(mapped, _) => (window(mapped, offset, length)?, 0),
            Source::Memory(bytes) => (bytes.buffer().clone(), offset),
            Source::OnDemand(_) => (self.copied(offset, length)?, 0),
        };
        // The start of an empty part has no element that would need alignment.
        let is_aligned = length == 0 || {
            let address = buffer.read().map_err(FileError::from)?.as_ptr().addr().wrapping_add(start as usize);
            address.is_multiple_of(dtype.alignment()) && start.is_multiple_of(dtype.size() as u64)
        };
        Ok(match is_aligned {
            true if length == 0 => Tensor::from_buffer(self.copied(0, 0)?, 0, shape, dtype)?,
            true => Tensor::from_buffer(buffer, start, shape, dtype)?,
            false => Tensor::from_buffer(self.copied(offset, length)?, 0, shape, dtype)?,
        })
    }

    /// A range in memory of its own. The range was checked.
    fn copied(&self, offset: u64, length: usize) -> Result<Buffer, FileError> {
        let buffer = Pool::shared(Device::Cpu)?.rent(length)?;
        self.read_into(offset, &mut buffer.write()?)?;
        Ok(buffer)
    }

    /// The length of a range that lies within the file and fits a buffer.
    fn check(&self, range: &Range<u64>) -> Result<usize, FileError> {
        let (offset, file_length) = (range.start, self.length);
        let length = range.end.saturating_sub(offset);
        if range.end > file_length || offset > range.end {
            return Err(FileError::OutOfBounds { offset, length, file_length });
        }
        if length > LENGTH_MAX as u64 {
            return Err(FileError::TooLong { offset, length });
        }
        // At most 2^31-1.
        Ok(length as usize)
    }

    /// A file beneath the folder of this one, which this one names, opened in the same way.
    fn beside(&self, file: File, path: &Path, folder: PathBuf) -> Result<Self, FileError> {
        match &self.source {
            // SAFETY: whoever mapped this file granted the same for the files beneath its folder that it names.
            Source::Mapped(..) => unsafe { Self::mapped(file, path, folder) },
            Source::OnDemand(_) | Source::Memory(_) => Self::on_demand(file, path, folder),
        }
    }

    fn on_demand(file: File, path: &Path, folder: PathBuf) -> Result<Self, FileError> {
        let length = length_of(&file, path)?;
        Ok(Self { source: Source::OnDemand(Arc::new(file)), length, folder: Some(folder.into()) })
    }

    /// # Safety
    /// As [`map`](Self::map).
    unsafe fn mapped(file: File, path: &Path, folder: PathBuf) -> Result<Self, FileError> {
        length_of(&file, path)?;
        // SAFETY: the caller grants that nobody changes the file while it is mapped.
        let mapped = unsafe { MappedFile::open_read_only(&file) };
        let mapped = mapped.map_err(|source| FileError::Map { path: path.into(), source })?;
        let length = mapped.len();
        Ok(Self { source: Source::Mapped(mapped, Arc::new(file)), length, folder: Some(folder.into()) })
    }
}

/// A window of a mapping within which the range was checked to be.
fn window(mapped: &MappedFile, offset: u64, length: usize) -> Result<Buffer, FileError> {
    mapped.window(offset, length as u64).map_err(|_| FileError::OutOfBounds {
        offset,
        length: length as u64,
        file_length: mapped.len(),
    })
}

/// Opens a regular file. Whatever else has a path could make the open or a read wait for good, so it is looked at before.
fn open_regular(path: &Path) -> Result<File, FileError> {
    let failed = |source| FileError::Open { path: path.into(), source };
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(FileError::NotAFile { path: path.into() });
    }
    File::open(path).map_err(failed)
}

fn length_of(file: &File, path: &Path) -> Result<u64, FileError> {
    let metadata = file.metadata().map_err(|source| FileError::Open { path: path.into(), source })?;
    if metadata.is_file() { Ok(metadata.len()) } else { Err(FileError::NotAFile { path: path.into() }) }
}

/// The folder in which a path lies: that of the path as it is given, should it be a link.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.into(),
        _ => ".".into(),
    }
}
