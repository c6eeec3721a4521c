//! Reading the fixtures: JSON with numbers, and lists of bit patterns as hex text.

use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use stratal_tensor_base::{Geometry, Shape};

/// Parses a fixture that was included as text.
pub(crate) fn fixture<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).expect("a fixture is valid JSON of the expected form")
}

/// Bit patterns, written as hex numbers: one text with spaces in between, or a list of texts.
#[derive(Debug)]
pub(crate) struct HexList(pub(crate) Vec<u64>);

impl<'de> Deserialize<'de> for HexList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Text(String),
            List(Vec<String>),
        }

        let text = match Form::deserialize(deserializer)? {
            Form::Text(text) => text,
            Form::List(list) => list.join(" "),
        };
        let patterns = text.split_whitespace().map(|pattern| u64::from_str_radix(pattern, 16));
        patterns.collect::<Result<_, _>>().map(Self).map_err(serde::de::Error::custom)
    }
}

/// The geometry of a case that gives strides but no offset: its lowest element is element 0 of the largest buffer.
pub(crate) fn placed(extents: &[i64], strides: &[i64]) -> Geometry {
    let shape = Shape::new(extents).expect("the case has a shape");
    let backwards = extents.iter().zip(strides).map(|(extent, stride)| (extent - 1) * stride.min(&0));
    let offset = if shape.is_empty() { 0 } else { -backwards.sum::<i64>() };
    Geometry::strided(shape, strides, offset, u64::MAX).expect("the case fits a buffer")
}

/// Adds `value` at `position` to a checksum that notices both values and their order.
pub(crate) fn add_to_checksum(sum: u64, position: u64, value: u64) -> u64 {
    sum.wrapping_add(value.wrapping_mul(2 * position + 1))
}
