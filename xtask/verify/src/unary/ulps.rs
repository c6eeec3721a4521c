//! The error of a result in ulps.

/// How far a result is from the exact one, in units of the last place of an f32 of that size; of subnormal numbers, and
/// of zero, in multiples of 2^-149. Infinite for a wrong kind of result: a NaN that should be none or none where one
/// should be, a zero or an infinity of the wrong sign, an infinity that should be finite.
#[inline(always)]
pub(crate) fn ulps(got: f32, exact: f64) -> f64 {
    if exact.is_nan() || got.is_nan() {
        return if exact.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    // A zero must have the sign of what it stands for.
    if got == 0.0 && got.is_sign_negative() != exact.is_sign_negative() {
        return f64::INFINITY;
    }
    if exact.is_infinite() {
        return if f64::from(got) == exact { 0.0 } else { f64::INFINITY };
    }
    // Infinity stands for the power of two behind the greatest number: half an ulp before it rounding begins to give
    // infinity, and what lies beyond it has no other result.
    const BEYOND: f64 = (1_u128 << 127) as f64 * 2.0;
    let got = if got.is_infinite() { BEYOND.copysign(got.into()) } else { f64::from(got) };
    let exact = exact.clamp(-BEYOND, BEYOND);
    let exponent = (exact.to_bits() >> 52 & 0x7FF).clamp(LOWEST, HIGHEST) - 23;
    let ulp = f64::from_bits(exponent << 52);
    (got - exact).abs() / ulp
}

/// The largest error, or infinity where something is not finite or a zero may have the wrong sign: then look closer.
pub(crate) fn largest(got: &[f32], exact: &[f64]) -> f64 {
    let mut largest = 0.0;
    let mut are_plain = true;
    for (got, exact) in got.iter().zip(exact) {
        let are_nan = got.is_nan() & exact.is_nan();
        let is_zero_right = (*got != 0.0) | (got.is_sign_negative() == exact.is_sign_negative());
        are_plain &= are_nan | (got.is_finite() & exact.is_finite() & is_zero_right);
        let exponent = (exact.to_bits() >> 52 & 0x7FF).clamp(LOWEST, HIGHEST) - 23;
        let per_ulp = f64::from_bits((2046 - exponent) << 52);
        let error = (f64::from(*got) - exact).abs() * per_ulp;
        largest = if error > largest { error } else { largest };
    }
    if are_plain { largest } else { f64::INFINITY }
}

/// The exponents of normal f32, as those of f64 are written.
const LOWEST: u64 = 897;
const HIGHEST: u64 = 1150;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_of_a_list_is_that_of_one() {
        let ulp = f64::from(f32::EPSILON);
        assert_eq!(largest(&[1.0, 2.0, f32::NAN], &[1.0 + ulp, 2.0 + ulp, f64::NAN]), ulps(1.0, 1.0 + ulp));
        assert_eq!(largest(&[1e-45], &[1e-45]), ulps(1e-45, 1e-45));
        for (got, exact) in [(f32::NAN, 1.0), (0.0, -0.0), (f32::INFINITY, 1e39), (1.0, f64::NAN)] {
            assert_eq!(largest(&[got], &[exact]), f64::INFINITY);
        }
    }

    #[test]
    fn errors_are_counted_in_the_last_place_of_the_exact_result() {
        let ulp = f64::from(f32::EPSILON);
        assert_eq!(ulps(1.0, 1.0), 0.0);
        assert_eq!(ulps(1.0, 1.0 + ulp / 2.0), 0.5);
        assert_eq!(ulps(1.0, 1.0 - ulp / 2.0), 1.0);
        assert_eq!(ulps(-1.0, -1.0 - 2.0 * ulp), 2.0);
        let smallest = f32::from_bits(1);
        assert_eq!(ulps(smallest, 0.0), 1.0);
        assert_eq!(ulps(0.0, f64::from(smallest) / 4.0), 0.25);
        assert_eq!(ulps(f32::MIN_POSITIVE, f64::from(f32::MIN_POSITIVE.next_down())), 1.0);
    }

    #[test]
    fn overflow_is_right_from_half_an_ulp_on() {
        let half = f64::from(f32::MAX) / f64::from(0x00FF_FFFF) / 2.0;
        assert_eq!(ulps(f32::INFINITY, f64::from(f32::MAX) + half), 0.5);
        assert_eq!(ulps(f32::INFINITY, f64::from(f32::MAX)), 1.0);
        assert_eq!(ulps(f32::INFINITY, 1e300), 0.0);
        assert_eq!(ulps(f32::MAX, 1e300), 1.0);
        assert_eq!(ulps(f32::NEG_INFINITY, f64::NEG_INFINITY), 0.0);
    }

    #[test]
    fn the_wrong_kind_of_result_is_infinitely_off() {
        assert_eq!(ulps(f32::NAN, f64::NAN), 0.0);
        for (got, exact) in [
            (f32::NAN, 1.0),
            (1.0, f64::NAN),
            (f32::NAN, f64::INFINITY),
            (0.0, -0.0),
            (-0.0, 1e-300),
            (f32::MAX, f64::INFINITY),
            (f32::INFINITY, f64::NEG_INFINITY),
        ] {
            assert_eq!(ulps(got, exact), f64::INFINITY, "{got} for {exact}");
        }
        assert!(ulps(f32::INFINITY, 1.0) > 1e30);
    }
}
