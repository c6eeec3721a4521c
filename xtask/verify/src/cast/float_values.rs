//! The values of f32 and f64 at which a cast may go wrong.

use stratal_tensor_base::DType;

use crate::reference::format::FloatFormat;

/// Exponents that get every tie: from below the smallest binary32 to above the largest 64-bit integer and binary32.
const CLOSE_EXPONENTS: i32 = 160;

/// Around the ends of integer ranges, so many patterns on each side are taken.
const NEIGHBOURS: u64 = 4;

/// Patterns of a floating dtype, in ascending order.
pub(super) fn float_values(dtype: DType) -> Vec<u64> {
    let format = FloatFormat::of(dtype).expect("the dtype is floating");
    let mut magnitudes = ends_of_ranges(dtype);
    for steps in 0..=format.infinity() / format.fractions() {
        // Infinity and the NaNs are the last step. NaNs get every payload, the highest exponents of f64 get few.
        let exponent = steps as i32 + format.least_exponent() + format.fraction_bits as i32;
        let is_last = steps * format.fractions() == format.infinity();
        let is_close = is_last || exponent.abs() <= CLOSE_EXPONENTS;
        let fractions = if is_close { close_fractions(format) } else { edge_fractions(format) };
        magnitudes.extend(fractions.into_iter().map(|fraction| steps * format.fractions() + fraction));
    }
    // An odd number of steps, so that the last bits vary.
    let stride = format.sign() / 100_003;
    magnitudes.extend((0..100_003).map(|step| step * stride));
    let mut values: Vec<u64> =
        magnitudes.into_iter().flat_map(|magnitude| [magnitude, magnitude + format.sign()]).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Fractions next to zero, to one half and to one: powers of two and their neighbours; for NaNs, the payloads next to
/// none, quiet and signaling.
fn edge_fractions(format: FloatFormat) -> Vec<u64> {
    let half = format.fractions() / 2;
    (0..8).flat_map(|step| [step, half - 1 - step, half + step, format.fractions() - 1 - step]).collect()
}

/// The same, and fractions with a one at every place where a shorter significand may end, with what stands in front of
/// it even, odd or about to carry: ties and the values just beside them.
fn close_fractions(format: FloatFormat) -> Vec<u64> {
    let mut fractions = edge_fractions(format);
    for half in (0..format.fraction_bits).map(|place| 1_u64 << place) {
        for prefix in prefixes() {
            let upper = prefix % format.fractions() / (2 * half) * (2 * half);
            fractions.extend([upper + half - 1, upper + half, upper + half + 1]);
        }
    }
    fractions.retain(|fraction| *fraction < format.fractions());
    fractions.sort_unstable();
    fractions.dedup();
    fractions
}

/// What may stand in front of a tie: zeros, ones, both by turns, and two numbers without a pattern.
pub(super) fn prefixes() -> impl Iterator<Item = u64> {
    [0, u64::MAX, 0x5555_5555_5555_5555, 0xAAAA_AAAA_AAAA_AAAA, 0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F]
        .into_iter()
}

/// The ends of every integer range, half a step and a whole one beside them, and the patterns around those.
fn ends_of_ranges(dtype: DType) -> Vec<u64> {
    let ends = [7, 8, 15, 16, 31, 32, 63, 64].map(|bits| 2_f64.powi(bits));
    let steps = [-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5];
    let values = ends.into_iter().flat_map(|end| steps.map(|step| end + step));
    values
        .map(|value| match dtype {
            DType::F32 => (value as f32).to_bits().into(),
            _ => value.to_bits(),
        })
        .flat_map(|pattern: u64| pattern - NEIGHBOURS..=pattern + NEIGHBOURS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_reach_every_boundary() {
        let values = float_values(DType::F32);
        assert!((100_000..2_000_000).contains(&values.len()), "{}", values.len());
        for value in [
            0.0,
            -0.0,
            f32::from_bits(1),
            f32::MIN_POSITIVE,
            127.999_99,
            128.0,
            -129.0,
            -0.999_999_94,
            255.5,
            255.999_98,
            65519.996,
            65520.0,
            2_f32.powi(-25),
            1.5 * 2_f32.powi(-25),
            2_f32.powi(63),
            -2_f32.powi(63),
            2_f32.powi(64).next_down(),
            f32::MAX,
            f32::INFINITY,
            f32::NAN,
            f32::from_bits(0x7F80_0001),
            f32::from_bits(0xFF80_2000),
            f32::from_bits(0x3F80_8000),
        ] {
            let bits = value.to_bits();
            assert!(values.binary_search(&bits.into()).is_ok(), "{value:e}, {bits:#010x}");
        }
    }

    #[test]
    fn doubles_reach_every_boundary() {
        let values = float_values(DType::F64);
        assert!((100_000..2_000_000).contains(&values.len()), "{}", values.len());
        for value in [
            f64::from_bits(1),
            2_147_483_647.5,
            2_147_483_648.0,
            -2_147_483_648.999_999_5,
            2_f64.powi(64).next_down(),
            // Rounds to a tie of binary16 on the way through f32.
            1.0 + 2_f64.powi(-11) + 2_f64.powi(-52),
            f64::from(f32::MAX) + 2_f64.powi(103),
            f64::MAX,
            f64::NEG_INFINITY,
            f64::from_bits(0x7FF0_0000_0000_0001),
            f64::from_bits(0x7FF0_0000_2000_0000),
        ] {
            let bits = value.to_bits();
            assert!(values.binary_search(&bits).is_ok(), "{value:e}, {bits:#018x}");
        }
    }
}
