//! What is in a file, for programs.

use std::{borrow::Cow, path::Path};

use serde::{Serialize, Serializer};
use stratal_formats::{MetadataValue, Weight, Weights};

use super::{bytes, elements, totals};
use crate::open::Access;

/// What is printed. The names of fields are promises to whoever reads them.
#[derive(Serialize)]
pub(super) struct Description<'a> {
    file: Cow<'a, str>,
    format: &'static str,
    /// `mapped` or `read`.
    access: &'static str,
    /// The bytes of all files that tensors lie in.
    file_bytes: u64,
    #[serde(serialize_with = "in_order")]
    metadata: Vec<(&'a str, Value<'a>)>,
    tensors: Vec<Tensor<'a>>,
    totals: Totals,
}

#[derive(Serialize)]
struct Tensor<'a> {
    name: &'a str,
    dtype: String,
    shape: &'a [u64],
    elements: u64,
    bytes: u64,
    /// The shard, the member or the external file.
    file: Option<&'a str>,
    start: u64,
    end: u64,
    compressed: bool,
}

#[derive(Serialize)]
struct Totals {
    tensors: usize,
    elements: u64,
    bytes: u64,
}

/// A value of metadata. JSON has no infinities and no NaN: those are null.
#[derive(Serialize)]
#[serde(untagged)]
enum Value<'a> {
    Bool(bool),
    Signed(i64),
    Unsigned(u64),
    Float32(f32),
    Float64(f64),
    Text(Cow<'a, str>),
    List { length: u64, first: Vec<Value<'a>> },
}

pub(super) fn describe<'a>(path: &'a Path, access: Access, weights: &'a Weights) -> Description<'a> {
    let totals = totals(weights);
    Description {
        file: path.to_string_lossy(),
        format: weights.format().name(),
        access: access.name(),
        file_bytes: weights.files().iter().map(stratal_formats::ModelFile::len).sum(),
        metadata: weights.metadata().map(|(key, value)| (key, value_of(value))).collect(),
        tensors: weights.iter().map(tensor).collect(),
        totals: Totals { tensors: weights.len(), elements: totals.elements, bytes: totals.bytes },
    }
}

fn tensor(weight: &Weight) -> Tensor<'_> {
    let place = weight.place();
    Tensor {
        name: weight.name(),
        dtype: weight.element_type().to_string(),
        shape: weight.extents(),
        elements: elements(weight),
        bytes: bytes(weight),
        file: place.file(),
        start: place.range().start,
        end: place.range().end,
        compressed: place.is_compressed(),
    }
}

fn value_of(value: &MetadataValue) -> Value<'_> {
    match value {
        MetadataValue::Bool(value) => Value::Bool(*value),
        MetadataValue::Signed(value) => Value::Signed(*value),
        MetadataValue::Unsigned(value) => Value::Unsigned(*value),
        MetadataValue::Float32(value) => Value::Float32(*value),
        MetadataValue::Float64(value) => Value::Float64(*value),
        MetadataValue::Text(text) => Value::Text((&**text).into()),
        MetadataValue::List { length, first } => {
            Value::List { length: *length, first: first.iter().map(value_of).collect() }
        }
        other => Value::Text(other.to_string().into()),
    }
}

/// An object in the order of the file.
fn in_order<S: Serializer>(metadata: &[(&str, Value<'_>)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(metadata.iter().map(|(key, value)| (key, value)))
}
