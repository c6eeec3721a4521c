//! `Scalar`: one element together with its dtype.

use core::fmt;

use crate::{Bool, CastError, CastFromAny, DType, Element, bf16, cast, f16, try_cast};

macro_rules! scalars {
    ($($variant:ident($element:ty)),+ $(,)?) => {
        /// One element of any dtype, with its bits unchanged.
        ///
        /// It is what an error names, what reading a single element of a tensor returns, and what a fill takes.
        ///
        /// ```
        /// use stratal_tensor_base::{DType, Scalar};
        ///
        /// let value = Scalar::from(2.5_f32);
        /// assert_eq!(value.dtype(), DType::F32);
        /// assert_eq!(value.to_string(), "2.5");
        /// assert_eq!((value.get::<f32>(), value.cast::<i8>()), (Some(2.5), 2));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum Scalar {
            $(
                #[doc = concat!("An element of [`DType::", stringify!($variant), "`].")]
                $variant($element),
            )+
        }

        impl Scalar {
            /// The dtype that the element belongs to.
            pub const fn dtype(self) -> DType {
                match self { $( Self::$variant(_) => DType::$variant, )+ }
            }

            /// The element itself, if it is of this type.
            pub fn get<T: Element>(self) -> Option<T> {
                match self {
                    // Of one dtype is of one type, so the bits are moved as they are.
                    $( Self::$variant(value) => (T::DTYPE == DType::$variant).then(|| bytemuck::cast(value)), )+
                }
            }

            /// The element as another type, by [`cast()`].
            pub fn cast<T: CastFromAny>(self) -> T {
                match self { $( Self::$variant(value) => cast(value), )+ }
            }

            /// The element as another type, by [`try_cast`].
            ///
            /// # Errors
            /// As for [`try_cast`].
            pub fn try_cast<T: CastFromAny>(self) -> Result<T, CastError> {
                match self { $( Self::$variant(value) => try_cast(value), )+ }
            }
        }

        impl fmt::Display for Scalar {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self { $( Self::$variant(value) => fmt::Display::fmt(value, formatter), )+ }
            }
        }

        $(
            impl From<$element> for Scalar {
                fn from(value: $element) -> Self {
                    Self::$variant(value)
                }
            }
        )+
    };
}

impl From<bool> for Scalar {
    fn from(value: bool) -> Self {
        Self::Bool(value.into())
    }
}

scalars! {
    F32(f32), U8(u8), I8(i8), U16(u16), I16(i16), I32(i32), I64(i64),
    Bool(Bool), F16(f16), F64(f64), U32(u32), U64(u64), BF16(bf16),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::match_dtype;

    #[test]
    fn a_scalar_knows_its_dtype() {
        for dtype in DType::ALL {
            let scalar: Scalar = match_dtype!(dtype, T => <T as bytemuck::Zeroable>::zeroed().into());
            assert_eq!(scalar.dtype(), dtype);
            match_dtype!(dtype, T => {
                assert_eq!(T::DTYPE, dtype);
                assert_eq!(scalar.get::<T>(), Some(scalar.cast::<T>()));
                assert_eq!(scalar.get::<f32>().is_some(), dtype == DType::F32);
            });
        }
    }
}
