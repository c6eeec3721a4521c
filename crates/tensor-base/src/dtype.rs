//! `DType`: the thirteen element types, each a row of one table.

use core::{fmt, str::FromStr};

use crate::{Bool, DTypeError, Excerpt, bf16, f16};

/// How the values of a dtype behave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DTypeKind {
    /// IEEE 754 floating point or bfloat16; the only kind that can require gradients.
    Float,
    /// Two's complement integers.
    Signed,
    /// Integers from zero up.
    Unsigned,
    /// Truth values, one byte each.
    Bool,
}

/// Turns the table below into the enum, the list of all dtypes and the look-ups, so that a new row is complete or
/// does not compile.
macro_rules! dtypes {
    ($(
        $(#[doc = $doc:literal])+
        $variant:ident = $code:literal,
        $element:ty, $kind:ident, $name:literal, $safetensors:literal, $numpy:expr, $onnx:literal;
    )+) => {
        /// The type of a tensor's elements.
        ///
        /// The numeric value of a dtype is its ONNX `TensorProto.DataType` code, so no mapping table exists anywhere.
        /// Values of more than one byte are stored little-endian. The enum is exhaustive on purpose: a match over it
        /// that forgets a dtype does not compile.
        ///
        /// Parsing accepts the name (`"bfloat16"`), the safetensors name (`"BF16"`) and the ONNX name (`"BFLOAT16"`),
        /// all case-sensitive.
        ///
        /// ```
        /// use stratal_tensor_base::DType;
        ///
        /// assert_eq!(DType::from_onnx(10), Ok(DType::F16));
        /// assert_eq!("BF16".parse(), Ok(DType::BF16));
        /// assert_eq!(DType::F64.size(), 8);
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum DType {
            $( $(#[doc = $doc])+ $variant = $code, )+
        }

        impl DType {
            /// Every dtype, by ascending code.
            pub const ALL: [Self; [$($code),+].len()] = [$(Self::$variant),+];

            /// Bytes of one element.
            pub const fn size(self) -> usize {
                match self { $( Self::$variant => size_of::<$element>(), )+ }
            }

            /// The alignment of one element, in bytes.
            pub const fn alignment(self) -> usize {
                match self { $( Self::$variant => align_of::<$element>(), )+ }
            }

            /// How its values behave.
            pub const fn kind(self) -> DTypeKind {
                match self { $( Self::$variant => DTypeKind::$kind, )+ }
            }

            /// The lower-case name, as printed: `"float32"`.
            pub const fn name(self) -> &'static str {
                match self { $( Self::$variant => $name, )+ }
            }

            /// The name in a safetensors header: `"F32"`.
            pub const fn safetensors_name(self) -> &'static str {
                match self { $( Self::$variant => $safetensors, )+ }
            }

            /// The type string in an npy header, `"<f4"`; none for bfloat16, which NumPy itself does not have.
            pub const fn numpy_name(self) -> Option<&'static str> {
                match self { $( Self::$variant => $numpy, )+ }
            }

            /// The name in ONNX's `TensorProto.DataType`: `"FLOAT"`.
            pub const fn onnx_name(self) -> &'static str {
                match self { $( Self::$variant => $onnx, )+ }
            }
        }
    };
}

dtypes! {
    /// IEEE 754 binary32.
    F32 = 1, f32, Float, "float32", "F32", Some("<f4"), "FLOAT";
    /// Unsigned 8-bit integer.
    U8 = 2, u8, Unsigned, "uint8", "U8", Some("|u1"), "UINT8";
    /// Signed 8-bit integer.
    I8 = 3, i8, Signed, "int8", "I8", Some("|i1"), "INT8";
    /// Unsigned 16-bit integer.
    U16 = 4, u16, Unsigned, "uint16", "U16", Some("<u2"), "UINT16";
    /// Signed 16-bit integer.
    I16 = 5, i16, Signed, "int16", "I16", Some("<i2"), "INT16";
    /// Signed 32-bit integer.
    I32 = 6, i32, Signed, "int32", "I32", Some("<i4"), "INT32";
    /// Signed 64-bit integer.
    I64 = 7, i64, Signed, "int64", "I64", Some("<i8"), "INT64";
    /// Truth value in one byte: 0 is false, anything else reads as true, 0 or 1 is written.
    Bool = 9, Bool, Bool, "bool", "BOOL", Some("|b1"), "BOOL";
    /// IEEE 754 binary16.
    F16 = 10, f16, Float, "float16", "F16", Some("<f2"), "FLOAT16";
    /// IEEE 754 binary64.
    F64 = 11, f64, Float, "float64", "F64", Some("<f8"), "DOUBLE";
    /// Unsigned 32-bit integer.
    U32 = 12, u32, Unsigned, "uint32", "U32", Some("<u4"), "UINT32";
    /// Unsigned 64-bit integer.
    U64 = 13, u64, Unsigned, "uint64", "U64", Some("<u8"), "UINT64";
    /// The upper half of a binary32.
    BF16 = 16, bf16, Float, "bfloat16", "BF16", None, "BFLOAT16";
}

