//! The header of a safetensors file: read, and checked against the file's length.

use std::{collections::HashSet, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use stratal_tensor_base::DType;

use super::SafetensorsError;
use crate::{Error, Limits, ModelFile, Name, weights::ElementType};

/// What the header says. The ranges of its tensors are within the file, cover all of it and share no byte.
#[derive(Debug, Clone, PartialEq)]
pub struct Header {
    /// The tensors, in the order of the header.
    pub entries: Vec<Entry>,
    /// Free text by keys, in the order of the header.
    pub metadata: Vec<(Box<str>, Box<str>)>,
    /// Where the elements of all tensors begin.
    pub data_start: u64,
}

/// What the header says of one tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The name.
    pub name: Box<str>,
    /// What the elements are.
    pub element_type: ElementType,
    /// The extents, outermost first.
    pub extents: Box<[u64]>,
    /// The first byte of the elements, counted from [`Header::data_start`].
    pub start: u64,
    /// The end of the elements.
    pub end: u64,
}

/// The most axes that a tensor in a header may have; more than a tensor here can have.
const RANK_MAX: usize = 64;

/// Types of the format that have no dtype here, with the bits of an element.
const UNSUPPORTED: [(&str, u64); 9] = [
    ("F4", 4),
    ("F6_E2M3", 6),
    ("F6_E3M2", 6),
    ("F8_E5M2", 8),
    ("F8_E4M3", 8),
    ("F8_E8M0", 8),
    ("F8_E4M3FNUZ", 8),
    ("F8_E5M2FNUZ", 8),
    ("C64", 64),
];

impl Header {
    /// Reads the header of a file, and none of its other bytes.
    ///
    /// # Errors
    /// [`FileError`](crate::FileError) when it cannot be read, [`SafetensorsError`] when it is wrong.
    pub fn read(file: &ModelFile, limits: &Limits) -> Result<Self, Error> {
        let file_length = file.len();
        let mut length = [0; 8];
        if file_length < 8 {
            return Err(SafetensorsError::TooShort { file_length }.into());
        }
        file.read_into(0, &mut length)?;
        let end = header_end(length, file_length, limits)?;
        Ok(Self::parse(&file.bytes(8..end)?, file_length, limits)?)
    }

    /// Reads a header, which is given without its length, of a file of `file_length` bytes.
    ///
    /// # Errors
    /// [`SafetensorsError`].
    pub fn parse(header: &[u8], file_length: u64, limits: &Limits) -> Result<Self, SafetensorsError> {
        let out_of_bounds = SafetensorsError::HeaderOutOfBounds { header_length: header.len() as u64, file_length };
        let data_start = 8 + header.len() as u64;
        let available = file_length.checked_sub(data_start).ok_or(out_of_bounds)?;
        if header.first() != Some(&b'{') {
            return Err(SafetensorsError::Malformed { reason: "it does not begin with `{`".into() });
        }
        let mut reader = serde_json::Deserializer::from_slice(header);
        let fields = FieldsSeed { limits }.deserialize(&mut reader).and_then(|fields| reader.end().map(|()| fields));
        let fields = fields.map_err(|error| malformed(&error))?;

        let entries = fields.entries.into_iter().map(|(name, fields)| entry(name, fields, available));
        let entries: Vec<_> = entries.collect::<Result<_, _>>()?;
        if let Some(name) = repeated(entries.iter().map(|entry| &*entry.name)) {
            return Err(SafetensorsError::RepeatedName { name: Name::new(name) });
        }
        if let Some(key) = repeated(fields.metadata.iter().map(|(key, _)| &**key)) {
            return Err(SafetensorsError::RepeatedKey { key: Name::new(key) });
        }
        check_cover(&entries, available)?;
        Ok(Self { entries, metadata: fields.metadata, data_start })
    }
}

/// Where the header of this length ends.
fn header_end(length: [u8; 8], file_length: u64, limits: &Limits) -> Result<u64, SafetensorsError> {
    let header_length = u64::from_le_bytes(length);
    if header_length > file_length.saturating_sub(8) {
        return Err(SafetensorsError::HeaderOutOfBounds { header_length, file_length });
    }
    if header_length > limits.header_bytes {
        let limit = limits.header_bytes;
        return Err(SafetensorsError::Limit { what: "bytes of header", count: header_length, limit });
    }
    // At most the file's length.
    Ok(8 + header_length)
}

/// A tensor whose bytes are within the file and as many as its shape needs.
fn entry(name: Box<str>, fields: EntryFields, available: u64) -> Result<Entry, SafetensorsError> {
    let EntryFields { dtype, shape: extents, data_offsets: (start, end) } = fields;
    if start > end || end > available {
        return Err(SafetensorsError::OutOfBounds { name: Name::new(&name), start, end, available });
    }
    let (element_type, bits) = element_type(&dtype);
    if let Some(bits) = bits {
        let count = extents.iter().try_fold(bits, |product, extent| product.checked_mul(*extent));
        // A product that overflows before it meets a zero is refused too: no tool writes it.
        let is_right = count.is_some_and(|bits| bits.is_multiple_of(8) && bits / 8 == end - start);
        if !is_right {
            let (name, dtype, bytes) = (Name::new(&name), Name::new(&dtype), end - start);
            return Err(SafetensorsError::WrongLength { name, dtype, extents, bytes });
        }
    }
    Ok(Entry { name, element_type, extents, start, end })
}

