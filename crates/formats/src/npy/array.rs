//! Arrays whose elements are not simply there: in column-major order, big-endian, compressed.

use std::io::{self, BufReader, Read, Seek as _, SeekFrom};

use flate2::{Crc, read::DeflateDecoder};
use stratal_memory::Pool;
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Device, Shape};

use super::{
    NpyError,
    header::{ByteOrder, Header, damaged},
};
use crate::{
    Error, FileError, ModelFile, Name,
    weights::{Load, Weight},
};

/// An array that needs more than a look.
#[derive(Debug)]
pub(super) struct Array {
    pub(super) header: Header,
    pub(super) deflated: Option<Deflated>,
}

/// How a member of an archive is compressed.
#[derive(Debug)]
pub(super) struct Deflated {
    /// The bytes of the elements, once they are inflated.
    pub(super) data_bytes: u64,
    /// The checksum of the whole member.
    pub(super) checksum: u32,
}

/// No code of DEFLATE makes more than this of a byte: a byte can stand for four copies of 258 bytes.
pub(super) const INFLATION_MAX: u64 = 1032;

impl Load for Array {
    fn load(&self, weight: &Weight, file: &ModelFile) -> Result<Tensor, Error> {
        let header = &self.header;
        let Some(dtype) = header.dtype() else { unreachable!("only weights with a dtype are loaded") };
        let shape = weight.shape()?;
        // Column-major order is row-major order of the axes reversed.
        let stored = match header.is_fortran_order {
            true => Shape::new(&shape.extents().iter().rev().map(|extent| i64::from(*extent)).collect::<Vec<_>>())?,
            false => shape,
        };
        let range = weight.place().range();
        let tensor = match &self.deflated {
            None if header.byte_order == ByteOrder::Little => file.tensor(dtype, stored, range.start)?,
            None => owned(dtype, stored, |bytes| Ok(file.read_into(range.start, bytes)?))?,
            Some(deflated) => {
                let mut member = inflate(file, range).map_err(|error| damaged(&error))?;
                owned(dtype, stored, |bytes| {
                    deflated.read(&mut member, header.data_start, bytes).map_err(|error| damaged(&error).into())
                })?
            }
        };
        if header.byte_order == ByteOrder::Big {
            swap_bytes(dtype, &mut tensor.buffer().write().map_err(FileError::from)?);
        }
        if !header.is_fortran_order {
            return Ok(tensor);
        }
        Ok(tensor.permute(&(0..shape.rank() as i64).rev().collect::<Vec<_>>())?)
    }
}

impl Deflated {
    /// Reads a whole member: past its header, into `elements`, and to its end, where the checksum must be right.
    fn read(&self, member: &mut dyn Read, header_bytes: u64, elements: &mut [u8]) -> io::Result<()> {
        let mut checksum = Crc::new();
        let mut header = Vec::new();
        // Read once already, so it is as long as it says.
        member.take(header_bytes).read_to_end(&mut header)?;
        checksum.update(&header);
        member.read_exact(elements)?;
        checksum.update(elements);
        if member.read(&mut [0])? != 0 {
            return Err(io::Error::other("the member is longer than the archive says"));
        }
        if checksum.sum() != self.checksum {
            return Err(io::Error::other("the checksum is wrong"));
        }
        Ok(())
    }
}

/// The bytes of a file's range, inflated.
pub(super) fn inflate(file: &ModelFile, range: std::ops::Range<u64>) -> io::Result<impl Read + use<>> {
    let mut reader = file.reader();
    reader.seek(SeekFrom::Start(range.start))?;
    let compressed = BufReader::with_capacity(1 << 16, reader.take(range.end - range.start));
    Ok(DeflateDecoder::new(compressed))
}

/// A tensor in memory of its own, which `fill` fills.
fn owned(dtype: DType, shape: Shape, fill: impl FnOnce(&mut [u8]) -> Result<(), Error>) -> Result<Tensor, Error> {
    let buffer = Pool::shared(Device::Cpu).map_err(FileError::from)?;
    let buffer = buffer.rent(shape.bytes(dtype)?).map_err(FileError::from)?;
    fill(&mut buffer.write().map_err(FileError::from)?)?;
    Ok(Tensor::from_buffer(buffer, 0, shape, dtype)?)
}

fn swap_bytes(dtype: DType, bytes: &mut [u8]) {
    for element in bytes.chunks_exact_mut(dtype.size()) {
        element.reverse();
    }
}

/// Checks a member that says how long it is inflated, before memory is had for it.
pub(super) fn check_inflation(name: &str, compressed: u64, inflated: u64) -> Result<(), NpyError> {
    if inflated > compressed.saturating_mul(INFLATION_MAX).saturating_add(INFLATION_MAX) {
        let reason = format!("{compressed} bytes of member {name} cannot be inflated to {inflated}");
        return Err(NpyError::Damaged { reason: Name::new(&reason) });
    }
    Ok(())
}
