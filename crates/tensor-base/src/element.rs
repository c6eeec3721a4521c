//! `Element`: the Rust types that elements are read and written as.

use core::fmt;

use bytemuck::{Pod, Zeroable};

use crate::{DType, Scalar, bf16, f16};

/// A Rust type that is the element type of exactly one [`DType`].
///
/// Every bit pattern is a value of it (`Pod`), so that reading unspecified memory is never undefined. Sealed: the
/// dtypes are a closed set.
pub trait Element: Pod + PartialEq + fmt::Debug + fmt::Display + Into<Scalar> + Send + Sync + sealed::Sealed {
    /// The dtype whose elements this type is.
    const DTYPE: DType;
}

/// One element of [`DType::Bool`]: a byte where 0 is false and everything else is true.
///
/// Rust's `bool` is undefined for bytes other than 0 and 1, and memory may hold any byte; this type is sound for all
/// of them. Two values are equal when both are true or both are false. Whatever this crate writes is 0 or 1.
///
/// ```
/// use stratal_tensor_base::Bool;
///
/// assert_eq!(Bool::from_byte(7), Bool::TRUE);
/// assert_eq!(Bool::from(true).to_byte(), 1);
/// ```
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct Bool(u8);

impl Bool {
    /// False, the byte 0.
    pub const FALSE: Self = Self(0);
    /// True, the byte 1.
    pub const TRUE: Self = Self(1);

    /// The element that this byte in memory is.
    pub const fn from_byte(byte: u8) -> Self {
        Self(byte)
    }

    /// The byte in memory, which may be any.
    pub const fn to_byte(self) -> u8 {
        self.0
    }

    /// Whether the element is true.
    pub const fn get(self) -> bool {
        self.0 != 0
    }
}

impl From<bool> for Bool {
    fn from(value: bool) -> Self {
        Self(u8::from(value))
    }
}

impl From<Bool> for bool {
    fn from(value: Bool) -> Self {
        value.get()
    }
}

impl PartialEq for Bool {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for Bool {}

impl fmt::Debug for Bool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.get(), formatter)
    }
}

impl fmt::Display for Bool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.get(), formatter)
    }
}

macro_rules! elements {
    ($($element:ty => $variant:ident),+ $(,)?) => {
        $(
            impl Element for $element {
                const DTYPE: DType = DType::$variant;
            }

            impl sealed::Sealed for $element {}
        )+
    };
}

elements! {
    f32 => F32, u8 => U8, i8 => I8, u16 => U16, i16 => I16, i32 => I32, i64 => I64,
    Bool => Bool, f16 => F16, f64 => F64, u32 => U32, u64 => U64, bf16 => BF16,
}

mod sealed {
    /// Keeps [`Element`](super::Element) to the types of this crate.
    pub trait Sealed {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn every_byte_is_a_bool() {
        for byte in 0..=u8::MAX {
            let value: Bool = bytemuck::cast(byte);
            assert_eq!(value.get(), byte != 0);
            assert_eq!(value, Bool::from(byte != 0));
            assert_eq!(value.to_byte(), byte);
            assert_eq!(value.to_string(), (byte != 0).to_string());
        }
    }
}
