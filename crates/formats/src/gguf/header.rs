//! Reading a header: what stands before the tensors of a GGUF file.
//!
//! ```text
//! "GGUF"  version  count of tensors  count of entries
//! entries of metadata:  key, type of the value, value
//! tensors:              name, rank, extents (innermost first), type, offset in the data
//! padding to the alignment, then the data
//! ```
//!
//! All numbers are little-endian; a text is its length in 64 bits and its bytes. Version 3 is version 2, but for files of
//! big-endian numbers, which nobody marks as such. Source: the specification of GGUF in ggml's repository, `docs/gguf.md`.

use stratal_memory::LENGTH_MAX;
use stratal_tensor_base::Integers;

use super::{
    Array, GgufError, Metadata, TensorInfo, TensorType, Texts, Value,
    cursor::{Cursor, Stop},
    names::Names,
    tensor_info::place,
    value,
};
use crate::{Error, Limits, MetadataValue, ModelFile, Name};

/// What stands before the data of a file. The tensors have names of their own and lie within the file, aligned and apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    version: u32,
    alignment: u64,
    metadata: Metadata,
    tensors: Vec<TensorInfo>,
    names: Names,
}

impl Header {
    /// Reads the header of a file, and none of its data but what is read along with it.
    ///
    /// # Errors
    /// [`FileError`](crate::FileError) when it cannot be read, [`GgufError`] when it is wrong.
    pub fn read(file: &ModelFile, limits: &Limits) -> Result<Self, Error> {
        // How long the header is, only its end says. So parse what is there, and when that is not enough, four times as much.
        let first = if file.is_on_demand() { FIRST_BYTES } else { limits.header_bytes.min(LENGTH_MAX as u64) };
        let mut at_hand = first.min(file.len());
        loop {
            match parse(&file.bytes(0..at_hand)?, file.len(), limits) {
                Ok(header) => return Ok(header),
                Err(Stop::Wrong(error)) => return Err(error.into()),
                // More than is at hand, and no more than the file has and the limit lets a header have.
                Err(Stop::NeedsMore(wanted)) => {
                    at_hand = (4 * at_hand).max(wanted).min(file.len()).min(limits.header_bytes);
                }
            }
        }
    }

    /// Reads the header of a file of `file_length` bytes that begins with `bytes`.
    ///
    /// # Errors
    /// [`GgufError`] when it is wrong; [`GgufError::Incomplete`] when it goes on behind `bytes`.
    pub fn parse(bytes: &[u8], file_length: u64, limits: &Limits) -> Result<Self, GgufError> {
        parse(bytes, file_length, limits).map_err(|stop| match stop {
            Stop::Wrong(error) => error,
            Stop::NeedsMore(wanted) => GgufError::Incomplete { wanted, given: bytes.len() as u64 },
        })
    }

    /// The version of the format: 2 or 3.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// What the start of each tensor in the data is a multiple of, in bytes.
    pub fn alignment(&self) -> u64 {
        self.alignment
    }

    /// What the file says about its model.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The tensors, in the order of the file.
    pub fn tensors(&self) -> &[TensorInfo] {
        &self.tensors
    }

    /// The tensor of a name.
    pub fn tensor(&self, name: &str) -> Option<&TensorInfo> {
        let index = self.names.find(name, |index| self.tensors[index].name())?;
        Some(&self.tensors[index])
    }
}

/// What is read of a file at first, if bytes are not in memory already.
const FIRST_BYTES: u64 = 64 << 10;
/// The key of metadata that says how data is aligned, and what holds without it.
pub(super) const ALIGNMENT_KEY: &str = "general.alignment";
pub(super) const ALIGNMENT_DEFAULT: u64 = 32;
/// The most axes of a tensor.
pub(super) const RANK_MAX: usize = 4;

/// The least that things take in a file: a key, a type and a byte; a name, a rank, a type and an offset.
const ENTRY_BYTES: u64 = 8 + 4 + 1;
const TENSOR_BYTES: u64 = 8 + 4 + 4 + 8;
/// The least that an array in an array takes: a type and a count.
const ARRAY_BYTES: u64 = 4 + 8;
/// The least that a text takes: its length.
const TEXT_BYTES: u64 = 8;

