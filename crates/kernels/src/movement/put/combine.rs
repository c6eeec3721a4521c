//! One element and one update: the maps `add`, `mul`, `min` and `max` on numbers of one type.

use stratal_tensor_base::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use stratal_tensor_base::{bf16, f16};

use super::super::ScatterReduction;
use crate::Integer;

/// What an element becomes: the first operand is the element, the second the update.
#[inline(always)]
pub(super) fn combine<T: Number>(reduction: ScatterReduction, x: T, update: T) -> T {
    match reduction {
        ScatterReduction::None => update,
        ScatterReduction::Add => x.add(update),
        ScatterReduction::Mul => x.mul(update),
        ScatterReduction::Min => x.min(update),
        ScatterReduction::Max => x.max(update),
    }
}

/// A number that updates are combined with.
pub(super) trait Number: bytemuck::Pod {
    fn add(self, update: Self) -> Self;
    fn mul(self, update: Self) -> Self;
    fn min(self, update: Self) -> Self;
    fn max(self, update: Self) -> Self;
}

macro_rules! floats {
    ($($type:ty),+) => {$(
        impl Number for $type {
            #[inline(always)]
            fn add(self, update: Self) -> Self {
                self + update
            }

            #[inline(always)]
            fn mul(self, update: Self) -> Self {
                self * update
            }

            #[inline(always)]
            fn min(self, update: Self) -> Self {
                if self.is_nan() || self < update { self } else { update }
            }

            #[inline(always)]
            fn max(self, update: Self) -> Self {
                if self.is_nan() || self > update { self } else { update }
            }
        }
    )+};
}

floats!(f32, f64);

/// In f32, narrowed once.
macro_rules! halves {
    ($($type:ty, $widen:ident, $narrow:ident);+ $(;)?) => {$(
        impl Number for $type {
            #[inline(always)]
            fn add(self, update: Self) -> Self {
                $narrow($widen(self) + $widen(update))
            }

            #[inline(always)]
            fn mul(self, update: Self) -> Self {
                $narrow($widen(self) * $widen(update))
            }

            #[inline(always)]
            fn min(self, update: Self) -> Self {
                $narrow(Number::min($widen(self), $widen(update)))
            }

            #[inline(always)]
            fn max(self, update: Self) -> Self {
                $narrow(Number::max($widen(self), $widen(update)))
            }
        }
    )+};
}

halves! {
    f16, f16_to_f32, f32_to_f16;
    bf16, bf16_to_f32, f32_to_bf16;
}

macro_rules! integers {
    ($($type:ty),+) => {$(
        impl Number for $type {
            #[inline(always)]
            fn add(self, update: Self) -> Self {
                Integer::add(self, update)
            }

            #[inline(always)]
            fn mul(self, update: Self) -> Self {
                Integer::mul(self, update)
            }

            #[inline(always)]
            fn min(self, update: Self) -> Self {
                Ord::min(self, update)
            }

            #[inline(always)]
            fn max(self, update: Self) -> Self {
                Ord::max(self, update)
            }
        }
    )+};
}

integers!(i8, i16, i32, i64, u8, u16, u32, u64);

/// Runs code with the type of the numbers of a dtype; there is nothing to do for bool, which is refused before.
macro_rules! match_number {
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

pub(super) use match_number;
