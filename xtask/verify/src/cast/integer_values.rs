//! The values of 32- and 64-bit integers at which a cast may go wrong.

use crate::reference::exact::patterns;
use stratal_tensor_base::DType;

/// Small integers, both signs: beyond the ranges of the 8- and 16-bit integers and past 65520, where binary16 ends.
const SMALL: i128 = 70_000;

/// How far around each power of two every integer is taken.
const NEIGHBOURS: i128 = 40;

/// Patterns of an integer dtype, in ascending order.
pub(super) fn integer_values(dtype: DType) -> Vec<u64> {
    let patterns = patterns(dtype) as i128;
    let bits = 8 * dtype.size() as u32;
    let mut values: Vec<i128> = (-SMALL..=SMALL).collect();
    for power in (0..=bits).map(|exponent| 1_i128 << exponent) {
        values.extend((-NEIGHBOURS..=NEIGHBOURS).flat_map(|step| [power + step, -power + step]));
    }
    for tie in ties(bits) {
        values.extend((-2..=2).flat_map(|step| [tie + step, -(tie + step)]));
    }
    // An odd number of steps, so that the last bits vary.
    let stride = patterns / 100_003;
    values.extend((0..100_003).map(|step| step * stride));
    let mut values: Vec<u64> = values.into_iter().map(|value| value.rem_euclid(patterns) as u64).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Integers with a one behind the place where a float's significand may end, and zeros behind it: halfway between two
/// neighbours. In front of it stand ones and zeros that make the upper or the lower neighbour even, or carry far.
fn ties(bits: u32) -> impl Iterator<Item = i128> {
    (0..bits).flat_map(move |length| {
        (0..length).flat_map(move |tie| {
            let leading = 1_i128 << length;
            let half = 1_i128 << tie;
            super::float_values::prefixes().map(move |prefix| {
                let upper = i128::from(prefix) % leading / (2 * half) * (2 * half);
                leading + upper + half
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_reach_every_boundary() {
        let values = integer_values(DType::I64);
        assert!((100_000..2_000_000).contains(&values.len()));
        for boundary in [
            0,
            -1,
            127,
            -128,
            -129,
            255,
            256,
            32_768,
            65_519,
            65_520,
            i64::from(i32::MIN) - 1,
            i64::from(u32::MAX) + 1,
            // Ties of f32 and bfloat16, and one that is only nearly a tie.
            (1 << 24) + 1,
            (1 << 40) + (1 << 32),
            (1 << 40) + (1 << 32) + 1,
            i64::MIN,
            i64::MAX,
        ] {
            assert!(values.binary_search(&boundary.cast_unsigned()).is_ok(), "{boundary}");
        }
    }

    #[test]
    fn values_fit_their_dtype() {
        let values = integer_values(DType::U32);
        assert!((100_000..2_000_000).contains(&values.len()));
        assert!(values.iter().all(|value| u32::try_from(*value).is_ok()));
    }
}
