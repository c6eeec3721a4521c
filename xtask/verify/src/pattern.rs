//! `Pattern`: an element as the number that its bits are.

use std::fmt;

use stratal_tensor_base::{Bool, DType, Scalar, bf16, f16};

/// An element type whose bit patterns can be counted through.
pub(crate) trait Pattern: Copy + Send + Sync {
    /// The element with these bits, which are the low ones of the number.
    fn from_pattern(pattern: u64) -> Self;

    /// The bits as a number, without extension of a sign.
    fn pattern(self) -> u64;

    /// Whether any two elements at the same place have different bits. Without a branch, and on no wider numbers than
    /// needed, so that whole vectors are compared.
    fn differ(left: &[Self], right: &[Self]) -> bool;
}

macro_rules! patterns {
    ($($element:ty as $bits:ty: $from:expr, $to:expr;)+) => {
        $(
            impl Pattern for $element {
                #[inline(always)]
                fn from_pattern(pattern: u64) -> Self {
                    $from(pattern as $bits)
                }

                #[inline(always)]
                fn pattern(self) -> u64 {
                    let bits: $bits = $to(self);
                    bits.into()
                }

                #[inline(always)]
                fn differ(left: &[Self], right: &[Self]) -> bool {
                    let differences = left.iter().zip(right).map(|(left, right)| {
                        let (left, right): ($bits, $bits) = ($to(*left), $to(*right));
                        left ^ right
                    });
                    differences.fold(0, |all, difference| all | difference) != 0
                }
            }
        )+
    };
}

patterns! {
    u8 as u8: u8::from, u8::from;
    u16 as u16: u16::from, u16::from;
    u32 as u32: u32::from, u32::from;
    u64 as u64: u64::from, u64::from;
    i8 as u8: u8::cast_signed, i8::cast_unsigned;
    i16 as u16: u16::cast_signed, i16::cast_unsigned;
    i32 as u32: u32::cast_signed, i32::cast_unsigned;
    i64 as u64: u64::cast_signed, i64::cast_unsigned;
    Bool as u8: Bool::from_byte, Bool::to_byte;
    f16 as u16: f16::from_bits, f16::to_bits;
    bf16 as u16: bf16::from_bits, bf16::to_bits;
    f32 as u32: f32::from_bits, f32::to_bits;
    f64 as u64: f64::from_bits, f64::to_bits;
}

/// The pattern of a scalar, whatever its dtype.
pub(crate) fn of_scalar(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::U8(value) => value.pattern(),
        Scalar::U16(value) => value.pattern(),
        Scalar::U32(value) => value.pattern(),
        Scalar::U64(value) => value.pattern(),
        Scalar::I8(value) => value.pattern(),
        Scalar::I16(value) => value.pattern(),
        Scalar::I32(value) => value.pattern(),
        Scalar::I64(value) => value.pattern(),
        Scalar::Bool(value) => value.pattern(),
        Scalar::F16(value) => value.pattern(),
        Scalar::BF16(value) => value.pattern(),
        Scalar::F32(value) => value.pattern(),
        Scalar::F64(value) => value.pattern(),
    }
}

/// Prints a pattern in hex, as wide as its dtype.
pub(crate) struct Hex {
    pub(crate) dtype: DType,
    pub(crate) pattern: u64,
}

impl fmt::Display for Hex {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = 2 + 2 * self.dtype.size();
        write!(formatter, "{:#0width$x}", self.pattern)
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::{Element, match_dtype};

    use super::*;

    #[test]
    fn every_dtype_keeps_its_low_bits() {
        for dtype in DType::ALL {
            let pattern = 0xFFFF_FFFF_FFFF_FF81_u64;
            let kept = pattern % (1 << (8 * dtype.size() - 1)) + (1 << (8 * dtype.size() - 1));
            match_dtype!(dtype, T => {
                assert_eq!(T::DTYPE, dtype);
                let element = T::from_pattern(pattern);
                assert_eq!(element.pattern(), kept, "{dtype}");
                assert_eq!(of_scalar(element.into()), kept, "{dtype}");
            });
        }
    }

    #[test]
    fn elements_differ_by_their_bits() {
        assert!(!f32::differ(&[f32::NAN, 1.0], &[f32::NAN, 1.0]));
        assert!(f32::differ(&[1.0, 0.0], &[1.0, -0.0]));
        assert!(f64::differ(&[f64::NAN], &[-f64::NAN]));
    }

    #[test]
    fn hex_is_as_wide_as_the_dtype() {
        let hex = |dtype, pattern| Hex { dtype, pattern }.to_string();
        assert_eq!(hex(DType::U8, 7), "0x07");
        assert_eq!(hex(DType::F64, 7), "0x0000000000000007");
    }
}
