//! The cast table: what becomes of a value when its dtype changes, for all 13 x 13 pairs.
//!
//! Source: the rules of ONNX Cast where it has any, completed so that every case is defined:
//!
//! | from | to | rule |
//! |---|---|---|
//! | float | float | nearest, ties to even; f64 reaches the 16-bit types through f32 and so rounds twice |
//! | integer | float | rounded once, nearest, ties to even |
//! | float | integer | truncated toward zero, saturated to the range, NaN becomes 0 |
//! | integer | integer | wrapped modulo 2^bits |
//! | any | bool | whether it differs from zero (NaN does) |
//! | bool | number | 0 or 1 |
//! | a type | itself | the bits, unchanged; a bool becomes 0 or 1 |
//!
//! [`cast`] follows the table; [`try_cast`] refuses what would lose the value: NaN, infinities and numbers out of range
//! on the way to an integer, and bool on either side.

use crate::{
    Bool, CastError, DType, Element, bf16, f16,
    half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16},
    half_slices::{self, map_slice},
    payload::{f32_to_f64, f64_to_f32},
};

/// Casts one element.
///
/// ```
/// use stratal_tensor_base::{Bool, cast};
///
/// assert_eq!(cast::<f32, u8>(300.7), 255);
/// assert_eq!(cast::<i32, u8>(300), 44);
/// assert_eq!(cast::<f32, Bool>(f32::NAN), Bool::TRUE);
/// ```
#[inline]
pub fn cast<S: Element, T: CastFrom<S>>(value: S) -> T {
    T::cast_from(value)
}

/// Casts one element, or says why its value would be lost.
///
/// A fraction is no loss of range: 1.5 becomes 1.
///
/// # Errors
/// [`CastError::NotANumber`], [`CastError::OutOfRange`] (both at index 0) and [`CastError::Bool`].
///
/// ```
/// use stratal_tensor_base::try_cast;
///
/// assert_eq!(try_cast::<f32, u8>(255.9), Ok(255));
/// assert_eq!(
///     try_cast::<i32, u8>(300).unwrap_err().to_string(),
///     "cannot cast 300 at index 0 from int32 to uint8: out of range",
/// );
/// ```
#[inline]
pub fn try_cast<S: Element, T: CastFrom<S>>(value: S) -> Result<T, CastError> {
    T::try_cast_from(value).map_err(|loss| loss.at::<S, T>(value, 0))
}

/// Casts a slice, at the speed the compiler's vectors give.
///
/// # Errors
/// [`CastError::LengthMismatch`] when the slices differ in length; nothing is written then.
pub fn cast_slice<S: Element, T: CastFrom<S>>(source: &[S], target: &mut [T]) -> Result<(), CastError> {
    T::cast_slice_from(source, target)
}

/// Casts a slice as [`try_cast`] does.
///
/// # Errors
/// Those of [`try_cast`], naming the first value that would be lost and its index, and
/// [`CastError::LengthMismatch`]. Nothing is written then.
pub fn try_cast_slice<S: Element, T: CastFrom<S>>(source: &[S], target: &mut [T]) -> Result<(), CastError> {
    if S::DTYPE == DType::Bool || T::DTYPE == DType::Bool {
        // Not even an empty slice makes truth values numbers.
        return Err(CastError::Bool { source_dtype: S::DTYPE, target: T::DTYPE });
    }
    for (index, value) in source.iter().enumerate() {
        T::try_cast_from(*value).map_err(|loss| loss.at::<S, T>(*value, index))?;
    }
    cast_slice(source, target)
}

/// The cast from `S`: implemented by every element type for every element type.
///
/// Use [`cast`] and [`try_cast`]; this is the bound that generic code over two element types names.
pub trait CastFrom<S: Element>: Element {
    #[doc(hidden)]
    fn cast_from(value: S) -> Self;

    #[doc(hidden)]
    fn try_cast_from(value: S) -> Result<Self, Loss>;

    #[doc(hidden)]
    fn cast_slice_from(source: &[S], target: &mut [Self]) -> Result<(), CastError> {
        map_slice(source, target, Self::cast_from)
    }
}

