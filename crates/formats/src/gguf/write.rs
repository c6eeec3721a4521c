//! Writing GGUF files, version 3.

use std::{
    collections::HashSet,
    io::{self, Read as _, Write},
    path::Path,
};

use stratal_tensor::Tensor;

use super::{
    Array, GgufError, PackedTensor, TensorInfo, TensorType, Value,
    header::{ALIGNMENT_DEFAULT, ALIGNMENT_KEY, alignment_of},
};
use crate::{Error, Name, elements, replace};

/// A tensor to be written.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// Elements of a dtype.
    Plain(&'a Tensor),
    /// Blocks, which are written as they are.
    Packed(&'a PackedTensor),
}

impl<'a> From<&'a Tensor> for Source<'a> {
    fn from(tensor: &'a Tensor) -> Self {
        Self::Plain(tensor)
    }
}

impl<'a> From<&'a PackedTensor> for Source<'a> {
    fn from(tensor: &'a PackedTensor) -> Self {
        Self::Packed(tensor)
    }
}

/// Writes tensors and metadata, in the order given, to a file; the file at `path`, should there be one, is replaced once all is
/// written.
///
/// The data is aligned as the metadata's `general.alignment` says, or else to 32 bytes. Weights are not quantised: plain tensors
/// are written as they are, and packed ones too.
///
/// # Errors
/// [`GgufError::NoTypeFor`] for bool and unsigned integers, [`GgufError::RankTooLarge`], [`GgufError::NameTooLong`],
/// [`GgufError::DuplicateKey`], [`GgufError::DuplicateTensor`] and [`GgufError::Alignment`], which leave the file as it was;
/// [`FileError::Write`](crate::FileError::Write); [`TensorError`](stratal_tensor::TensorError) when a tensor cannot be read.
pub fn write<'a, T: Into<Source<'a>>>(
    path: impl AsRef<Path>,
    tensors: impl IntoIterator<Item = (&'a str, T)>,
    metadata: impl IntoIterator<Item = (&'a str, &'a Value)>,
) -> Result<(), Error> {
    let plan = Plan::new(tensors, metadata)?;
    replace::file(path.as_ref(), |file| plan.write(file))
}

/// The bytes that [`write()`] writes.
///
/// ```
/// use stratal_formats::{Limits, ModelFile, gguf::{self, Value}};
/// use stratal_tensor::Tensor;
///
/// let bias = Tensor::from_slice(&[0.5_f32, -1.0], &[2])?;
/// let bytes = gguf::to_vec([("bias", &bias)], [("general.architecture", &Value::from("bert"))])?;
///
/// let weights = gguf::weights(ModelFile::of_vec(bytes)?, &Limits::default())?;
/// assert_eq!(weights.tensor("bias")?.to_vec::<f32>()?, [0.5, -1.0]);
/// # Ok::<(), stratal_formats::Error>(())
/// ```
///
/// # Errors
/// As [`write()`], but for those of files.
pub fn to_vec<'a, T: Into<Source<'a>>>(
    tensors: impl IntoIterator<Item = (&'a str, T)>,
    metadata: impl IntoIterator<Item = (&'a str, &'a Value)>,
) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    Plan::new(tensors, metadata)?.write(&mut bytes)?;
    Ok(bytes)
}

/// The most bytes that readers take: ggml's `GGML_MAX_NAME` with the zero at its end, and the specification's length of a key.
const TENSOR_NAME_MAX: usize = 63;
const KEY_MAX: usize = 65_535;

/// What is written, and where.
struct Plan<'a> {
    /// All that stands before the data, but for the padding.
    header: Vec<u8>,
    /// In the order of the data.
    tensors: Vec<(&'a str, Source<'a>)>,
    alignment: u64,
    /// All of the data, with padding.
    data_bytes: u64,
}