/// ONNX types that have a code and a name but no dtype here.
const UNSUPPORTED_ONNX_TYPES: [(i64, &str); 16] = [
    (0, "UNDEFINED"),
    (8, "STRING"),
    (14, "COMPLEX64"),
    (15, "COMPLEX128"),
    (17, "FLOAT8E4M3FN"),
    (18, "FLOAT8E4M3FNUZ"),
    (19, "FLOAT8E5M2"),
    (20, "FLOAT8E5M2FNUZ"),
    (21, "UINT4"),
    (22, "INT4"),
    (23, "FLOAT4E2M1"),
    (24, "FLOAT8E8M0"),
    (25, "UINT2"),
    (26, "INT2"),
    (27, "FLOAT6E2M3"),
    (28, "FLOAT6E3M2"),
];

impl DType {
    /// The ONNX `TensorProto.DataType` code.
    pub const fn onnx_code(self) -> i32 {
        self as i32
    }

    /// The dtype of an ONNX `TensorProto.DataType` code.
    ///
    /// # Errors
    /// [`DTypeError::UnsupportedOnnxType`] for a code that ONNX defines and this crate does not store, with its name;
    /// [`DTypeError::UnknownOnnxCode`] for any other number.
    pub fn from_onnx(code: i64) -> Result<Self, DTypeError> {
        if let Some(dtype) = Self::ALL.into_iter().find(|dtype| i64::from(dtype.onnx_code()) == code) {
            return Ok(dtype);
        }
        match UNSUPPORTED_ONNX_TYPES.into_iter().find(|(unsupported, _)| *unsupported == code) {
            Some((code, name)) => Err(DTypeError::UnsupportedOnnxType { name, code }),
            None => Err(DTypeError::UnknownOnnxCode { code }),
        }
    }

    /// The dtype of a type string in an npy header, `"<f4"` or `"|u1"`.
    ///
    /// # Errors
    /// [`DTypeError::UnknownName`] for every other text, the big-endian forms included.
    pub fn from_numpy(name: &str) -> Result<Self, DTypeError> {
        Self::ALL
            .into_iter()
            .find(|dtype| dtype.numpy_name() == Some(name))
            .ok_or(DTypeError::UnknownName { name: Excerpt::new(name) })
    }

