//! `Value` and `Array`: what metadata holds.

use super::{
    Texts,
    cursor::{Cursor, Stop},
};
use crate::MetadataValue;

/// The codes of the types that are no numbers.
pub(super) const BOOL: u32 = 7;
pub(super) const TEXT: u32 = 8;
pub(super) const ARRAY: u32 = 9;

/// Turns the table of number types below into the two enums and what differs by type alone.
macro_rules! value_types {
    ($( $variant:ident = $code:literal, $number:ty, $wide:ident; )+) => {
        /// A value of metadata.
        ///
        /// ```
        /// use stratal_formats::gguf::Value;
        ///
        /// assert_eq!(Value::from("llama").as_text(), Some("llama"));
        /// assert_eq!(Value::U16(7).as_u64(), Some(7));
        /// assert_eq!(Value::F32(7.0).as_u64(), None);
        /// ```
        #[derive(Debug, Clone, PartialEq)]
        pub enum Value {
            $( #[doc = concat!("A number of type `", stringify!($number), "`.")] $variant($number), )+
            /// A truth value.
            Bool(bool),
            /// A text.
            Text(Box<str>),
            /// An array.
            Array(Array),
        }

        /// An array of metadata: elements of one type, which is known even when there are none.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Array {
            $( #[doc = concat!("Numbers of type `", stringify!($number), "`.")] $variant(Vec<$number>), )+
            /// Truth values.
            Bool(Vec<bool>),
            /// Texts.
            Text(Texts),
            /// Arrays, each with a type of its own.
            Array(Vec<Array>),
        }

        impl Value {
            /// The code of the type in a file.
            pub(super) fn code(&self) -> u32 {
                match self {
                    $( Self::$variant(_) => $code, )+
                    Self::Bool(_) => BOOL,
                    Self::Text(_) => TEXT,
                    Self::Array(_) => ARRAY,
                }
            }

            /// Reads a number, unless the code is of another type.
            pub(super) fn read_number(cursor: &mut Cursor<'_>, code: u32) -> Result<Option<Self>, Stop> {
                Ok(match code {
                    $( $code => Some(Self::$variant(<$number>::from_le_bytes(cursor.array()?))), )+
                    _ => None,
                })
            }

            /// A number as it is in a file, for what is one.
            pub(super) fn number_bytes(&self) -> &[u8] {
                match self {
                    $( Self::$variant(number) => bytemuck::bytes_of(number), )+
                    Self::Bool(_) | Self::Text(_) | Self::Array(_) => &[],
                }
            }
        }

        impl Array {
            /// The number of elements.
            pub fn len(&self) -> usize {
                match self {
                    $( Self::$variant(numbers) => numbers.len(), )+
                    Self::Bool(values) => values.len(),
                    Self::Text(texts) => texts.len(),
                    Self::Array(arrays) => arrays.len(),
                }
            }

            /// The code of the elements' type in a file.
            pub(super) fn element_code(&self) -> u32 {
                match self {
                    $( Self::$variant(_) => $code, )+
                    Self::Bool(_) => BOOL,
                    Self::Text(_) => TEXT,
                    Self::Array(_) => ARRAY,
                }
            }

            /// Reads so many numbers, unless the code is of another type.
            pub(super) fn read_numbers(cursor: &mut Cursor<'_>, code: u32, count: u64) -> Result<Option<Self>, Stop> {
                Ok(match code {
                    $( $code => Some(Self::$variant(cursor.arrays(count)?.map(<$number>::from_le_bytes).collect())), )+
                    _ => None,
                })
            }

            /// Numbers as they are in a file, for what is some.
            pub(super) fn number_bytes(&self) -> &[u8] {
                match self {
                    $( Self::$variant(numbers) => bytemuck::cast_slice(numbers), )+
                    Self::Bool(_) | Self::Text(_) | Self::Array(_) => &[],
                }
            }
        }

        /// Of an array, the first elements.
        impl From<&Value> for MetadataValue {
            fn from(value: &Value) -> Self {
                match value {
                    $( Value::$variant(number) => MetadataValue::$wide((*number).into()), )+
                    Value::Bool(value) => MetadataValue::Bool(*value),
                    Value::Text(text) => MetadataValue::Text(text.clone()),
                    Value::Array(array) => array.into(),
                }
            }
        }

        /// The first elements.
        impl From<&Array> for MetadataValue {
            fn from(array: &Array) -> Self {
                match array {
                    $( Array::$variant(numbers) => {
                        list(numbers.iter().map(|number| MetadataValue::$wide((*number).into())))
                    } )+
                    Array::Bool(values) => list(values.iter().map(|value| MetadataValue::Bool(*value))),
                    Array::Text(texts) => list(texts.iter().map(|text| MetadataValue::Text(text.into()))),
                    Array::Array(arrays) => list(arrays.iter().map(MetadataValue::from)),
                }
            }
        }
    };
}

value_types! {
    U8 = 0, u8, Unsigned;
    I8 = 1, i8, Signed;
    U16 = 2, u16, Unsigned;
    I16 = 3, i16, Signed;
    U32 = 4, u32, Unsigned;
    I32 = 5, i32, Signed;
    F32 = 6, f32, Float32;
    U64 = 10, u64, Unsigned;
    I64 = 11, i64, Signed;
    F64 = 12, f64, Float64;
}

impl Value {
    /// A value of any integer type, if it is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match *self {
            Self::U8(value) => Some(value.into()),
            Self::U16(value) => Some(value.into()),
            Self::U32(value) => Some(value.into()),
            Self::U64(value) => Some(value),
            _ => self.as_i64().and_then(|value| value.try_into().ok()),
        }
    }

    /// A value of any integer type, if it is below 2^63.
    pub fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::I8(value) => Some(value.into()),
            Self::I16(value) => Some(value.into()),
            Self::I32(value) => Some(value.into()),
            Self::I64(value) => Some(value),
            Self::U8(value) => Some(value.into()),
            Self::U16(value) => Some(value.into()),
            Self::U32(value) => Some(value.into()),
            Self::U64(value) => value.try_into().ok(),
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
}

impl Array {
    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The texts of an array of texts.
    pub fn as_texts(&self) -> Option<&Texts> {
        if let Self::Text(texts) = self { Some(texts) } else { None }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<Array> for Value {
    fn from(array: Array) -> Self {
        Self::Array(array)
    }
}

/// The most elements of an array that metadata of any format has.
const FIRST: usize = 8;

fn list(values: impl ExactSizeIterator<Item = MetadataValue>) -> MetadataValue {
    MetadataValue::List { length: values.len() as u64, first: values.take(FIRST).collect() }
}
