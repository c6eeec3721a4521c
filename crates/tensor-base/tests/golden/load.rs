//! Reading the fixtures: JSON with numbers, and lists of bit patterns as hex text.

use serde::{Deserialize, Deserializer, de::DeserializeOwned};

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
