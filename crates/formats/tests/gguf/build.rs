//! Files put together byte by byte, so that each field can be wrong.

use stratal_formats::{Error, Limits, ModelFile, Weights, gguf};

/// The tensors of a file.
pub(crate) fn weights(bytes: Vec<u8>) -> Result<Weights, Error> {
    gguf::weights(ModelFile::of_vec(bytes)?, &Limits::default())
}

/// The header of a file.
pub(crate) fn header(bytes: &[u8]) -> Result<gguf::Header, gguf::GgufError> {
    gguf::Header::parse(bytes, bytes.len() as u64, &Limits::default())
}

/// The bytes of a header while it is put together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl Bytes {
    /// The beginning of a file: version and counts.
    pub(crate) fn begin(version: u32, tensors: u64, entries: u64) -> Self {
        Self(b"GGUF".to_vec()).u32(version).u64(tensors).u64(entries)
    }

    pub(crate) fn raw(mut self, bytes: &[u8]) -> Self {
        self.0.extend(bytes);
        self
    }

    pub(crate) fn u32(self, number: u32) -> Self {
        self.raw(&number.to_le_bytes())
    }

    pub(crate) fn u64(self, number: u64) -> Self {
        self.raw(&number.to_le_bytes())
    }

    pub(crate) fn text(self, text: &str) -> Self {
        self.u64(text.len() as u64).raw(text.as_bytes())
    }

    /// A key and the code of its value's type.
    pub(crate) fn key(self, key: &str, code: u32) -> Self {
        self.text(key).u32(code)
    }

    /// A tensor of the table: extents innermost first, as files have them.
    pub(crate) fn tensor(self, name: &str, extents: &[u64], code: u32, offset: u64) -> Self {
        let named = self.text(name).u32(extents.len() as u32);
        extents.iter().fold(named, |bytes, extent| bytes.u64(*extent)).u32(code).u64(offset)
    }

    /// Pads to the alignment and adds so many bytes of data.
    pub(crate) fn data(mut self, alignment: usize, bytes: usize) -> Vec<u8> {
        self.0.resize(self.0.len().next_multiple_of(alignment), 0);
        self.0.extend((0..bytes).map(|index| index as u8));
        self.0
    }
}

/// A small file with every kind of field in it.
pub(crate) fn small_file() -> Vec<u8> {
    Bytes::begin(3, 3, 6)
        .key("general.alignment", 4)
        .u32(16)
        .key("name", 8)
        .text("small")
        .key("is", 7)
        .raw(&[1])
        .key("numbers", 9)
        .u32(5)
        .u64(2)
        .u32(7)
        .u32(u32::MAX)
        .key("texts", 9)
        .u32(8)
        .u64(2)
        .text("")
        .text("é")
        .key("nested", 9)
        .u32(9)
        .u64(2)
        .u32(0)
        .u64(3)
        .raw(&[1, 2, 3])
        .u32(12)
        .u64(1)
        .u64(0x3FF0_0000_0000_0000)
        .tensor("plain", &[3, 2], 0, 0)
        .tensor("packed", &[32, 2], 2, 32)
        .tensor("scalar", &[], 27, 80)
        .data(16, 88)
}
