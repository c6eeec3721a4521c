//! The index of a model in several files.

use std::{collections::HashMap, fmt, sync::Arc};

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{
    Header, SafetensorsError,
    header::{Texts, check_entry, check_limit, malformed, repeated},
    weight,
};
use crate::{
    Error, Limits, ModelFile, Name,
    weights::{Format, MetadataValue, Weights},
};

/// What the index of a sharded model says: which file has which tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct Index {
    /// Tensors with the files that have them, in the order of the index. No tensor is named twice.
    pub weight_map: Vec<(Box<str>, Box<str>)>,
    /// What else the index says, in its order.
    pub metadata: Vec<(Box<str>, MetadataValue)>,
}

impl Index {
    /// Reads an index.
    ///
    /// # Errors
    /// [`SafetensorsError::Malformed`], [`SafetensorsError::RepeatedName`], [`SafetensorsError::RepeatedKey`].
    pub fn parse(json: &[u8], limits: &Limits) -> Result<Self, SafetensorsError> {
        let mut reader = serde_json::Deserializer::from_slice(json);
        let index = IndexSeed { limits }.deserialize(&mut reader).and_then(|index| reader.end().map(|()| index));
        let index = index.map_err(|error| malformed(&error))?;
        if let Some(name) = repeated(index.weight_map.iter().map(|(name, _)| &**name)) {
            return Err(SafetensorsError::RepeatedName { name: Name::new(name) });
        }
        if let Some(key) = repeated(index.metadata.iter().map(|(key, _)| &**key)) {
            return Err(SafetensorsError::RepeatedKey { key: Name::new(key) });
        }
        Ok(index)
    }
}

/// The tensors that an index names.
pub(super) fn weights(file: &ModelFile, limits: &Limits) -> Result<Weights, Error> {
    if file.len() > limits.header_bytes {
        let limit = limits.header_bytes;
        return Err(SafetensorsError::Limit { what: "bytes of index", count: file.len(), limit }.into());
    }
    let index = Index::parse(&file.bytes(0..file.len())?, limits)?;

    let mut names_by_shard: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut shards = HashMap::new();
    for (name, shard) in &index.weight_map {
        let position = *shards.entry(&**shard).or_insert_with(|| {
            names_by_shard.push((shard, Vec::new()));
            names_by_shard.len() - 1
        });
        names_by_shard[position].1.push(name);
    }
    if names_by_shard.len() as u64 > limits.shards {
        let count = names_by_shard.len() as u64;
        return Err(SafetensorsError::Limit { what: "shards", count, limit: limits.shards }.into());
    }

    let mut files = Vec::with_capacity(names_by_shard.len());
    let mut found = Vec::with_capacity(index.weight_map.len());
    for (shard, names) in names_by_shard {
        let in_shard = |source: Error| Error::InFile { file: shard.into(), source: source.into() };
        let shard_file = file.sibling(shard)?;
        let header = Header::read(&shard_file, limits).map_err(in_shard)?;
        let mut wanted: std::collections::HashSet<_> = names.iter().copied().collect();
        let number = files.len();
        let shared_name: Arc<str> = shard.into();
        for entry in header.entries.iter().filter(|entry| wanted.remove(&*entry.name)) {
            found.push(weight(entry, &header, (number, Some(&shared_name))));
        }
        if let Some(name) = names.iter().find(|name| wanted.contains(*name)) {
            return Err(SafetensorsError::NotInShard { name: (*name).into(), shard: shard.into() }.into());
        }
        files.push(shard_file);
    }
    Ok(Weights::new(Format::SafetensorsIndex, files, found, index.metadata)?)
}

struct IndexSeed<'a> {
    limits: &'a Limits,
}

impl<'de> DeserializeSeed<'de> for IndexSeed<'_> {
    type Value = Index;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Index, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for IndexSeed<'_> {
    type Value = Index;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with a `weight_map`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Index, A::Error> {
        let mut weight_map = None;
        let mut metadata = None;
        while let Some(key) = map.next_key::<Box<str>>()? {
            match &*key {
                "weight_map" if weight_map.is_some() => return Err(A::Error::duplicate_field("weight_map")),
                "metadata" if metadata.is_some() => return Err(A::Error::duplicate_field("metadata")),
                "weight_map" => {
                    let limits = Limits { metadata_entries: self.limits.tensors, ..*self.limits };
                    weight_map = Some(map.next_value_seed(Texts { limits: &limits })?);
                }
                "metadata" => metadata = Some(map.next_value_seed(Values { limits: self.limits })?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let weight_map = weight_map.ok_or_else(|| A::Error::missing_field("weight_map"))?;
        Ok(Index { weight_map, metadata: metadata.unwrap_or_default() })
    }
}

/// An object of values of any kind, in its order.
struct Values<'a> {
    limits: &'a Limits,
}

impl<'de> DeserializeSeed<'de> for Values<'_> {
    type Value = Vec<(Box<str>, MetadataValue)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Values<'_> {
    type Value = Vec<(Box<str>, MetadataValue)>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some((key, value)) = map.next_entry::<Box<str>, Value>()? {
            check_entry::<A::Error>(values.len(), &key, self.limits)?;
            if let Some(MetadataValue::Text(text)) = &value.0 {
                check_limit::<A::Error>("bytes of text", text.len() as u64, self.limits.text_bytes)?;
            }
            values.extend(value.0.map(|value| (key, value)));
        }
        Ok(values)
    }
}

/// One value. Of a list the length alone is kept, of objects and `null` nothing.
struct Value(Option<MetadataValue>);

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Value;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a value")
            }

            fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
                Ok(Value(Some(MetadataValue::Bool(value))))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
                Ok(Value(Some(MetadataValue::Signed(value))))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
                Ok(Value(Some(MetadataValue::Unsigned(value))))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
                Ok(Value(Some(MetadataValue::Float64(value))))
            }

            fn visit_str<E>(self, text: &str) -> Result<Value, E> {
                Ok(Value(Some(MetadataValue::Text(text.into()))))
            }

            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
                let mut length = 0;
                while list.next_element::<IgnoredAny>()?.is_some() {
                    length += 1;
                }
                Ok(Value(Some(MetadataValue::List { length, first: Vec::new() })))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Value(None))
            }
        }

        deserializer.deserialize_any(Any)
    }
}
