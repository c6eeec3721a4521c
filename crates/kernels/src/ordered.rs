//! `Ordered`: the order in which maxima and sorting see elements, as integers.
//!
//! NaN is the largest, whatever its sign and payload, and the zeros of two signs are equal. Two elements of one key tie, so
//! that whoever picks between them decides by position.

use std::fmt::Debug;

use stratal_tensor_base::{Element, bf16, f16};

/// An element type whose values have an order.
pub(crate) trait Ordered: Element {
    /// Integers that stand in the order of the elements.
    type Key: Copy + Ord + Debug + Send + Sync;

    /// An element below or equal to every other.
    const LOWEST: Self;

    /// The place in the order.
    fn key(self) -> Self::Key;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Ordered for $type {
            type Key = Self;

            const LOWEST: Self = Self::MIN;

            #[inline(always)]
            fn key(self) -> Self {
                self
            }
        }
    )*};
}

integers!(u8, u16, u32, u64, i8, i16, i32, i64);

macro_rules! floats {
    ($($type:ty, $key:ty, $lowest:expr;)*) => {$(
        impl Ordered for $type {
            type Key = $key;

            const LOWEST: Self = $lowest;

            #[inline(always)]
            fn key(self) -> $key {
                const INFINITY: $key = <$type>::INFINITY.to_bits() as $key;
                let bits = self.to_bits() as $key;
                let magnitude = bits & <$key>::MAX;
                match magnitude {
                    _ if magnitude > INFINITY => <$key>::MAX,
                    _ if bits < 0 => -magnitude,
                    _ => magnitude,
                }
            }
        }
    )*};
}

floats! {
    f32, i32, Self::NEG_INFINITY;
    f64, i64, Self::NEG_INFINITY;
    f16, i16, Self::NEG_INFINITY;
    bf16, i16, Self::NEG_INFINITY;
}

/// Runs code with a type name for the type of a dtype other than bool, and nothing for bool.
macro_rules! match_ordered {
    ($dtype:expr, $type:ident => $body:expr) => {
        match $dtype {
            stratal_tensor_base::DType::F32 => {
                type $type = f32;
                $body
            }
            stratal_tensor_base::DType::F64 => {
                type $type = f64;
                $body
            }
            stratal_tensor_base::DType::F16 => {
                type $type = stratal_tensor_base::f16;
                $body
            }
            stratal_tensor_base::DType::BF16 => {
                type $type = stratal_tensor_base::bf16;
                $body
            }
            dtype => crate::integer::match_integer!(dtype, $type => $body),
        }
    };
}

pub(crate) use match_ordered;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_floats_stand_in_their_order() {
        let ascending = [f32::NEG_INFINITY, f32::MIN, -1.0, -f32::MIN_POSITIVE, -1e-45, 0.0, 1e-45, 1.0, f32::MAX];
        assert!(ascending.is_sorted_by_key(|x| x.key()));
        assert_eq!((-0.0_f32).key(), 0.0_f32.key());
        let nan = [0x7FC0_0000, 0xFFC0_0000, 0x7F80_0001, 0xFFFF_FFFF].map(|bits| f32::from_bits(bits).key());
        assert!(nan.iter().all(|key| *key == i32::MAX && *key > f32::INFINITY.key()));
    }

    #[test]
    fn every_pair_of_binary16_compares_as_its_f32() {
        for a in (0..=u16::MAX).step_by(7).map(f16::from_bits) {
            for b in (0..=u16::MAX).step_by(97).map(f16::from_bits) {
                assert_eq!(a.key().cmp(&b.key()), a.to_f32().key().cmp(&b.to_f32().key()), "{a} {b}");
            }
        }
    }
}
