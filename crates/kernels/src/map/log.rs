//! Natural logarithm.
//!
//! `log(1) = +0`, `log(±0) = -inf`, `log(+inf) = +inf`; NaN for what is below zero and for NaN. Subnormal inputs are
//! numbers like others.
//!
//! # Formula
//! `x = 2^k * (1 + f)` with `1 + f` in [2/3, 4/3), so that `f` is exact, and `log x = k * log 2 + log(1 + f)` with
//! `log(1 + f) = f + f^2 * R(f)`. The product `k * log 2` uses two constants, of which the first has so few digits that
//! the product is exact; what is lost in adding it to `f` is found again and added to the small terms. So one rounding
//! of the last addition remains, and the errors of terms that are a fraction of the result.
//!
//! `R` has degree 8 and the constant -1/2. It is the minimax fit of `(log(1 + f) - f) / f^2` on [-1/3, 1/3], weighted by
//! `f^2 / log(1 + f)` (the relative error of the result is 2^-27.7), its coefficients rounded to f32 one after another,
//! the rest fitted again each time.
//!
//! # Error
//! At most 0.883 ulp over all 2^32 inputs.

use super::logarithm::{Parts, is_positive_normal};
use super::polynomial::horner;
use super::{UnaryFormula, compiled};
use crate::simd::{Float, Mask, Simd};

/// `log(x)`, to the base e.
#[derive(Debug, Clone, Copy)]
pub struct Log;

impl UnaryFormula for Log {
    const NAME: &'static str = "log";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        if is_positive_normal(simd, x).all() {
            log_of_parts(simd, Parts::of_normal(simd, x))
        } else {
            log_of_any(simd, x)
        }
    }

    fn f64(self, x: f64) -> f64 {
        libm::log(x)
    }
}

compiled::unary!(Log);

/// The first fifteen digits of log 2: their product with an exponent, which has eight, is exact.
const LOG_2_HIGH: f32 = 0.693_145_75;
/// What `LOG_2_HIGH` lacks.
const LOG_2_LOW: f32 = 1.428_606_8e-6;

/// `(log(1 + f) - f) / f^2`, from the constant upwards.
const R: [f32; 9] =
    [-0.5, 0.33333215, -0.24999806, 0.20010427, -0.16680196, 0.14005734, -0.121874794, 0.13984594, -0.1288004];

/// The logarithm of `2^k * (1 + f)`.
#[inline(always)]
fn log_of_parts<S: Simd>(simd: S, Parts { k, f }: Parts<S>) -> S::F32 {
    let f2 = f * f;
    let r = horner(simd, f, R);
    let high = k.mul_add(simd.f32(LOG_2_HIGH), f);
    let lost = f - k.mul_add(simd.f32(-LOG_2_HIGH), high);
    high + r.mul_add(f2, k.mul_add(simd.f32(LOG_2_LOW), lost))
}

/// The logarithm of any number.
#[inline(always)]
fn log_of_any<S: Simd>(simd: S, x: S::F32) -> S::F32 {
    let zero = simd.f32(0.0);
    let log = log_of_parts(simd, Parts::of_positive(simd, x));
    let is_finite = x.lt(simd.f32(f32::INFINITY));
    let not_positive = simd.select(x.eq(zero), simd.f32(f32::NEG_INFINITY), simd.f32(f32::NAN));
    simd.select(x.gt(zero), simd.select(is_finite, log, x), not_positive)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::formula_tests::{assert_error_within, assert_same_bits, assert_values};

    #[test]
    fn special_values() {
        let (infinity, nan) = (f32::INFINITY, f32::NAN);
        assert_values(
            Log,
            &[
                (0.0, -infinity),
                (-0.0, -infinity),
                (1.0, 0.0),
                (infinity, infinity),
                (-infinity, nan),
                (nan, nan),
                (-1.0, nan),
                (-f32::from_bits(1), nan),
                (f32::from_bits(1), -103.278_93),
                (f32::MIN_POSITIVE, -87.336_55),
                (f32::MAX, 88.722_84),
                (std::f32::consts::E, 1.0),
                (1.0_f32.next_up(), 1.192_092_8e-7),
                (1.0_f32.next_down(), -5.960_464_8e-8),
            ],
        );
    }

    #[test]
    fn sample_is_accurate_and_the_same_everywhere() {
        assert_same_bits(Log);
        assert_error_within(Log, 0.883, f64::ln);
    }
}
