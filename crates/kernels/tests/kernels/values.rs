//! What operations are fed: values at which something happens, ordinary ones, and any bits.

use stratal_tensor_base::half::{f32_to_bf16_bits, f32_to_f16_bits};
use stratal_tensor_base::{DType, DTypeKind};

use crate::array::Array;

/// Pseudo-random numbers, always the same: SplitMix64.
#[derive(Debug, Clone)]
pub(crate) struct Generator(pub(crate) u64);

impl Generator {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        value ^ (value >> 31)
    }

    /// Below a limit.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }
}

/// So many elements: special values, ordinary ones and any bits, a third each.
pub(crate) fn mixed(dtype: DType, count: usize, generator: &mut Generator) -> Array {
    let panel = panel(dtype);
    let elements = (0..count).map(|_| match generator.below(3) {
        0 => panel[generator.below(panel.len())],
        1 => ordinary(dtype, generator),
        _ => generator.next(),
    });
    Array::new(dtype, elements)
}

/// [`mixed`] without zeros, for divisors and bases.
pub(crate) fn mixed_nonzero(dtype: DType, count: usize, generator: &mut Generator) -> Array {
    let array = mixed(dtype, count, generator);
    Array::new(dtype, array.patterns().map(|pattern| if pattern == 0 { 1 } else { pattern }))
}

/// A number between -64 and 64, for floats with eighths.
fn ordinary(dtype: DType, generator: &mut Generator) -> u64 {
    let number = generator.below(1025) as i64 - 512;
    match dtype {
        DType::F16 => f32_to_f16_bits((number as f32 / 8.0).to_bits()).into(),
        DType::BF16 => f32_to_bf16_bits((number as f32 / 8.0).to_bits()).into(),
        DType::F32 => (number as f32 / 8.0).to_bits().into(),
        DType::F64 => (number as f64 / 8.0).to_bits(),
        DType::Bool => (number & 1) as u64,
        _ => (number / 8) as u64,
    }
}

/// The values of a dtype at which something happens.
pub(crate) fn panel(dtype: DType) -> Vec<u64> {
    match dtype.kind() {
        DTypeKind::Float => float_panel(dtype),
        DTypeKind::Bool => vec![0, 1, 2, 0x80, 0xFF],
        DTypeKind::Signed | DTypeKind::Unsigned => {
            let bits = 8 * dtype.size() as u32;
            let all = u64::MAX >> (64 - bits);
            let half = 1_u64 << (bits - 1);
            let mut panel = vec![0, 1, 2, 3, 5, 7, 8, all, all - 1, all - 2, half, half + 1, half - 1, half - 2];
            panel.extend([bits - 1, bits, bits + 1, 31, 32, 63, 64].map(u64::from));
            panel.extend([0x55, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 1 << 24, (1 << 24) + 1].map(|x| x & all));
            panel
        }
    }
}

fn float_panel(dtype: DType) -> Vec<u64> {
    // Exponent bits and mantissa bits of the format.
    let (exponent, mantissa) = match dtype {
        DType::F16 => (5, 10),
        DType::BF16 => (8, 7),
        DType::F32 => (8, 23),
        _ => (11, 52),
    };
    let infinity = ((1_u64 << exponent) - 1) << mantissa;
    let bias = (1_u64 << (exponent - 1)) - 1;
    let quiet = 1_u64 << (mantissa - 1);
    let least_normal = 1_u64 << mantissa;
    // Quiet and signaling NaNs with payloads; zero, subnormals, the least and the largest numbers.
    let mut panel = vec![infinity | quiet, infinity | quiet | 5, infinity | 1, infinity | (quiet - 1), infinity];
    panel.extend([0, 1, 2, least_normal - 1, least_normal, least_normal + 1, infinity - 1, infinity - 2]);
    // Powers of two around one, their neighbours, and 1.5 times each: halves, integers, ties.
    for power in [-30_i64, -2, -1, 0, 1, 2, 3, 7, 8, 15, 16, 22, 23, 24, 31, 32, 51, 52, 53, 63, 64] {
        let biased = bias as i64 + power;
        if (1..(1 << exponent) - 1).contains(&biased) {
            let number = (biased as u64) << mantissa;
            panel.extend([number, number - 1, number + 1, number | quiet]);
        }
    }
    let sign = 1_u64 << (exponent + mantissa);
    let negative: Vec<u64> = panel.iter().map(|pattern| pattern | sign).collect();
    panel.extend(negative);
    panel
}

/// Whether a pattern is a NaN of a float dtype.
pub(crate) fn is_nan(dtype: DType, pattern: u64) -> bool {
    match dtype {
        DType::F16 => pattern & 0x7FFF > 0x7C00,
        DType::BF16 => pattern & 0x7FFF > 0x7F80,
        DType::F32 => pattern & 0x7FFF_FFFF > 0x7F80_0000,
        DType::F64 => pattern & (u64::MAX >> 1) > 0x7FF0_0000_0000_0000,
        _ => false,
    }
}

/// Some NaNs of a dtype: quiet and signaling, of both signs, with payloads.
pub(crate) fn nans(dtype: DType) -> Vec<u64> {
    panel(dtype).into_iter().filter(|pattern| is_nan(dtype, *pattern)).collect()
}

#[test]
fn panels_hold_what_they_promise() {
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        assert_eq!(nans(dtype).len(), 8, "{dtype}");
    }
    let floats: Vec<f32> = panel(DType::F32).iter().map(|pattern| f32::from_bits(*pattern as u32)).collect();
    for wanted in [0.5_f32, 1.5, 3.0, 8_388_608.0, f32::MAX, f32::MIN_POSITIVE, f32::NEG_INFINITY, -2.0] {
        assert!(floats.contains(&wanted), "{wanted}");
    }
    assert!(floats.iter().filter(|x| x.is_subnormal()).count() >= 6);
}
