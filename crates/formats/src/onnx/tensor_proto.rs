//! `TensorProto`: a tensor in a message, whose bytes may stay in the file.

use std::ops::Range;

use bytes::{Buf, BufMut, Bytes};
use prost::{
    DecodeError, Message, decode_length_delimiter,
    encoding::{self, DecodeContext, WireType, check_wire_type},
};

use super::messages::StringStringEntryProto;
use crate::ModelFile;

/// The number of the field that holds elements as bytes.
const RAW_DATA: u32 = 9;

/// A tensor: an initializer, or the value of an attribute.
///
/// Its elements are in one place: in [`raw_data`](Self::raw_data), in the one of the typed fields that its dtype belongs to, or
/// in another file. [`Model::tensor`](super::Model::tensor) reads them, whichever it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TensorProto {
    /// All but the raw bytes.
    pub fields: TensorFields,
    /// The elements as little-endian bytes, row-major.
    pub raw_data: Option<RawData>,
}

/// The fields of a [`TensorProto`] that are not raw bytes.
#[derive(Clone, PartialEq, Message)]
pub struct TensorFields {
    /// The extents.
    #[prost(int64, repeated, tag = "1")]
    pub dims: Vec<i64>,
    /// The code of the dtype.
    #[prost(int32, optional, tag = "2")]
    pub data_type: Option<i32>,
    /// Which part of a tensor these elements are. Nobody writes such parts, and none are read.
    #[prost(message, optional, tag = "3")]
    pub segment: Option<Segment>,
    /// Elements of float32.
    #[prost(float, repeated, tag = "4")]
    pub float_data: Vec<f32>,
    /// Elements of all integers of up to 32 bits but uint32, truth values, and the bits of 16-bit floats.
    #[prost(int32, repeated, tag = "5")]
    pub int32_data: Vec<i32>,
    /// Texts.
    #[prost(bytes = "vec", repeated, tag = "6")]
    pub string_data: Vec<Vec<u8>>,
    /// Elements of int64.
    #[prost(int64, repeated, tag = "7")]
    pub int64_data: Vec<i64>,
    /// The tensor's name.
    #[prost(string, optional, tag = "8")]
    pub name: Option<String>,
    /// Elements of float64.
    #[prost(double, repeated, tag = "10")]
    pub double_data: Vec<f64>,
    /// Elements of uint32 and uint64.
    #[prost(uint64, repeated, tag = "11")]
    pub uint64_data: Vec<u64>,
    /// What the tensor is for.
    #[prost(string, optional, tag = "12")]
    pub doc_string: Option<String>,
    /// Where in which file the bytes are, when they are in another.
    #[prost(message, repeated, tag = "13")]
    pub external_data: Vec<StringStringEntryProto>,
    /// 1 when the bytes are in another file.
    #[prost(int32, optional, tag = "14")]
    pub data_location: Option<i32>,
    /// Anything else, by name.
    #[prost(message, repeated, tag = "16")]
    pub metadata_props: Vec<StringStringEntryProto>,
}

/// A part of a tensor, as a range of its elements.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Segment {
    /// The first element.
    #[prost(int64, optional, tag = "1")]
    pub begin: Option<i64>,
    /// The one behind the last.
    #[prost(int64, optional, tag = "2")]
    pub end: Option<i64>,
}

/// Bytes of a tensor: in memory, or still in the file that the tensor was read from.
///
/// [`Model::of_file`](super::Model::of_file) and [`TensorProto::of_file`] leave bytes in the file. A message that prost decodes out
/// of a slice has them in memory; of a [`Buf`] in several pieces it has none. Only bytes in memory are encoded by [`Message`], so
/// [`Model::write`](super::Model::write) fetches others first.
#[derive(Debug, Clone)]
pub struct RawData(Place);

#[derive(Debug, Clone)]
enum Place {
    /// In memory, and met while decoding so many bytes before the end.
    Memory {
        bytes: Bytes,
        from_end: Option<u64>,
    },
    /// Met while decoding, so many bytes before the end.
    Met {
        from_end: u64,
        length: u64,
    },
    File {
        file: ModelFile,
        range: Range<u64>,
    },
}

