//! Tensors whose bytes are in other files.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use super::{TensorProblem, TensorProto};
use crate::{FileError, ModelFile, Name};

/// The files beneath a model's folder that it names, opened when first asked for.
#[derive(Debug)]
pub(super) struct ExternalFiles {
    model: ModelFile,
    opened: Mutex<HashMap<Box<str>, ModelFile>>,
}

/// Where the bytes of a tensor are in another file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Location<'a> {
    /// The file, relative to the model's folder.
    pub(super) path: &'a str,
    /// The first byte.
    pub(super) offset: u64,
    /// How many there are; as many as the shape takes, if it is not said.
    pub(super) length: Option<u64>,
}

impl ExternalFiles {
    pub(super) fn new(model: ModelFile) -> Self {
        Self { model, opened: Mutex::default() }
    }

    /// A file that the model names, opened as the model is.
    pub(super) fn open(&self, path: &str) -> Result<ModelFile, FileError> {
        // Nothing is left half done in it, so it is good even if a holder panicked.
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = opened.get(path) {
            return Ok(file.clone());
        }
        let file = self.model.sibling(path)?;
        opened.insert(path.into(), file.clone());
        Ok(file)
    }
}

impl<'a> Location<'a> {
    /// What a tensor says of its place. Keys beside these, such as `checksum`, are left alone.
    pub(super) fn of(tensor: &'a TensorProto) -> Result<Self, TensorProblem> {
        let (mut path, mut offset, mut length) = (None, None, None);
        for entry in &tensor.fields.external_data {
            let (place, key) = match entry.key() {
                "location" => (&mut path, "location"),
                "offset" => (&mut offset, "offset"),
                "length" => (&mut length, "length"),
                _ => continue,
            };
            if place.replace(entry.value()).is_some() {
                return Err(TensorProblem::GivenTwice { key });
            }
        }
        Ok(Self {
            path: path.ok_or(TensorProblem::NoLocation)?,
            offset: offset.map(|text| number("offset", text)).transpose()?.unwrap_or(0),
            length: length.map(|text| number("length", text)).transpose()?,
        })
    }
}

/// A number of bytes, in plain digits.
fn number(key: &'static str, text: &str) -> Result<u64, TensorProblem> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| is_plain);
    number.ok_or_else(|| TensorProblem::NotANumber { key, value: Name::new(text) })
}