fn parse(bytes: &[u8], file_bytes: u64, limits: &Limits) -> Result<Header, Stop> {
    let mut cursor = Cursor::new(bytes, file_bytes, limits);
    let magic = cursor.array()?;
    if magic != *b"GGUF" {
        return Err(GgufError::NotGguf { magic }.into());
    }
    let version = cursor.u32()?;
    match version {
        2 | 3 => {}
        _ if matches!(version.swap_bytes(), 1..=3) => {
            return Err(GgufError::BigEndian { version: version.swap_bytes() }.into());
        }
        _ => return Err(GgufError::UnsupportedVersion { version }.into()),
    }
    let tensor_count = cursor.count("tensors", TENSOR_BYTES, limits.tensors)?;
    let entry_count = cursor.count("entries of metadata", ENTRY_BYTES, limits.metadata_entries)?;

    let mut entries = Vec::with_capacity(cursor.room_for(entry_count, ENTRY_BYTES as usize));
    for _ in 0..entry_count {
        let key = cursor.text("key", limits.name_bytes)?;
        let code = cursor.u32()?;
        entries.push((Box::from(key), value(&mut cursor, key, code)?));
    }
    let metadata = Metadata::new(entries)?;
    let alignment = metadata.get(ALIGNMENT_KEY).map_or(Ok(ALIGNMENT_DEFAULT), alignment_of)?;

    let mut tensors = Vec::with_capacity(cursor.room_for(tensor_count, TENSOR_BYTES as usize));
    for _ in 0..tensor_count {
        tensors.push(tensor(&mut cursor)?);
    }
    // The position is that of a byte in memory, and the alignment has 32 bits.
    let data_offset = cursor.position().next_multiple_of(alignment);
    let names = place(&mut tensors, data_offset, alignment, file_bytes)?;
    Ok(Header { version, alignment, metadata, tensors, names })
}

/// The alignment that a value of [`ALIGNMENT_KEY`] says.
pub(super) fn alignment_of(value: &Value) -> Result<u64, GgufError> {
    match value {
        Value::U32(alignment) if alignment.is_power_of_two() => Ok((*alignment).into()),
        other => Err(GgufError::Alignment { value: Name::new(&MetadataValue::from(other).to_string()) }),
    }
}

fn value(cursor: &mut Cursor<'_>, key: &str, code: u32) -> Result<Value, Stop> {
    if let Some(number) = Value::read_number(cursor, code)? {
        return Ok(number);
    }
    Ok(match code {
        value::BOOL => Value::Bool(truth(cursor.array()?, key)?),
        value::TEXT => Value::Text(cursor.text("text of metadata", cursor.limits.text_bytes)?.into()),
        value::ARRAY => Value::Array(array(cursor, key, 1)?),
        _ => return Err(GgufError::UnknownValueType { key: Name::new(key), code }.into()),
    })
}

fn array(cursor: &mut Cursor<'_>, key: &str, depth: u32) -> Result<Array, Stop> {
    if depth > cursor.limits.nesting {
        return Err(GgufError::NestedTooDeep { key: Name::new(key), limit: cursor.limits.nesting }.into());
    }
    let code = cursor.u32()?;
    let count = cursor.u64()?;
    if let Some(numbers) = Array::read_numbers(cursor, code, count)? {
        return Ok(numbers);
    }
    Ok(match code {
        value::BOOL => {
            Array::Bool(cursor.take(count)?.iter().map(|byte| truth([*byte], key)).collect::<Result<_, _>>()?)
        }
        value::TEXT => {
            cursor.check_count("texts", count, TEXT_BYTES)?;
            let mut texts = Texts::with_capacity(cursor.room_for(count, TEXT_BYTES as usize));
            for _ in 0..count {
                texts.push(cursor.text("text of metadata", cursor.limits.text_bytes)?);
            }
            Array::Text(texts)
        }
        value::ARRAY => {
            cursor.check_count("arrays", count, ARRAY_BYTES)?;
            let mut arrays = Vec::with_capacity(cursor.room_for(count, ARRAY_BYTES as usize));
            for _ in 0..count {
                arrays.push(array(cursor, key, depth + 1)?);
            }
            Array::Array(arrays)
        }
        _ => return Err(GgufError::UnknownValueType { key: Name::new(key), code }.into()),
    })
}

fn truth([byte]: [u8; 1], key: &str) -> Result<bool, Stop> {
    match byte {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(GgufError::NotBool { key: Name::new(key), byte }.into()),
    }
}

fn tensor(cursor: &mut Cursor<'_>) -> Result<TensorInfo, Stop> {
    let name = cursor.text("name of a tensor", cursor.limits.name_bytes)?;
    let rank = cursor.u32()?;
    if rank as usize > RANK_MAX {
        return Err(GgufError::RankTooLarge { tensor: Name::new(name), rank: rank as usize }.into());
    }
    let mut extents = [0; RANK_MAX];
    let extents = &mut extents[..rank as usize];
    // The file has the innermost axis first.
    for extent in extents.iter_mut().rev() {
        *extent = cursor.u64()?;
    }
    let tensor_type = TensorType::of_code(cursor.u32()?, name)?;
    let offset = cursor.u64()?;
    Ok(TensorInfo::new(name, tensor_type, extents, offset)?)
}

/// Extents as an error shows them. One past 2^63 shows as the largest.
pub(super) fn shown(extents: &[u64]) -> Integers {
    extents.iter().map(|extent| i64::try_from(*extent).unwrap_or(i64::MAX)).collect()
}