impl RawData {
    /// How many bytes there are.
    pub fn len(&self) -> u64 {
        match &self.0 {
            Place::Memory { bytes, .. } => bytes.len() as u64,
            Place::Met { length, .. } => *length,
            Place::File { range, .. } => range.end - range.start,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes, if they are in memory.
    pub fn in_memory(&self) -> Option<&Bytes> {
        match &self.0 {
            Place::Memory { bytes, .. } => Some(bytes),
            _ => None,
        }
    }

    /// The file that the bytes are in, and where.
    pub fn in_file(&self) -> Option<(&ModelFile, Range<u64>)> {
        match &self.0 {
            Place::File { file, range } => Some((file, range.clone())),
            _ => None,
        }
    }

    /// Says which file it was that has been decoded.
    pub(super) fn attach(&mut self, file: &ModelFile) {
        let from_end = match &self.0 {
            Place::Memory { from_end, .. } => *from_end,
            Place::Met { from_end, .. } => Some(*from_end),
            Place::File { .. } => None,
        };
        if let Some(from_end) = from_end {
            let length = self.len();
            // Met while reading this file, so it is not further from the end than the beginning.
            let start = file.len().saturating_sub(from_end);
            self.0 = Place::File { file: file.clone(), range: start..start.saturating_add(length) };
        }
    }
}

impl From<Bytes> for RawData {
    fn from(bytes: Bytes) -> Self {
        Self(Place::Memory { bytes, from_end: None })
    }
}

impl From<Vec<u8>> for RawData {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes::from(bytes).into()
    }
}

/// Two are equal when their bytes are in memory and the same, or in the same range of files.
impl PartialEq for RawData {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Place::Memory { bytes: left, .. }, Place::Memory { bytes: right, .. }) => left == right,
            (Place::File { range: left, .. }, Place::File { range: right, .. }) => left == right,
            (Place::Met { from_end, length }, Place::Met { from_end: other_end, length: other_length }) => {
                (from_end, length) == (other_end, other_length)
            }
            _ => false,
        }
    }
}

impl TensorProto {
    /// The tensor's name; empty if it has none.
    pub fn name(&self) -> &str {
        self.fields.name()
    }

    /// Whether the elements are in another file.
    pub fn is_external(&self) -> bool {
        self.fields.data_location() != 0
    }
}

impl Message for TensorProto {
    fn encode_raw(&self, target: &mut impl BufMut) {
        self.fields.encode_raw(target);
        if let Some(bytes) = self.raw_data.as_ref().and_then(RawData::in_memory) {
            encoding::bytes::encode(RAW_DATA, bytes, target);
        }
    }

    fn merge_field(
        &mut self,
        number: u32,
        wire_type: WireType,
        source: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        if number != RAW_DATA {
            return self.fields.merge_field(number, wire_type, source, context);
        }
        check_wire_type(WireType::LengthDelimited, wire_type)?;
        let length = decode_length_delimiter(&mut *source)?;
        let from_end = source.remaining() as u64;
        if length as u64 > from_end {
            // Only prost makes its errors: this is a field of one byte that is not there.
            return encoding::skip_field(wire_type, number, &mut &[1_u8][..], context);
        }
        // Bytes that are at hand are taken; a slice has all of them at hand, and a file few.
        let place = if source.chunk().len() >= length {
            Place::Memory { bytes: source.copy_to_bytes(length), from_end: Some(from_end) }
        } else {
            source.advance(length);
            Place::Met { from_end, length: length as u64 }
        };
        self.raw_data = Some(RawData(place));
        Ok(())
    }

    fn encoded_len(&self) -> usize {
        let raw = self.raw_data.as_ref().and_then(RawData::in_memory);
        self.fields.encoded_len() + raw.map_or(0, |bytes| encoding::bytes::encoded_len(RAW_DATA, bytes))
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

impl From<TensorFields> for TensorProto {
    fn from(fields: TensorFields) -> Self {
        Self { fields, raw_data: None }
    }
}