    /// Whether the kind is [`DTypeKind::Float`].
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), DTypeKind::Float)
    }

    /// Whether the kind is [`DTypeKind::Signed`] or [`DTypeKind::Unsigned`].
    pub const fn is_integer(self) -> bool {
        matches!(self.kind(), DTypeKind::Signed | DTypeKind::Unsigned)
    }

    /// Checks that elements of this dtype may be read as `target` without moving a byte.
    ///
    /// # Errors
    /// [`DTypeError::ReinterpretAsBool`] for a bool target, whatever the source: memory need not hold 0 or 1;
    /// [`DTypeError::ReinterpretSize`] when the element sizes differ.
    pub fn check_reinterpret(self, target: Self) -> Result<(), DTypeError> {
        if target == Self::Bool {
            Err(DTypeError::ReinterpretAsBool { source_dtype: self })
        } else if self.size() != target.size() {
            Err(DTypeError::ReinterpretSize { source_dtype: self, target })
        } else {
            Ok(())
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for DType {
    type Err = DTypeError;

    fn from_str(name: &str) -> Result<Self, DTypeError> {
        Self::ALL
            .into_iter()
            .find(|dtype| [dtype.name(), dtype.safetensors_name(), dtype.onnx_name()].contains(&name))
            .ok_or(DTypeError::UnknownName { name: Excerpt::new(name) })
    }
}

/// Runs an expression with a type alias bound to the Rust element type of a dtype.
///
/// The expression is compiled once for each dtype; all arms must have the same type.
///
/// ```
/// use stratal_tensor_base::{DType, match_dtype};
///
/// let size = match_dtype!(DType::I16, T => size_of::<T>());
/// assert_eq!(size, 2);
/// ```
#[macro_export]
macro_rules! match_dtype {
    ($dtype:expr, $element:ident => $body:expr) => {
        match $dtype {
            $crate::DType::F32 => {
                type $element = f32;
                $body
            }
            $crate::DType::U8 => {
                type $element = u8;
                $body
            }
            $crate::DType::I8 => {
                type $element = i8;
                $body
            }
            $crate::DType::U16 => {
                type $element = u16;
                $body
            }
            $crate::DType::I16 => {
                type $element = i16;
                $body
            }
            $crate::DType::I32 => {
                type $element = i32;
                $body
            }
            $crate::DType::I64 => {
                type $element = i64;
                $body
            }
            $crate::DType::Bool => {
                type $element = $crate::Bool;
                $body
            }
            $crate::DType::F16 => {
                type $element = $crate::f16;
                $body
            }
            $crate::DType::F64 => {
                type $element = f64;
                $body
            }
            $crate::DType::U32 => {
                type $element = u32;
                $body
            }
            $crate::DType::U64 => {
                type $element = u64;
                $body
            }
            $crate::DType::BF16 => {
                type $element = $crate::bf16;
                $body
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Element;
    use proptest::prelude::*;
    use std::string::{String, ToString};

    #[test]
    fn every_row_agrees_with_its_element_type() {
        for dtype in DType::ALL {
            match_dtype!(dtype, T => {
                assert_eq!(T::DTYPE, dtype);
                assert_eq!(size_of::<T>(), dtype.size());
                assert_eq!(align_of::<T>(), dtype.alignment());
            });
        }
    }

    #[test]
    fn every_name_parses_back_and_belongs_to_one_dtype() {
        for dtype in DType::ALL {
            for name in [dtype.name(), dtype.safetensors_name(), dtype.onnx_name()] {
                assert_eq!(name.parse(), Ok(dtype), "{name}");
            }
            if let Some(name) = dtype.numpy_name() {
                assert_eq!(DType::from_numpy(name), Ok(dtype));
            }
            assert_eq!(dtype.to_string(), dtype.name());
            assert_eq!(DType::from_onnx(dtype.onnx_code().into()), Ok(dtype));
        }
    }

    #[test]
    fn every_defined_onnx_code_is_known_once() {
        for code in 0..=28 {
            let is_supported = DType::ALL.iter().any(|dtype| i64::from(dtype.onnx_code()) == code);
            let is_named = UNSUPPORTED_ONNX_TYPES.iter().filter(|(named, _)| *named == code).count();
            assert_eq!(usize::from(is_supported) + is_named, 1, "code {code}");
        }
    }

    #[test]
    fn names_of_other_spelling_are_errors_that_quote_them() {
        for name in ["", "Float32", "f32", "float", "bf16", "float8", "<f4", "FLOAT8E5M2", "float32 "] {
            assert_eq!(name.parse::<DType>(), Err(DTypeError::UnknownName { name: Excerpt::new(name) }), "{name}");
        }
        for name in ["", ">f4", "=f4", "f4", "<f16", "|b", "<c8", "float32"] {
            assert!(DType::from_numpy(name).is_err(), "{name}");
        }
    }

    #[test]
    fn reinterpret_keeps_the_size_and_never_makes_a_bool() {
        assert_eq!(DType::F32.check_reinterpret(DType::U32), Ok(()));
        assert_eq!(DType::Bool.check_reinterpret(DType::U8), Ok(()));
        assert!(DType::Bool.check_reinterpret(DType::Bool).is_err());
        assert_eq!(
            DType::U8.check_reinterpret(DType::Bool),
            Err(DTypeError::ReinterpretAsBool { source_dtype: DType::U8 })
        );
        assert_eq!(
            DType::F32.check_reinterpret(DType::F64),
            Err(DTypeError::ReinterpretSize { source_dtype: DType::F32, target: DType::F64 })
        );
    }

    proptest! {
        #[test]
        fn any_code_or_name_is_answered(code: i64, name: String) {
            match DType::from_onnx(code) {
                Ok(dtype) => prop_assert_eq!(i64::from(dtype.onnx_code()), code),
                Err(error) => prop_assert!(error.to_string().contains(&code.to_string())),
            }
            let _ = name.parse::<DType>();
            let _ = DType::from_numpy(&name);
        }
    }
}
