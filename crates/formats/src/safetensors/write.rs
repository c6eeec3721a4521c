//! Writing safetensors files.

use std::{io::Write, path::Path};

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use stratal_tensor::Tensor;

use super::{SafetensorsError, header::repeated};
use crate::{Error, Name, elements, replace};

/// Writes tensors, in the order given, to a file; the file at `path`, should there be one, is replaced once all is written.
///
/// Elements of larger dtypes come first behind the header, so that all are aligned.
///
/// # Errors
/// [`SafetensorsError::RepeatedName`], [`SafetensorsError::RepeatedKey`] and [`SafetensorsError::ReservedName`]; [`FileError::Write`](crate::FileError::Write);
/// [`TensorError`](stratal_tensor::TensorError) when a tensor cannot be read.
pub fn write<'a>(
    path: impl AsRef<Path>,
    tensors: impl IntoIterator<Item = (&'a str, &'a Tensor)>,
    metadata: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<(), Error> {
    let plan = Plan::new(tensors, metadata)?;
    replace::file(path.as_ref(), |file| plan.write(file))
}

/// The bytes that [`write()`] writes.
///
/// # Errors
/// As [`write()`], but for those of files.
pub fn to_vec<'a>(
    tensors: impl IntoIterator<Item = (&'a str, &'a Tensor)>,
    metadata: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    Plan::new(tensors, metadata)?.write(&mut bytes)?;
    Ok(bytes)
}

/// What is written, and where.
struct Plan<'a> {
    header: Vec<u8>,
    /// In the order of their elements in the file.
    tensors: Vec<(&'a str, &'a Tensor)>,
}

impl<'a> Plan<'a> {
    fn new(
        tensors: impl IntoIterator<Item = (&'a str, &'a Tensor)>,
        metadata: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, Error> {
        let given: Vec<_> = tensors.into_iter().collect();
        if given.iter().any(|(name, _)| *name == "__metadata__") {
            return Err(SafetensorsError::ReservedName.into());
        }
        if let Some(name) = repeated(given.iter().map(|(name, _)| *name)) {
            return Err(SafetensorsError::RepeatedName { name: Name::new(name) }.into());
        }

        let mut order: Vec<_> = (0..given.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(given[*index].1.dtype().size()));
        let mut entries = vec![(0, 0); given.len()];
        let mut end = 0;
        for index in &order {
            let tensor = given[*index].1;
            let start = end;
            // A tensor has at most 2^31-1 bytes, so 2^32 of them fit.
            end += (tensor.count() * tensor.dtype().size()) as u64;
            entries[*index] = (start, end);
        }

        let metadata: Vec<_> = metadata.into_iter().collect();
        if let Some(key) = repeated(metadata.iter().map(|(key, _)| *key)) {
            return Err(SafetensorsError::RepeatedKey { key: Name::new(key) }.into());
        }
        let described = Described { given: &given, ranges: &entries, metadata: &metadata };
        let mut header = serde_json::to_vec(&described)
            .map_err(|error| SafetensorsError::Malformed { reason: Name::new(&error.to_string()) })?;
        // Elements begin on a multiple of eight bytes.
        header.resize(header.len().next_multiple_of(8), b' ');
        Ok(Self { header, tensors: order.into_iter().map(|index| given[index]).collect() })
    }

    fn write(&self, target: &mut dyn Write) -> Result<(), Error> {
        target.write_all(&(self.header.len() as u64).to_le_bytes()).map_err(replace::failed)?;
        target.write_all(&self.header).map_err(replace::failed)?;
        for (name, tensor) in &self.tensors {
            elements::write(tensor, target).map_err(|source| elements::of_tensor(name, source))?;
        }
        Ok(())
    }
}

/// The header of tensors whose places are known.
struct Described<'a> {
    given: &'a [(&'a str, &'a Tensor)],
    ranges: &'a [(u64, u64)],
    metadata: &'a [(&'a str, &'a str)],
}

impl Serialize for Described<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if !self.metadata.is_empty() {
            map.serialize_entry("__metadata__", &Texts(self.metadata))?;
        }
        for ((name, tensor), data_offsets) in self.given.iter().zip(self.ranges) {
            let (dtype, shape) = (tensor.dtype().safetensors_name(), tensor.shape().extents());
            map.serialize_entry(name, &EntryFields { dtype, shape, data_offsets: *data_offsets })?;
        }
        map.end()
    }
}

struct Texts<'a>(&'a [(&'a str, &'a str)]);

impl Serialize for Texts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().copied())
    }
}

#[derive(serde::Serialize)]
struct EntryFields<'a> {
    dtype: &'static str,
    shape: &'a [u32],
    data_offsets: (u64, u64),
}
