//! `Metadata`: what a file says about its model, by key.

use super::{GgufError, Value, names::Names};
use crate::Name;

/// What a file says about its model, by key, in the order of the file. No key comes twice.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metadata {
    entries: Vec<(Box<str>, Value)>,
    names: Names,
}

impl Metadata {
    /// The entries of a file.
    pub(super) fn new(entries: Vec<(Box<str>, Value)>) -> Result<Self, GgufError> {
        let names = Names::new(entries.len(), |index| &entries[index].0)
            .map_err(|index| GgufError::DuplicateKey { key: Name::new(&entries[index].0) })?;
        Ok(Self { entries, names })
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of a key, such as `"general.architecture"`.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let index = self.names.find(key, |index| &self.entries[index].0)?;
        Some(&self.entries[index].1)
    }

    /// Keys and values in the order of the file.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(key, value)| (&**key, value))
    }
}