impl<'a> Plan<'a> {
    fn new<T: Into<Source<'a>>>(
        tensors: impl IntoIterator<Item = (&'a str, T)>,
        metadata: impl IntoIterator<Item = (&'a str, &'a Value)>,
    ) -> Result<Self, GgufError> {
        let tensors: Vec<_> = tensors.into_iter().map(|(name, tensor)| (name, tensor.into())).collect();
        let metadata: Vec<_> = metadata.into_iter().collect();

        let mut header = Vec::from(*b"GGUF");
        header.extend(3_u32.to_le_bytes());
        header.extend((tensors.len() as u64).to_le_bytes());
        header.extend((metadata.len() as u64).to_le_bytes());

        let mut alignment = ALIGNMENT_DEFAULT;
        let mut keys = HashSet::new();
        for (key, value) in metadata {
            check_name(key, KEY_MAX)?;
            if !keys.insert(key) {
                return Err(GgufError::DuplicateKey { key: Name::new(key) });
            }
            if key == ALIGNMENT_KEY {
                alignment = alignment_of(value)?;
            }
            put_text(&mut header, key);
            header.extend(value.code().to_le_bytes());
            put_value(&mut header, value);
        }

        let mut names = HashSet::new();
        let mut offset = 0_u64;
        for (name, tensor) in &tensors {
            check_name(name, TENSOR_NAME_MAX)?;
            if !names.insert(*name) {
                return Err(GgufError::DuplicateTensor { tensor: Name::new(name) });
            }
            let (info, code) = described(name, tensor)?;
            put_text(&mut header, name);
            header.extend((info.extents().len() as u32).to_le_bytes());
            for extent in info.extents().iter().rev() {
                header.extend(extent.to_le_bytes());
            }
            header.extend(code.to_le_bytes());
            header.extend(offset.to_le_bytes());
            // A tensor has less than 2^32 bytes, the alignment at most 2^31, and there are fewer than 2^31 tensors in memory.
            offset += info.bytes().next_multiple_of(alignment);
        }
        Ok(Self { header, tensors, alignment, data_bytes: offset })
    }

    fn write(&self, target: &mut dyn Write) -> Result<(), Error> {
        target.write_all(&self.header).map_err(replace::failed)?;
        if self.data_bytes > 0 {
            self.pad(self.header.len(), target)?;
        }
        for (name, source) in &self.tensors {
            let bytes = match source {
                Source::Plain(tensor) => {
                    elements::write(tensor, target).map_err(|error| elements::of_tensor(name, error))?;
                    tensor.count() * tensor.dtype().size()
                }
                Source::Packed(packed) => {
                    target.write_all(packed.bytes()).map_err(replace::failed)?;
                    packed.bytes().len()
                }
            };
            self.pad(bytes, target)?;
        }
        Ok(())
    }

    /// Zeros behind so many bytes, up to the alignment.
    fn pad(&self, bytes: usize, target: &mut dyn Write) -> Result<(), Error> {
        let bytes = bytes as u64;
        let padding = bytes.next_multiple_of(self.alignment) - bytes;
        io::copy(&mut io::repeat(0).take(padding), target).map_err(replace::failed)?;
        Ok(())
    }
}

/// What the header says of a tensor, and the code of its type.
fn described(name: &str, source: &Source<'_>) -> Result<(TensorInfo, u32), GgufError> {
    let (tensor_type, shape) = match source {
        Source::Plain(tensor) => (TensorType::Plain(tensor.dtype()), tensor.shape()),
        Source::Packed(packed) => (TensorType::Blocks(packed.block_type()), packed.shape()),
    };
    let no_code = || GgufError::NoTypeFor { tensor: Name::new(name), element_type: tensor_type };
    let code = tensor_type.code().ok_or_else(no_code)?;
    let extents: Vec<u64> = shape.extents().iter().copied().map(u64::from).collect();
    Ok((TensorInfo::new(name, tensor_type, &extents, 0)?, code))
}

fn check_name(name: &str, limit: usize) -> Result<(), GgufError> {
    if name.len() > limit {
        return Err(GgufError::NameTooLong { name: Name::new(name), length: name.len(), limit });
    }
    Ok(())
}

fn put_text(header: &mut Vec<u8>, text: &str) {
    header.extend((text.len() as u64).to_le_bytes());
    header.extend(text.as_bytes());
}

fn put_value(header: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Bool(value) => header.push(u8::from(*value)),
        Value::Text(text) => put_text(header, text),
        Value::Array(array) => put_array(header, array),
        number => header.extend(number.number_bytes()),
    }
}

fn put_array(header: &mut Vec<u8>, array: &Array) {
    header.extend(array.element_code().to_le_bytes());
    header.extend((array.len() as u64).to_le_bytes());
    match array {
        Array::Bool(values) => header.extend(values.iter().map(|value| u8::from(*value))),
        Array::Text(texts) => texts.iter().for_each(|text| put_text(header, text)),
        Array::Array(arrays) => arrays.iter().for_each(|array| put_array(header, array)),
        numbers => header.extend(numbers.number_bytes()),
    }
}
