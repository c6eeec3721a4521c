//! `Integer`: what integer formulas need of the eight integer types. Arithmetic wraps.

use stratal_tensor_base::Element;

/// One of the eight integer element types.
pub trait Integer: Element + Ord {
    /// 0.
    const ZERO: Self;
    /// 1.
    const ONE: Self;
    /// The bits of the type.
    const BITS: u32;
    /// Whether values may be negative.
    const SIGNED: bool;

    /// `self + other` modulo 2^bits.
    fn add(self, other: Self) -> Self;
    /// `self - other` modulo 2^bits.
    fn sub(self, other: Self) -> Self;
    /// `self * other` modulo 2^bits.
    fn mul(self, other: Self) -> Self;
    /// `self / other` toward zero, MIN / -1 being MIN; 0 for a divisor of 0.
    fn div(self, other: Self) -> Self;
    /// What [`div`](Self::div) leaves, with the sign of `self`; 0 for a divisor of 0.
    fn rem(self, other: Self) -> Self;
    /// All bits inverted.
    fn not(self) -> Self;
    /// Bit by bit.
    fn and(self, other: Self) -> Self;
    /// Bit by bit.
    fn or(self, other: Self) -> Self;
    /// Bit by bit.
    fn xor(self, other: Self) -> Self;
    /// Shifted left by `other` read as an unsigned number: 0 from the width on.
    fn shl(self, other: Self) -> Self;
    /// Shifted right by `other` read as an unsigned number, copies of the sign coming in for signed types: from the
    /// width on 0, or -1 for negative ones.
    fn shr(self, other: Self) -> Self;
    /// The value of the type that is nearest to a number.
    fn nearest(value: i128) -> Self;
}

macro_rules! integers {
    ($($type:ty, $unsigned:ty);* $(;)?) => {$(
        impl Integer for $type {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const BITS: u32 = <$type>::BITS;
            const SIGNED: bool = <$type>::MIN != 0;

            #[inline(always)]
            fn nearest(value: i128) -> Self {
                value.clamp(<$type>::MIN.into(), <$type>::MAX.into()) as Self
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            #[inline(always)]
            fn div(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_div(other) }
            }

            #[inline(always)]
            fn rem(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_rem(other) }
            }

            #[inline(always)]
            fn not(self) -> Self {
                !self
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }

            #[inline(always)]
            fn shl(self, other: Self) -> Self {
                let by = other as $unsigned;
                if by < <$unsigned>::from(Self::BITS as u8) { self.wrapping_shl(by as u32) } else { 0 }
            }

            #[inline(always)]
            fn shr(self, other: Self) -> Self {
                let by = other as $unsigned;
                let last = Self::BITS - 1;
                if by < <$unsigned>::from(Self::BITS as u8) {
                    self.wrapping_shr(by as u32)
                } else if Self::SIGNED {
                    self.wrapping_shr(last)
                } else {
                    0
                }
            }
        }
    )*};
}

integers! {
    u8, u8;
    u16, u16;
    u32, u32;
    u64, u64;
    i8, u8;
    i16, u16;
    i32, u32;
    i64, u64;
}

/// Runs code with a type name for the integer type of a dtype, and nothing for the other dtypes.
macro_rules! match_integer {
    ($dtype:expr, $type:ident => $body:expr) => {
        match $dtype {
            stratal_tensor_base::DType::I8 => {
                type $type = i8;
                $body
            }
            stratal_tensor_base::DType::I16 => {
                type $type = i16;
                $body
            }
            stratal_tensor_base::DType::I32 => {
                type $type = i32;
                $body
            }
            stratal_tensor_base::DType::I64 => {
                type $type = i64;
                $body
            }
            stratal_tensor_base::DType::U8 => {
                type $type = u8;
                $body
            }
            stratal_tensor_base::DType::U16 => {
                type $type = u16;
                $body
            }
            stratal_tensor_base::DType::U32 => {
                type $type = u32;
                $body
            }
            stratal_tensor_base::DType::U64 => {
                type $type = u64;
                $body
            }
            _ => Default::default(),
        }
    };
}

pub(crate) use match_integer;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_traps() {
        assert_eq!((i32::MIN.div(-1), i32::MIN.rem(-1)), (i32::MIN, 0));
        assert_eq!((i64::MIN.div(-1), i64::MIN.rem(-1)), (i64::MIN, 0));
        assert_eq!((7_i8.div(0), 7_i8.rem(0)), (0, 0));
        assert_eq!(Integer::sub(-128_i8, 1), 127);
    }

    #[test]
    fn shifts_by_the_width_or_more_give_zero_or_the_sign() {
        assert_eq!((Integer::shl(1_u8, 7), Integer::shl(1_u8, 8), Integer::shl(1_u8, 255)), (128, 0, 0));
        assert_eq!((Integer::shr(255_u8, 7), Integer::shr(255_u8, 8)), (1, 0));
        assert_eq!((Integer::shr(-128_i8, 7), Integer::shr(-128_i8, 8), Integer::shr(127_i8, 100)), (-1, -1, 0));
        assert_eq!((Integer::shl(1_i64, 63), Integer::shl(1_i64, 64), Integer::shl(1_i64, -1)), (i64::MIN, 0, 0));
    }
}
