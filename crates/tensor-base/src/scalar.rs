//! `Scalar`: one element together with its dtype.

use core::fmt;

use crate::{Bool, DType, bf16, f16};

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

scalars! {
    F32(f32), U8(u8), I8(i8), U16(u16), I16(i16), I32(i32), I64(i64),
    Bool(Bool), F16(f16), F64(f64), U32(u32), U64(u64), BF16(bf16),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Element, match_dtype};

    #[test]
    fn a_scalar_knows_its_dtype() {
        for dtype in DType::ALL {
            let scalar: Scalar = match_dtype!(dtype, T => <T as bytemuck::Zeroable>::zeroed().into());
            assert_eq!(scalar.dtype(), dtype);
            match_dtype!(dtype, T => assert_eq!(T::DTYPE, dtype));
        }
    }
}