macro_rules! cast_from_any {
    ($($source:ident)+) => {
        /// The cast from every element type: what a type known at compile time, such as in
        /// [`match_dtype!`](crate::match_dtype), always has.
        pub trait CastFromAny: $( CastFrom<$source> + )+ {}

        impl<T: $( CastFrom<$source> + )+> CastFromAny for T {}
    };
}

cast_from_any!(f32 u8 i8 u16 i16 i32 i64 Bool f16 f64 u32 u64 bf16);

/// Why a strict cast refuses.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loss {
    NotANumber,
    OutOfRange,
    Bool,
}

impl Loss {
    /// The error that names the value, where it stands, and the two dtypes.
    #[cold]
    fn at<S: Element, T: Element>(self, value: S, index: usize) -> CastError {
        let (value, target) = (value.into(), T::DTYPE);
        match self {
            Self::NotANumber => CastError::NotANumber { value, index, target },
            Self::OutOfRange => CastError::OutOfRange { value, index, target },
            Self::Bool => CastError::Bool { source_dtype: S::DTYPE, target },
        }
    }
}

/// `casts!(targets; sources; |value| rule)` implements the cast of each source to each target; `Target` is at hand in
/// the rules. A cast that cannot lose a value has one rule, the others have a strict one behind it.
macro_rules! casts {
    ($($target:ident)+; $sources:tt; $rules:tt) => {
        $( casts!(@target $target; $sources; $rules); )+
    };
    (@target $target:ident; [$($source:ident)+]; $rules:tt) => {
        $( casts!(@pair $target; $source; $rules); )+
    };
    (@pair $target:ident; $source:ident; { |$value:ident| $cast:expr }) => {
        casts!(@pair $target; $source; { |$value| $cast, Ok(<$target>::cast_from($value)) });
    };
    (@pair $target:ident; $source:ident; { |$value:ident| $cast:expr, $strict:expr }) => {
        impl CastFrom<$source> for $target {
            #[inline]
            fn cast_from($value: $source) -> Self {
                $cast
            }

            #[inline]
            fn try_cast_from($value: $source) -> Result<Self, Loss> {
                $strict
            }
        }
    };
}

casts!(u8 i8 u16 i16 u32 i32 u64 i64; [u8 i8 u16 i16 u32 i32 u64 i64]; {
    |value| value as Self, unchanged(value as Self, value.into())
});
casts!(u8 i8 u16 i16 u32 i32 u64 i64; [f32 f64]; {
    |value| value as Self, {
        let saturated = value as Self;
        if value.is_nan() {
            Err(Loss::NotANumber)
        } else if saturated == Self::MIN || saturated == Self::MAX {
            // Saturation shows only at the two ends of the range; i128 reaches beyond both.
            unchanged(saturated, value as i128)
        } else {
            Ok(saturated)
        }
    }
});
casts!(u8 i8 u16 i16 u32 i32 u64 i64; [f16]; {
    |value| cast(f16_to_f32(value)), Self::try_cast_from(f16_to_f32(value))
});
casts!(u8 i8 u16 i16 u32 i32 u64 i64; [bf16]; {
    |value| cast(bf16_to_f32(value)), Self::try_cast_from(bf16_to_f32(value))
});
casts!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64; [Bool]; { |value| Self::from(value.get()), refuse_bool(value) });

casts!(f32 f64; [u8 i8 u16 i16 u32 i32 u64 i64]; { |value| value as Self });
casts!(f32; [f32]; { |value| value });
casts!(f32; [f64]; { |value| f64_to_f32(value) });
casts!(f32; [bf16]; { |value| bf16_to_f32(value) });
casts!(f64; [f32]; { |value| f32_to_f64(value) });
casts!(f64; [f64]; { |value| value });
casts!(f64; [f16]; { |value| f32_to_f64(f16_to_f32(value)) });
casts!(f64; [bf16]; { |value| f32_to_f64(bf16_to_f32(value)) });

