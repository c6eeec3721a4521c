//! `MetadataValue`: what a file says beside its tensors.

use std::fmt;

/// One value of a file's metadata. Formats that know texts only give texts.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MetadataValue {
    /// A truth value.
    Bool(bool),
    /// An integer with a sign.
    Signed(i64),
    /// An integer without one.
    Unsigned(u64),
    /// A floating-point number of 32 bits.
    Float32(f32),
    /// A floating-point number of 64 bits.
    Float64(f64),
    /// A text.
    Text(Box<str>),
    /// A list, which may be long: vocabularies are. The format's own module has all of it.
    List {
        /// How many values it has.
        length: u64,
        /// The first of them.
        first: Vec<MetadataValue>,
    },
}

impl fmt::Display for MetadataValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(formatter, "{value}"),
            Self::Signed(value) => write!(formatter, "{value}"),
            Self::Unsigned(value) => write!(formatter, "{value}"),
            // As literals are written: `1e-5`, `2.0`.
            Self::Float32(value) => write!(formatter, "{value:?}"),
            Self::Float64(value) => write!(formatter, "{value:?}"),
            Self::Text(text) => write!(formatter, "{text:?}"),
            Self::List { length, first } => {
                formatter.write_str("[")?;
                for (index, value) in first.iter().enumerate() {
                    write!(formatter, "{}{value}", if index == 0 { "" } else { ", " })?;
                }
                if *length > first.len() as u64 {
                    write!(formatter, ", ... {length} in all")?;
                }
                formatter.write_str("]")
            }
        }
    }
}
