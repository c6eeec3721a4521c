//! The header of an npy file.

use std::io::{self, Read};

use stratal_tensor_base::DType;

use super::{NpyError, literal};
use crate::{Limits, Name, weights::ElementType};

/// What the header of an array says.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// The version of the format, 1 to 3.
    pub version: u8,
    /// The type string, such as `<f4`.
    pub descr: Box<str>,
    /// What it means.
    pub element_type: ElementType,
    /// The order of the bytes of an element.
    pub byte_order: ByteOrder,
    /// Whether the first axis changes fastest.
    pub is_fortran_order: bool,
    /// The extents, outermost first.
    pub extents: Box<[u64]>,
    /// Where the elements begin in the file.
    pub data_start: u64,
}

/// The order of the bytes of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// The least significant first.
    Little,
    /// The most significant first.
    Big,
}

const MAGIC: &[u8; 6] = b"\x93NUMPY";

impl Header {
    /// Reads a header from the beginning of a file, and no byte behind it.
    ///
    /// # Errors
    /// [`NpyError`]; what fails within `reader` is [`NpyError::Damaged`].
    pub fn read(reader: &mut dyn Read, limits: &Limits) -> Result<Self, NpyError> {
        let mut start = [0; 8];
        fill(reader, &mut start)?;
        let [magic @ .., major, minor] = start;
        if magic != *MAGIC {
            return Err(NpyError::NoMagic);
        }
        let mut length = [0; 4];
        match (major, minor) {
            (1, 0) => fill(reader, &mut length[..2])?,
            (2 | 3, 0) => fill(reader, &mut length)?,
            _ => return Err(NpyError::UnknownVersion { major, minor }),
        }
        let before = if major == 1 { 10 } else { 12 };
        let length = u64::from(u32::from_le_bytes(length));
        if length > limits.header_bytes {
            return Err(NpyError::Limit { what: "bytes of header", count: length, limit: limits.header_bytes });
        }
        let mut text = Vec::new();
        // Grows with what is there, not with what the length says.
        reader.take(length).read_to_end(&mut text).map_err(|error| damaged(&error))?;
        if text.len() as u64 != length {
            return Err(NpyError::HeaderCutOff);
        }
        // Versions 1 and 2 are Latin-1, version 3 is UTF-8; beyond ASCII they have names of fields alone.
        let text = match String::from_utf8(text) {
            Ok(text) => text,
            Err(error) if major < 3 => error.as_bytes().iter().map(|byte| char::from(*byte)).collect(),
            Err(_) => return Err(NpyError::Malformed { position: 0, reason: "it is no UTF-8" }),
        };
        Self::of_text(&text, major, before + length)
    }

    /// Whether elements are in row-major order and little-endian, as tensors have them.
    pub(super) fn is_plain(&self) -> bool {
        self.byte_order == ByteOrder::Little && (!self.is_fortran_order || self.extents.len() < 2)
    }

    /// The dtype of elements that have one.
    pub(super) fn dtype(&self) -> Option<DType> {
        self.element_type.dtype()
    }

    /// Checks that the elements are so many bytes. What has no dtype has a size that is not known here.
    pub(super) fn check_length(&self, bytes: u64) -> Result<(), NpyError> {
        let Some(dtype) = self.dtype() else { return Ok(()) };
        let product = self.extents.iter().try_fold(dtype.size() as u64, |bytes, extent| bytes.checked_mul(*extent));
        if product == Some(bytes) {
            return Ok(());
        }
        let element_type = Name::new(&self.descr);
        Err(NpyError::WrongLength { element_type, extents: self.extents.clone(), bytes })
    }

    fn of_text(text: &str, version: u8, data_start: u64) -> Result<Self, NpyError> {
        let missing = |reason| move || NpyError::Malformed { position: text.len(), reason };
        let found = literal::dictionary(text)?;
        let descr = found.descr.ok_or_else(missing("`descr` is missing"))?;
        let is_fortran_order = found.fortran_order.ok_or_else(missing("`fortran_order` is missing"))?;
        let extents = found.shape.ok_or_else(missing("`shape` is missing"))?.into();
        let (element_type, byte_order) = element_type(&descr);
        Ok(Self { version, descr: descr.into(), element_type, byte_order, is_fortran_order, extents, data_start })
    }
}

/// What a type string means. One byte has no order, whatever the string says.
fn element_type(descr: &str) -> (ElementType, ByteOrder) {
    let unsupported = (ElementType::Unsupported(Name::new(descr)), ByteOrder::Little);
    let Some(kind) = descr.get(1..) else { return unsupported };
    let byte_order = match &descr[..1] {
        ">" => ByteOrder::Big,
        "<" | "|" => ByteOrder::Little,
        _ => return unsupported,
    };
    let with = |mark: char| DType::from_numpy(&format!("{mark}{kind}")).ok();
    match (with('|'), with('<')) {
        (Some(dtype), _) => (ElementType::Plain(dtype), ByteOrder::Little),
        (None, Some(dtype)) if !descr.starts_with('|') => (ElementType::Plain(dtype), byte_order),
        _ => unsupported,
    }
}

fn fill(reader: &mut dyn Read, target: &mut [u8]) -> Result<(), NpyError> {
    reader.read_exact(target).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => NpyError::HeaderCutOff,
        _ => damaged(&error),
    })
}

pub(super) fn damaged(error: &io::Error) -> NpyError {
    NpyError::Damaged { reason: Name::new(&error.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_strings_mean_dtypes() {
        for (descr, dtype, order) in [
            ("<f4", Some(DType::F32), ByteOrder::Little),
            (">f2", Some(DType::F16), ByteOrder::Big),
            ("|b1", Some(DType::Bool), ByteOrder::Little),
            (">i1", Some(DType::I8), ByteOrder::Little),
            ("<u1", Some(DType::U8), ByteOrder::Little),
            ("|f4", None, ByteOrder::Little),
            ("=f4", None, ByteOrder::Little),
            ("<c8", None, ByteOrder::Little),
            ("<U12", None, ByteOrder::Little),
            ("|O", None, ByteOrder::Little),
            ("", None, ByteOrder::Little),
            ("é1", None, ByteOrder::Little),
        ] {
            let (element_type, found) = element_type(descr);
            assert_eq!((element_type.dtype(), found), (dtype, order), "{descr}");
        }
    }
}