// Rounds once: an integer that f32 cannot hold exactly is above 2^24 and so infinite as a binary16 either way.
casts!(f16; [u8 i8 u16 i16 u32 i32 u64 i64]; { |value| f32_to_f16(value as f32) });
casts!(f16; [f64]; { |value| f32_to_f16(f64_to_f32(value)) });
casts!(f16; [f16]; { |value| value });
casts!(f16; [bf16]; { |value| f32_to_f16(bf16_to_f32(value)) });
casts!(f16; [Bool]; { |value| if value.get() { Self::ONE } else { Self::ZERO }, refuse_bool(value) });

// Up to 16 bits f32 holds the integer exactly.
casts!(bf16; [u8 i8 u16 i16]; { |value| f32_to_bf16(f32::from(value)) });
casts!(bf16; [u32]; { |value| magnitude_to_bf16(value.into(), false) });
casts!(bf16; [u64]; { |value| magnitude_to_bf16(value, false) });
casts!(bf16; [i32]; { |value| magnitude_to_bf16(value.unsigned_abs().into(), value < 0) });
casts!(bf16; [i64]; { |value| magnitude_to_bf16(value.unsigned_abs(), value < 0) });
casts!(bf16; [f32]; { |value| f32_to_bf16(value) });
casts!(bf16; [f64]; { |value| f32_to_bf16(f64_to_f32(value)) });
casts!(bf16; [f16]; { |value| f32_to_bf16(f16_to_f32(value)) });
casts!(bf16; [bf16]; { |value| value });
casts!(bf16; [Bool]; { |value| if value.get() { Self::ONE } else { Self::ZERO }, refuse_bool(value) });

casts!(Bool; [u8 i8 u16 i16 u32 i32 u64 i64]; { |value| Self::from(value != 0), refuse_bool(value) });
casts!(Bool; [f32 f64]; { |value| Self::from(value != 0.0), refuse_bool(value) });
casts!(Bool; [f16 bf16]; { |value| Self::from(value.to_bits() & 0x7FFF != 0), refuse_bool(value) });
casts!(Bool; [Bool]; { |value| Self::from(value.get()), refuse_bool(value) });

// The two conversions whose scalar rule branches have a form for slices that does not.
impl CastFrom<f32> for f16 {
    #[inline]
    fn cast_from(value: f32) -> Self {
        f32_to_f16(value)
    }

    #[inline]
    fn try_cast_from(value: f32) -> Result<Self, Loss> {
        Ok(f32_to_f16(value))
    }

    fn cast_slice_from(source: &[f32], target: &mut [Self]) -> Result<(), CastError> {
        half_slices::f32_to_f16_slice(source, target)
    }
}

impl CastFrom<f16> for f32 {
    #[inline]
    fn cast_from(value: f16) -> Self {
        f16_to_f32(value)
    }

    #[inline]
    fn try_cast_from(value: f16) -> Result<Self, Loss> {
        Ok(f16_to_f32(value))
    }

    fn cast_slice_from(source: &[f16], target: &mut [Self]) -> Result<(), CastError> {
        half_slices::f16_to_f32_slice(source, target)
    }
}

/// An integer that must still be what it was.
#[inline]
fn unchanged<T: Copy + Into<i128>>(result: T, value: i128) -> Result<T, Loss> {
    if result.into() == value { Ok(result) } else { Err(Loss::OutOfRange) }
}

/// What a strict cast answers when bool is on either side.
fn refuse_bool<S, T>(_: S) -> Result<T, Loss> {
    Err(Loss::Bool)
}

