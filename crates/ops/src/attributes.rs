//! `Attributes`: the settings of an operator by name, and `Node`, which reads them.

use std::collections::BTreeMap;
use std::fmt;

use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use crate::Cause;

/// The value of an attribute.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Attribute {
    /// One integer.
    Int(i64),
    /// One number.
    Float(f32),
    /// A text.
    String(String),
    /// A tensor.
    Tensor(Tensor),
    /// Integers.
    Ints(Vec<i64>),
    /// Numbers.
    Floats(Vec<f32>),
    /// Texts.
    Strings(Vec<String>),
}

/// Attributes by name.
#[derive(Debug, Clone, Default)]
pub struct Attributes(BTreeMap<String, Attribute>);

impl Attributes {
    /// No attributes: the defaults of all.
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// With one more.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Attribute>) -> Self {
        self.insert(name, value);
        self
    }

    /// Sets one.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Attribute>) {
        self.0.insert(name.into(), value.into());
    }

    /// One by name.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        self.0.get(name)
    }

    /// All names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// What an operator is built from: its attributes, and how many inputs and outputs it is used with.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    /// The attributes.
    pub attributes: &'a Attributes,
    /// The number of inputs, with those left out.
    pub inputs: usize,
    /// The number of outputs, with those left out.
    pub outputs: usize,
}

impl<'a> Node<'a> {
    /// An integer, if it is given.
    ///
    /// # Errors
    /// [`Cause::Attribute`] for a value of another kind, as for all below.
    pub fn int(&self, name: &'static str) -> Result<Option<i64>, Cause> {
        self.read(name, "an integer", |value| match value {
            Attribute::Int(value) => Some(*value),
            _ => None,
        })
    }

    /// An integer, or its default.
    ///
    /// # Errors
    /// [`Cause::Attribute`].
    pub fn int_or(&self, name: &'static str, default: i64) -> Result<i64, Cause> {
        Ok(self.int(name)?.unwrap_or(default))
    }

    /// A number that counts or measures something, or its default.
    ///
    /// # Errors
    /// [`Cause::Attribute`], for negative ones too.
    pub fn size_or(&self, name: &'static str, default: usize) -> Result<usize, Cause> {
        let value = self.int_or(name, default as i64)?;
        usize::try_from(value).map_err(|_| attribute(name, value, "no negative number"))
    }

