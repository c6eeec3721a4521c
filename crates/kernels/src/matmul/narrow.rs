//! Exact sums to the dtype of the result, rounded once.

use bytemuck::cast_slice_mut;
use stratal_tensor_base::half::{f32_to_bf16, f32_to_f16};
use stratal_tensor_base::{DType, bf16, f16};

/// Rounds f64 to a float dtype, to nearest, ties to even, and writes the bytes.
///
/// A cast to a 16-bit format goes through f32 and rounds twice; this does not.
pub(crate) fn round_once(dtype: DType, sums: &[f64], to: &mut [u8]) {
    match dtype {
        DType::F64 => cast_slice_mut(to).copy_from_slice(sums),
        DType::F16 => each(sums, cast_slice_mut(to), |sum| -> f16 { f32_to_f16(to_odd(sum)) }),
        DType::BF16 => each(sums, cast_slice_mut(to), |sum| -> bf16 { f32_to_bf16(to_odd(sum)) }),
        _ => each(sums, cast_slice_mut(to), |sum| -> f32 { sum as f32 }),
    }
}

fn each<T>(sums: &[f64], to: &mut [T], round: impl Fn(f64) -> T) {
    for (to, sum) in to.iter_mut().zip(sums) {
        *to = round(*sum);
    }
}

/// The f32 beside a value, or the value itself: of the two neighbours the one whose last bit is 1.
///
/// What is rounded to odd can be rounded again to a format of at least two digits fewer as if it had never been rounded
/// (Boldo and Melquiond, "When double rounding is odd", 2005).
fn to_odd(value: f64) -> f32 {
    let near = value as f32;
    let is_exact = f64::from(near) == value || value.is_nan();
    if is_exact || near.to_bits() & 1 == 1 {
        near
    } else if f64::from(near) < value {
        near.next_up()
    } else {
        near.next_down()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f16_of(value: f64) -> u16 {
        let mut to = [0_u8; 2];
        round_once(DType::F16, &[value], &mut to);
        u16::from_le_bytes(to)
    }

    #[test]
    fn a_value_just_off_a_tie_is_not_pulled_onto_it() {
        let tie = 1.0 + 2_f64.powi(-11);
        assert_eq!(f16_of(tie), 0x3C00);
        assert_eq!(f16_of(tie + 2_f64.powi(-40)), 0x3C01);
        assert_eq!(f16_of(-(tie + 2_f64.powi(-40))), 0xBC01);
        assert_eq!(f16_of(1.0 + 3.0 * 2_f64.powi(-11) - 2_f64.powi(-40)), 0x3C01);
        // Half of the smallest subnormal number, and the least more.
        assert_eq!(f16_of(2_f64.powi(-25)), 0);
        assert_eq!(f16_of(2_f64.powi(-25).next_up()), 1);
        assert_eq!(f16_of(1e-300), 0);
        assert_eq!(f16_of(65520.0_f64.next_down()), 0x7BFF);
        assert_eq!(f16_of(65520.0), 0x7C00);
        assert_eq!(f16_of(f64::MAX), 0x7C00);
        assert_eq!(f16_of(f64::NEG_INFINITY), 0xFC00);
        assert_eq!(f16_of(f64::NAN) & 0x7E00, 0x7E00);
    }

    #[test]
    fn bfloat16_overflows_where_it_should() {
        let limit = 2_f64.powi(128) - 2_f64.powi(119);
        let mut to = [0_u8; 4];
        round_once(DType::BF16, &[limit.next_down(), limit], &mut to);
        assert_eq!(to, [0x7F, 0x7F, 0x80, 0x7F]);
    }
}
