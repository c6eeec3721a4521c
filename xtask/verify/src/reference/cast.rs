//! The cast table between all 13 dtypes, on exact values.

use stratal_tensor_base::{DType, DTypeKind};

use super::{
    exact::{Exact, patterns},
    format::FloatFormat,
};

/// What a cast must give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Expected {
    /// The pattern that `cast` returns.
    pub(crate) cast: u64,
    /// Why `try_cast` refuses; otherwise it returns the same pattern.
    pub(crate) refusal: Option<Refusal>,
}

/// Why a strict cast refuses a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    NotANumber,
    OutOfRange,
    Bool,
}

/// The cast of the value with this pattern.
pub(crate) fn expected(source: DType, target: DType, pattern: u64) -> Expected {
    let value = Exact::decode(source, pattern);
    let cast = if target == DType::Bool {
        u64::from(!value.is_zero())
    } else if source == target {
        pattern
    } else if let Some(format) = FloatFormat::of(target) {
        let value = if source == DType::F64 && target.size() == 2 {
            // Reaches the 16-bit types through f32, and so rounds twice.
            Exact::decode(DType::F32, value.round(FloatFormat::BINARY32))
        } else {
            value
        };
        value.round(format)
    } else {
        let whole = value.truncate().unwrap_or(0);
        let (least, most) = range(target);
        let kept = if source.is_float() { whole.clamp(least, most) } else { whole };
        // Two's complement is the residue modulo the number of patterns.
        kept.rem_euclid(patterns(target) as i128) as u64
    };
    Expected { cast, refusal: refusal(source, target, value) }
}

fn refusal(source: DType, target: DType, value: Exact) -> Option<Refusal> {
    if source == DType::Bool || target == DType::Bool {
        return Some(Refusal::Bool);
    }
    if !target.is_integer() {
        return None;
    }
    let Some(whole) = value.truncate() else {
        return Some(Refusal::NotANumber);
    };
    let (least, most) = range(target);
    (whole < least || whole > most).then_some(Refusal::OutOfRange)
}

/// The smallest and the largest value of an integer dtype.
fn range(dtype: DType) -> (i128, i128) {
    let patterns = patterns(dtype) as i128;
    match dtype.kind() {
        DTypeKind::Signed => (-patterns / 2, patterns / 2 - 1),
        _ => (0, patterns - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cast(source: DType, target: DType, pattern: u64) -> u64 {
        expected(source, target, pattern).cast
    }

    fn refused(source: DType, target: DType, pattern: u64) -> Option<Refusal> {
        expected(source, target, pattern).refusal
    }

    #[test]
    fn floats_saturate_and_integers_wrap() {
        let f32_bits = |value: f32| u64::from(value.to_bits());
        assert_eq!(cast(DType::F32, DType::U8, f32_bits(300.7)), 255);
        assert_eq!(cast(DType::F32, DType::I8, f32_bits(-300.7)), 0x80);
        assert_eq!(cast(DType::F32, DType::I8, f32_bits(-1.9)), 0xFF);
        assert_eq!(cast(DType::F32, DType::I64, f32_bits(f32::NAN)), 0);
        assert_eq!(cast(DType::I32, DType::U8, 300), 44);
        assert_eq!(cast(DType::I8, DType::U64, 0xFF), u64::MAX);
    }

    #[test]
    fn rounding_happens_once_from_integers_and_twice_from_f64() {
        // Just above a tie of bfloat16, by less than f32 can tell.
        let above = (1_u64 << 40) + (1 << 32) + 1;
        assert_eq!(cast(DType::I64, DType::BF16, above), 0x5381);
        assert_eq!(cast(DType::F64, DType::BF16, (above as f64).to_bits()), 0x5380);
    }

    #[test]
    fn truth_is_to_differ_from_zero() {
        assert_eq!(cast(DType::F16, DType::Bool, 0x8000), 0);
        assert_eq!(cast(DType::F16, DType::Bool, 0x7E00), 1);
        assert_eq!(cast(DType::Bool, DType::Bool, 7), 1);
        assert_eq!(cast(DType::Bool, DType::F16, 7), 0x3C00);
    }

    #[test]
    fn nan_bits_survive_the_way_to_the_same_type_only() {
        assert_eq!(cast(DType::F32, DType::F32, 0x7F80_0001), 0x7F80_0001);
        assert_eq!(cast(DType::F32, DType::F64, 0x7F80_0001), 0x7FF8_0000_2000_0000);
        assert_eq!(cast(DType::F64, DType::F32, 0xFFF0_0000_2000_0000), 0xFFC0_0001);
    }

    #[test]
    fn strict_casts_refuse_what_leaves_the_range() {
        let f64_bits = f64::to_bits;
        assert_eq!(refused(DType::F64, DType::U8, f64_bits(-0.99)), None);
        let out_of_range = Some(Refusal::OutOfRange);
        assert_eq!(refused(DType::F64, DType::U8, f64_bits(-1.0)), out_of_range);
        assert_eq!(refused(DType::F64, DType::I64, f64_bits(2_f64.powi(63))), out_of_range);
        assert_eq!(refused(DType::F64, DType::I64, f64_bits(-2_f64.powi(63))), None);
        assert_eq!(refused(DType::I32, DType::U32, 0xFFFF_FFFF), out_of_range);
        assert_eq!(refused(DType::F16, DType::I32, 0x7C01), Some(Refusal::NotANumber));
        assert_eq!(refused(DType::F64, DType::F16, f64_bits(1e300)), None);
        assert_eq!(refused(DType::Bool, DType::Bool, 1), Some(Refusal::Bool));
    }
}