    /// A truth given as 0 or 1, or its default.
    ///
    /// # Errors
    /// [`Cause::Attribute`].
    pub fn flag(&self, name: &'static str, default: bool) -> Result<bool, Cause> {
        match self.int_or(name, default.into())? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(attribute(name, other, "0 or 1")),
        }
    }

    /// A number, if it is given.
    ///
    /// # Errors
    /// [`Cause::Attribute`].
    pub fn float(&self, name: &'static str) -> Result<Option<f32>, Cause> {
        self.read(name, "a number", |value| match value {
            Attribute::Float(value) => Some(*value),
            _ => None,
        })
    }

    /// A number, or its default.
    ///
    /// # Errors
    /// [`Cause::Attribute`].
    pub fn float_or(&self, name: &'static str, default: f32) -> Result<f32, Cause> {
        Ok(self.float(name)?.unwrap_or(default))
    }

    /// Integers, if they are given.
    ///
    /// # Errors
    /// [`Cause::Attribute`].
    pub fn ints(&self, name: &'static str) -> Result<Option<&'a [i64]>, Cause> {
        self.read(name, "integers", |value| match value {
            Attribute::Ints(values) => Some(values.as_slice()),
            _ => None,
        })
    }

    /// Numbers, if they are given.
    ///
    /// # Errors
    /// [`Cause::Attribute`].
    pub fn floats(&self, name: &'static str) -> Result<Option<&'a [f32]>, Cause> {
        self.read(name, "numbers", |value| match value {
            Attribute::Floats(values) => Some(values.as_slice()),
            _ => None,
        })
    }

    /// A text, if it is given.
    ///
    /// # Errors
    /// [`Cause::Attribute`].
    pub fn string(&self, name: &'static str) -> Result<Option<&'a str>, Cause> {
        self.read(name, "a text", |value| match value {
            Attribute::String(value) => Some(value.as_str()),
            _ => None,
        })
    }

    /// Texts, if they are given.
    ///
    /// # Errors
    /// [`Cause::Attribute`].
    pub fn strings(&self, name: &'static str) -> Result<Option<&'a [String]>, Cause> {
        self.read(name, "texts", |value| match value {
            Attribute::Strings(values) => Some(values.as_slice()),
            _ => None,
        })
    }

    /// A tensor, if it is given.
    ///
    /// # Errors
    /// [`Cause::Attribute`].
    pub fn tensor(&self, name: &'static str) -> Result<Option<&'a Tensor>, Cause> {
        self.read(name, "a tensor", |value| match value {
            Attribute::Tensor(value) => Some(value),
            _ => None,
        })
    }

    /// A dtype given as its ONNX code, if it is given.
    ///
    /// # Errors
    /// [`Cause::Attribute`], for the codes of dtypes that tensors do not have too.
    pub fn dtype(&self, name: &'static str) -> Result<Option<DType>, Cause> {
        let Some(code) = self.int(name)? else { return Ok(None) };
        let dtype = DType::from_onnx(code);
        dtype.map(Some).map_err(|_| attribute(name, code, "the ONNX code of a dtype that tensors have"))
    }

    /// A dtype given as its ONNX code, or its default.
    ///
    /// # Errors
    /// [`Cause::Attribute`].
    pub fn dtype_or(&self, name: &'static str, default: DType) -> Result<DType, Cause> {
        Ok(self.dtype(name)?.unwrap_or(default))
    }

    /// One of some words, or the first of them if none is given.
    ///
    /// ```
    /// use stratal_ops::{Attributes, Node};
    ///
    /// let attributes = Attributes::new().with("mode", "edge");
    /// let node = Node { attributes: &attributes, inputs: 2, outputs: 1 };
    /// assert_eq!(node.word("mode", "constant or edge", &[("constant", 0), ("edge", 1)]), Ok(1));
    /// let error = node.word("mode", "constant or wrap", &[("constant", 0), ("wrap", 1)]).unwrap_err();
    /// assert_eq!(error.to_string(), r#"attribute mode is "edge": expected constant or wrap"#);
    /// ```
    ///
    /// # Errors
    /// [`Cause::Attribute`].
    pub fn word<T: Copy>(&self, name: &'static str, expected: &'static str, words: &[(&str, T)]) -> Result<T, Cause> {
        let given = self.string(name)?;
        let found = words.iter().find(|(word, _)| given.is_none_or(|given| given == *word));
        found
            .map(|(_, value)| *value)
            .ok_or_else(|| attribute(name, format!("{:?}", given.unwrap_or_default()), expected))
    }

    /// What is given must be there.
    ///
    /// # Errors
    /// [`Cause::MissingAttribute`].
    pub fn needed<T>(&self, name: &'static str, value: Option<T>) -> Result<T, Cause> {
        value.ok_or(Cause::MissingAttribute { name })
    }

    fn read<T>(
        &self,
        name: &'static str,
        expected: &'static str,
        as_kind: impl FnOnce(&'a Attribute) -> Option<T>,
    ) -> Result<Option<T>, Cause> {
        let Some(value) = self.attributes.get(name) else { return Ok(None) };
        as_kind(value).map(Some).ok_or_else(|| attribute(name, value, expected))
    }
}

/// The error of an attribute whose value will not do.
pub fn attribute(name: &'static str, value: impl fmt::Display, expected: &'static str) -> Cause {
    Cause::Attribute { name, value: value.to_string(), expected }
}

impl fmt::Display for Attribute {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => write!(formatter, "{value}"),
            Self::Float(value) => write!(formatter, "{value:?}"),
            Self::String(value) => write!(formatter, "{value:?}"),
            Self::Tensor(tensor) => write!(formatter, "a tensor of {} {}", tensor.dtype(), tensor.shape()),
            Self::Ints(values) => write!(formatter, "{values:?}"),
            Self::Floats(values) => write!(formatter, "{values:?}"),
            Self::Strings(values) => write!(formatter, "{values:?}"),
        }
    }
}

macro_rules! attributes_from {
    ($($kind:ty => $variant:ident),+ $(,)?) => {
        $(
            impl From<$kind> for Attribute {
                fn from(value: $kind) -> Self {
                    Self::$variant(value.into())
                }
            }
        )+
    };
}

attributes_from! {
    i64 => Int,
    f32 => Float,
    &str => String,
    String => String,
    Tensor => Tensor,
    Vec<i64> => Ints,
    Vec<f32> => Floats,
    Vec<String> => Strings,
}