/// What a name of the format means, and the bits of an element where they are known.
fn element_type(name: &str) -> (ElementType, Option<u64>) {
    if let Some(dtype) = DType::ALL.into_iter().find(|dtype| dtype.safetensors_name() == name) {
        return (ElementType::Plain(dtype), Some(8 * dtype.size() as u64));
    }
    let bits = UNSUPPORTED.iter().find(|(known, _)| *known == name).map(|(_, bits)| *bits);
    (ElementType::Unsupported(Name::new(name)), bits)
}

/// A text that comes twice, if any does. Readers of JSON differ in which of two entries they take, so there may not be two.
pub(super) fn repeated<'a>(texts: impl ExactSizeIterator<Item = &'a str>) -> Option<&'a str> {
    let mut seen = HashSet::with_capacity(texts.len());
    texts.into_iter().find(|text| !seen.insert(*text))
}

/// Checks that the tensors, by their place, follow each other from the first byte to the last.
fn check_cover(entries: &[Entry], available: u64) -> Result<(), SafetensorsError> {
    let mut by_place: Vec<_> = entries.iter().collect();
    by_place.sort_by_key(|entry| (entry.start, entry.end));
    let mut end = 0;
    let mut last = "";
    for entry in by_place {
        match entry.start.cmp(&end) {
            std::cmp::Ordering::Less => {
                let (first, second) = (Name::new(last), Name::new(&entry.name));
                return Err(SafetensorsError::Overlap { first, second, end, start: entry.start });
            }
            std::cmp::Ordering::Greater => return Err(SafetensorsError::Gap { start: end, end: entry.start }),
            std::cmp::Ordering::Equal => {}
        }
        (end, last) = (entry.end, &entry.name);
    }
    if end == available { Ok(()) } else { Err(SafetensorsError::Gap { start: end, end: available }) }
}

pub(super) fn malformed(error: &serde_json::Error) -> SafetensorsError {
    SafetensorsError::Malformed { reason: Name::new(&error.to_string()) }
}

/// The header as it stands there, unchecked but for limits.
#[derive(Default)]
struct Fields {
    entries: Vec<(Box<str>, EntryFields)>,
    metadata: Vec<(Box<str>, Box<str>)>,
}

#[derive(serde::Deserialize)]
#[serde(expecting = "an object of `dtype`, `shape` and `data_offsets`")]
struct EntryFields {
    dtype: Box<str>,
    #[serde(deserialize_with = "extents")]
    shape: Box<[u64]>,
    data_offsets: (u64, u64),
}

/// A list of extents, with an end to its length: eight bytes for each two of the header are too many otherwise.
fn extents<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Box<[u64]>, D::Error> {
    struct Extents;

    impl<'de> Visitor<'de> for Extents {
        type Value = Box<[u64]>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(formatter, "a list of at most {RANK_MAX} extents")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut extents = Vec::new();
            while let Some(extent) = list.next_element()? {
                if extents.len() == RANK_MAX {
                    return Err(A::Error::custom(format_args!("a tensor has more than {RANK_MAX} axes")));
                }
                extents.push(extent);
            }
            Ok(extents.into())
        }
    }

    deserializer.deserialize_seq(Extents)
}

struct FieldsSeed<'a> {
    limits: &'a Limits,
}

impl<'de> DeserializeSeed<'de> for FieldsSeed<'_> {
    type Value = Fields;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Fields, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FieldsSeed<'_> {
    type Value = Fields;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields = Fields::default();
        let mut has_metadata = false;
        while let Some(name) = map.next_key::<Box<str>>()? {
            check_limit::<A::Error>("bytes of name", name.len() as u64, self.limits.name_bytes)?;
            if &*name == "__metadata__" {
                if std::mem::replace(&mut has_metadata, true) {
                    return Err(A::Error::custom("`__metadata__` stands there twice"));
                }
                fields.metadata = map.next_value_seed(Texts { limits: self.limits })?;
            } else {
                check_limit::<A::Error>("tensors", fields.entries.len() as u64 + 1, self.limits.tensors)?;
                fields.entries.push((name, map.next_value()?));
            }
        }
        Ok(fields)
    }
}

/// An object of texts, in its order; `null` is none.
pub(super) struct Texts<'a> {
    pub(super) limits: &'a Limits,
}

impl<'de> DeserializeSeed<'de> for Texts<'_> {
    type Value = Vec<(Box<str>, Box<str>)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Texts<'_> {
    type Value = Vec<(Box<str>, Box<str>)>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of texts")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Vec::new())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut texts = Vec::new();
        while let Some((key, text)) = map.next_entry::<Box<str>, Box<str>>()? {
            check_entry::<A::Error>(texts.len(), &key, self.limits)?;
            check_limit::<A::Error>("bytes of text", text.len() as u64, self.limits.text_bytes)?;
            texts.push((key, text));
        }
        Ok(texts)
    }
}

/// An entry of metadata behind so many others.
pub(super) fn check_entry<E: serde::de::Error>(before: usize, key: &str, limits: &Limits) -> Result<(), E> {
    check_limit("entries of metadata", before as u64 + 1, limits.metadata_entries)?;
    check_limit("bytes of name", key.len() as u64, limits.name_bytes)
}

/// Counts inside of JSON, where the reader's own error type says it.
pub(super) fn check_limit<E: serde::de::Error>(what: &str, count: u64, limit: u64) -> Result<(), E> {
    if count > limit {
        return Err(E::custom(format_args!("{count} {what} are above the limit of {limit}")));
    }
    Ok(())
}
