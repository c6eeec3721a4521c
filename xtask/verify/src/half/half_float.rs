//! `HalfFloat`: what the sweeps need to know of each 16-bit float.

use stratal_tensor_base::{DType, bf16, f16};

use super::backends::{Conversions, Convert};
use crate::{pattern::Pattern, reference::format::FloatFormat};

/// One of the two 16-bit floats.
pub(crate) trait HalfFloat: Pattern + 'static {
    const DTYPE: DType;
    const FORMAT: FloatFormat;
    /// Its name in the keys of the chunk sums.
    const KEY: &'static str;
    /// On how many binary32 patterns the two NaN rules differ: the signaling NaNs whose payload is not all cut off.
    const NARROWINGS_THAT_DIFFER: u64;
    /// On how many of its own patterns they differ: the signaling NaNs.
    const WIDENINGS_THAT_DIFFER: u64;

    fn narrow(conversions: &Conversions) -> Convert<f32, Self>;
    fn widen(conversions: &Conversions) -> Convert<Self, f32>;
}

impl HalfFloat for f16 {
    const DTYPE: DType = DType::F16;
    const FORMAT: FloatFormat = FloatFormat::BINARY16;
    const KEY: &'static str = "f16";
    const NARROWINGS_THAT_DIFFER: u64 = 8_372_224;
    const WIDENINGS_THAT_DIFFER: u64 = 1022;

    fn narrow(conversions: &Conversions) -> Convert<f32, Self> {
        conversions.f32_to_f16
    }

    fn widen(conversions: &Conversions) -> Convert<Self, f32> {
        conversions.f16_to_f32
    }
}

impl HalfFloat for bf16 {
    const DTYPE: DType = DType::BF16;
    const FORMAT: FloatFormat = FloatFormat::BFLOAT16;
    const KEY: &'static str = "bf16";
    const NARROWINGS_THAT_DIFFER: u64 = 8_257_536;
    const WIDENINGS_THAT_DIFFER: u64 = 126;

    fn narrow(conversions: &Conversions) -> Convert<f32, Self> {
        conversions.f32_to_bf16
    }

    fn widen(conversions: &Conversions) -> Convert<Self, f32> {
        conversions.bf16_to_f32
    }
}
