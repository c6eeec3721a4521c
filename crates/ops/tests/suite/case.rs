//! `Case`: an operator, its inputs and the outputs expected of it, as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stratal_ops::{Attribute, Attributes};
use stratal_tensor::Tensor;
use stratal_tensor_base::{Bool, DType, Element, Scalar, bf16, f16};

/// One use of an operator, and what it gives.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) domain: String,
    pub(crate) operator: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) attributes: BTreeMap<String, Setting>,
    /// None for those left out.
    pub(crate) inputs: Vec<Option<Array>>,
    /// None for those that are not wanted.
    pub(crate) outputs: Vec<Option<Array>>,
    pub(crate) relative: f64,
    pub(crate) absolute: f64,
}

/// The value of an attribute.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Setting {
    Int(i64),
    Float(Number),
    String(String),
    Tensor(Array),
    Ints(Vec<i64>),
    Floats(Vec<Number>),
    Strings(Vec<String>),
}

/// A tensor.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Array {
    pub(crate) dtype: String,
    pub(crate) shape: Vec<i64>,
    pub(crate) elements: Vec<Number>,
}

/// An element; what JSON has no numbers for is a text: `"NaN"`, `"inf"`, `"-inf"`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Number {
    Truth(bool),
    Signed(i64),
    Unsigned(u64),
    Float(f64),
    Special(String),
}

impl Case {
    pub(crate) fn attributes(&self) -> Attributes {
        let mut attributes = Attributes::new();
        for (name, setting) in &self.attributes {
            attributes.insert(name, setting.attribute());
        }
        attributes
    }
}

impl Setting {
    fn attribute(&self) -> Attribute {
        match self {
            Self::Int(value) => Attribute::Int(*value),
            Self::Float(value) => Attribute::Float(value.as_float() as f32),
            Self::String(value) => Attribute::String(value.clone()),
            Self::Tensor(array) => Attribute::Tensor(array.tensor()),
            Self::Ints(values) => Attribute::Ints(values.clone()),
            Self::Floats(values) => Attribute::Floats(values.iter().map(|value| value.as_float() as f32).collect()),
            Self::Strings(values) => Attribute::Strings(values.clone()),
        }
    }
}

impl Array {
    pub(crate) fn dtype(&self) -> DType {
        self.dtype.parse().unwrap()
    }

    pub(crate) fn tensor(&self) -> Tensor {
        match self.dtype() {
            DType::F32 => self.elements_of(|x| x.as_float() as f32),
            DType::F64 => self.elements_of(Number::as_float),
            DType::F16 => self.elements_of(|x| Scalar::from(x.as_float()).cast::<f16>()),
            DType::BF16 => self.elements_of(|x| Scalar::from(x.as_float()).cast::<bf16>()),
            DType::Bool => self.elements_of(|x| Bool::from(matches!(x, Number::Truth(true)))),
            DType::I8 => self.elements_of(|x| x.as_integer() as i8),
            DType::I16 => self.elements_of(|x| x.as_integer() as i16),
            DType::I32 => self.elements_of(|x| x.as_integer() as i32),
            DType::I64 => self.elements_of(|x| x.as_integer() as i64),
            DType::U8 => self.elements_of(|x| x.as_integer() as u8),
            DType::U16 => self.elements_of(|x| x.as_integer() as u16),
            DType::U32 => self.elements_of(|x| x.as_integer() as u32),
            DType::U64 => self.elements_of(|x| x.as_integer() as u64),
        }
    }

    fn elements_of<T: Element>(&self, element: impl Fn(&Number) -> T) -> Tensor {
        let elements: Vec<T> = self.elements.iter().map(element).collect();
        Tensor::from_slice(&elements, &self.shape).unwrap()
    }
}

impl Number {
    fn as_float(&self) -> f64 {
        match self {
            Self::Truth(truth) => f64::from(u8::from(*truth)),
            Self::Signed(value) => *value as f64,
            Self::Unsigned(value) => *value as f64,
            Self::Float(value) => *value,
            Self::Special(text) => text.parse().unwrap(),
        }
    }

    fn as_integer(&self) -> i128 {
        match self {
            Self::Truth(truth) => (*truth).into(),
            Self::Signed(value) => (*value).into(),
            Self::Unsigned(value) => (*value).into(),
            Self::Float(_) | Self::Special(_) => panic!("{self:?} is no integer"),
        }
    }
}
