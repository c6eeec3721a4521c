//! `Value` and `Array`: what metadata holds.

use std::fmt::{self, Write as _};

use super::Texts;

/// A value of metadata.
///
/// `Display` prints numbers and texts, and of an array its first elements and how many there are.
///
/// ```
/// use stratal_formats::gguf::{Array, Value};
///
/// assert_eq!(Value::from("llama").to_string(), "llama");
/// assert_eq!(Value::U16(7).as_u64(), Some(7));
/// let odd = Value::Array(Array::I32((0..100).map(|index| 2 * index + 1).collect()));
/// assert_eq!(odd.to_string(), "[1, 3, 5, 7, 9, 11, 13, 15, ... 100 in all]");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum Value {
    U8(u8),
    I8(i8),
    U16(u16),
    I16(i16),
    U32(u32),
    I32(i32),
    F32(f32),
    Bool(bool),
    Text(Box<str>),
    Array(Array),
    U64(u64),
    I64(i64),
    F64(f64),
}

/// An array of metadata: elements of one type, which is known even when there are none.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the names say all")]
pub enum Array {
    U8(Vec<u8>),
    I8(Vec<i8>),
    U16(Vec<u16>),
    I16(Vec<i16>),
    U32(Vec<u32>),
    I32(Vec<i32>),
    F32(Vec<f32>),
    Bool(Vec<bool>),
    Text(Texts),
    /// Arrays, each of which has a type of its own.
    Array(Vec<Array>),
    U64(Vec<u64>),
    I64(Vec<i64>),
    F64(Vec<f64>),
}

/// Runs an expression on the elements of an array, whatever their type.
macro_rules! each_array {
    ($array:expr, $elements:ident => $body:expr) => {
        match $array {
            Array::U8($elements) => $body,
            Array::I8($elements) => $body,
            Array::U16($elements) => $body,
            Array::I16($elements) => $body,
            Array::U32($elements) => $body,
            Array::I32($elements) => $body,
            Array::F32($elements) => $body,
            Array::Bool($elements) => $body,
            Array::Text($elements) => $body,
            Array::Array($elements) => $body,
            Array::U64($elements) => $body,
            Array::I64($elements) => $body,
            Array::F64($elements) => $body,
        }
    };
}

impl Value {
    /// A value of any integer type, if it is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Self::U8(value) => Some(value.into()),
            Self::U16(value) => Some(value.into()),
            Self::U32(value) => Some(value.into()),
            Self::U64(value) => Some(value),
            Self::I8(value) => value.try_into().ok(),
            Self::I16(value) => value.try_into().ok(),
            Self::I32(value) => value.try_into().ok(),
            Self::I64(value) => value.try_into().ok(),
            Self::F32(_) | Self::F64(_) | Self::Bool(_) | Self::Text(_) | Self::Array(_) => None,
        }
    }

    /// A value of either float type.
    pub fn as_f64(&self) -> Option<f64> {
        match *self {
            Self::F32(value) => Some(value.into()),
            Self::F64(value) => Some(value),
            _ => None,
        }
    }

    /// A truth value.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// A text.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// An array.
    pub fn as_array(&self) -> Option<&Array> {
        if let Self::Array(array) = self { Some(array) } else { None }
    }

    /// The number of the type in a file.
    pub(super) fn code(&self) -> u32 {
        match self {
            Self::U8(_) => 0,
            Self::I8(_) => 1,
            Self::U16(_) => 2,
            Self::I16(_) => 3,
            Self::U32(_) => 4,
            Self::I32(_) => 5,
            Self::F32(_) => 6,
            Self::Bool(_) => 7,
            Self::Text(_) => 8,
            Self::Array(_) => 9,
            Self::U64(_) => 10,
            Self::I64(_) => 11,
            Self::F64(_) => 12,
        }
    }
}

impl Array {
    /// The number of elements.
    pub fn len(&self) -> usize {
        each_array!(self, elements => elements.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The texts of an array of texts.
    pub fn as_texts(&self) -> Option<&Texts> {
        if let Self::Text(texts) = self { Some(texts) } else { None }
    }

    /// The number of the elements' type in a file.
    pub(super) fn element_code(&self) -> u32 {
        match self {
            Self::U8(_) => 0,
            Self::I8(_) => 1,
            Self::U16(_) => 2,
            Self::I16(_) => 3,
            Self::U32(_) => 4,
            Self::I32(_) => 5,
            Self::F32(_) => 6,
            Self::Bool(_) => 7,
            Self::Text(_) => 8,
            Self::Array(_) => 9,
            Self::U64(_) => 10,
            Self::I64(_) => 11,
            Self::F64(_) => 12,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::U8(value) => value.fmt(formatter),
            Self::I8(value) => value.fmt(formatter),
            Self::U16(value) => value.fmt(formatter),
            Self::I16(value) => value.fmt(formatter),
            Self::U32(value) => value.fmt(formatter),
            Self::I32(value) => value.fmt(formatter),
            Self::F32(value) => fmt::Debug::fmt(value, formatter),
            Self::Bool(value) => value.fmt(formatter),
            Self::Text(text) => formatter.write_str(text),
            Self::Array(array) => array.fmt(formatter),
            Self::U64(value) => value.fmt(formatter),
            Self::I64(value) => value.fmt(formatter),
            Self::F64(value) => fmt::Debug::fmt(value, formatter),
        }
    }
}

/// The first eight elements, texts quoted and escaped.
impl fmt::Display for Array {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        formatter.write_char('[')?;
        let mut separator = "";
        let mut show = |element: &dyn fmt::Display| {
            let written = write!(formatter, "{separator}{element}");
            separator = ", ";
            written
        };
        match self {
            Self::Array(arrays) => arrays.iter().take(SHOWN).try_for_each(|array| show(array))?,
            _ => {
                each_array!(self, elements => {
                    elements.iter().take(SHOWN).try_for_each(|element| show(&format_args!("{element:?}")))?;
                });
            }
        }
        match self.len() {
            count if count > SHOWN => write!(formatter, ", ... {count} in all]"),
            _ => formatter.write_char(']'),
        }
    }
}