/// The bfloat16 nearest to an integer, rounded once.
///
/// The integer is first cut to the 24 bits that f32 holds, with the last one set when anything was lost ("rounding to
/// odd"). That keeps it on its side of every tie of the narrower type, so the second rounding is the only one.
#[inline]
fn magnitude_to_bf16(magnitude: u64, is_negative: bool) -> bf16 {
    let excess = (u64::BITS - magnitude.leading_zeros()).saturating_sub(f32::MANTISSA_DIGITS);
    let kept = magnitude >> excess;
    let is_cut = kept << excess != magnitude;
    let power_of_two = f32::from_bits((127 + excess) << 23);
    let odd = (kept | u64::from(is_cut)) as f32 * power_of_two;
    f32_to_bf16(if is_negative { -odd } else { odd })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::string::ToString;

    #[test]
    fn the_strict_form_refuses_exactly_what_leaves_the_range() {
        assert_eq!(try_cast::<f32, u8>(-0.99), Ok(0));
        assert_eq!(try_cast::<f32, u8>(255.99), Ok(255));
        assert!(try_cast::<f32, u8>(256.0).is_err());
        assert!(try_cast::<f32, u8>(-1.0).is_err());
        assert_eq!(try_cast::<f64, i64>(-(2f64.powi(63))), Ok(i64::MIN));
        assert!(try_cast::<f64, i64>(2f64.powi(63)).is_err());
        assert!(try_cast::<f64, i64>((-(2f64.powi(63))).next_down()).is_err());
        assert_eq!(try_cast::<f64, u64>(2f64.powi(64).next_down()), Ok(u64::MAX - 2047));
        assert!(try_cast::<f64, u64>(2f64.powi(64)).is_err());
        assert_eq!(try_cast::<f16, u16>(f16::MAX), Ok(65504));
        assert!(try_cast::<bf16, u64>(bf16::MAX).is_err());
        assert_eq!(try_cast::<i64, i8>(-128), Ok(-128));
        assert!(try_cast::<i64, i8>(-129).is_err());
        assert!(try_cast::<u64, i64>(1 << 63).is_err());
        // Between floats nothing is refused, not even what becomes infinite.
        assert_eq!(try_cast::<f32, f16>(1e9), Ok(f16::INFINITY));
    }

    #[test]
    fn a_refusal_names_the_value_and_where_it_stands() {
        let mut target = [0_i8; 4];
        let nan = try_cast_slice(&[1.0_f32, -2.0, f32::NAN, 1e9], &mut target).unwrap_err();
        assert_eq!(nan.to_string(), "cannot cast NaN at index 2 from float32 to int8: not a number");
        let infinite = try_cast_slice(&[f64::NEG_INFINITY; 4], &mut target).unwrap_err();
        assert_eq!(infinite.to_string(), "cannot cast -inf at index 0 from float64 to int8: out of range");
        let bool_target = try_cast::<u8, Bool>(1).unwrap_err();
        assert_eq!(bool_target, CastError::Bool { source_dtype: DType::U8, target: DType::Bool });
        let bool_source = try_cast::<Bool, Bool>(Bool::TRUE).unwrap_err();
        assert_eq!(bool_source, CastError::Bool { source_dtype: DType::Bool, target: DType::Bool });
        let lengths = CastError::LengthMismatch { source_length: 1, target_length: 4 };
        assert_eq!(try_cast_slice(&[1_i32], &mut target), Err(lengths));
        assert_eq!(cast_slice(&[1_i32], &mut target), Err(lengths));
    }

    #[test]
    fn bool_reads_every_byte_and_writes_zero_or_one() {
        let every_byte: [Bool; 256] = core::array::from_fn(|byte| Bool::from_byte(byte as u8));
        let mut target = [Bool::FALSE; 256];
        cast_slice(&every_byte, &mut target).unwrap();
        for (byte, bool) in target.iter().enumerate() {
            assert_eq!(bool.to_byte(), u8::from(byte != 0));
        }
    }

    proptest! {
        #[test]
        fn a_strict_cast_that_succeeds_is_the_cast(integer: i64, float: f64) {
            if let Ok(value) = try_cast::<i64, u16>(integer) {
                prop_assert_eq!(i64::from(value), integer);
            }
            if let Ok(value) = try_cast::<f64, i32>(float) {
                prop_assert_eq!(f64::from(value), float.trunc());
                prop_assert_eq!(value, cast::<f64, i32>(float));
            }
        }

        #[test]
        fn integers_reach_bfloat16_by_the_shortest_way(integer: i64) {
            // An oracle by search: no other bfloat16 of the neighbourhood is nearer.
            let result = cast::<i64, bf16>(integer);
            let distance = |value: bf16| (bf16_to_f32(value) as i128 - i128::from(integer)).unsigned_abs();
            for neighbour in [result.to_bits() - 1, result.to_bits() + 1].map(bf16::from_bits) {
                let is_even = result.to_bits() & 1 == 0;
                prop_assert!(
                    distance(result) < distance(neighbour) || distance(result) == distance(neighbour) && is_even
                );
            }
        }
    }
}
