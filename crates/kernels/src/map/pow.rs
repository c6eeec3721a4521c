//! Power.
//!
//! The special cases are those of IEEE 754 (clause 9.2.1, `pow`) and C:
//!
//! | base | exponent | power |
//! |---|---|---|
//! | anything, NaN too | ±0 | 1 |
//! | 1 | anything, NaN too | 1 |
//! | -1 | ±inf | 1 |
//! | magnitude above 1, with -inf and +inf | +inf; -inf | +inf; +0 |
//! | magnitude below 1, with ±0 | +inf; -inf | +0; +inf |
//! | +0 | above 0; below 0 | +0; +inf |
//! | -0 | odd above 0; odd below 0 | -0; -inf |
//! | -0 | other above 0; other below 0 | +0; +inf |
//! | +inf | above 0; below 0 | +inf; +0 |
//! | -inf | odd above 0; odd below 0 | -inf; -0 |
//! | -inf | other above 0; other below 0 | +inf; +0 |
//! | below 0 and finite | not an integer | NaN |
//! | below 0 and finite | an odd integer | the power of the magnitude, negative |
//! | NaN, else | | NaN |
//! | else | NaN | NaN |
//!
//! # Formula
//! `x^y = 2^(y * log2 x)` in f64. Let `x = 2^k * (1 + f)` with `1 + f` in [2/3, 4/3), so that `f` is exact; then
//! `log2 x = k + f * L(f)`. With `n` the integer next to `t = y * log2 x`, the result is `2^n * E(t - n)`, rounded to f32
//! once, subnormal results too.
//!
//! `L` has degree 13 and is the minimax fit of `log2(1 + f) / f` on [-1/3, 1/3], with relative error 2^-38.5; `E` has
//! degree 7 and the constant 1 and is the minimax fit of `2^r` on [-1/2, 1/2], with relative error 2^-34.3. Up to
//! `|t| = 150`, beyond which nothing but zero and infinity is left, the relative error of the result before rounding is
//! below 2^-31, that is 2^-7 ulp. So a power that is an f32 is exact: the square of a number with twelve digits, say.
//!
//! # Error
//! At most 0.51 ulp.
//!
//! # Integers
//! Exact modulo 2^bits, by squaring. A negative exponent gives 1 for the base 1, 1 or -1 for -1, an error for 0, and 0
//! otherwise.

use super::logarithm::{Parts, is_positive_normal};
use super::polynomial::horner_f64;
use super::{BinaryFormula, Fault, compiled};
use crate::Integer;
use crate::simd::{Double, Float, Int, Mask, Simd};

/// `a` to the power of `b`.
#[derive(Debug, Clone, Copy)]
pub struct Pow;

impl BinaryFormula for Pow {
    const NAME: &'static str = "pow";

    const HAS_INTEGERS: bool = true;

    const CAN_FAIL: bool = true;

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, a: S::F32, b: S::F32) -> S::F32 {
        let magnitude = power(simd, Parts::of_positive(simd, a.abs()), b);
        // Up to this exponent the result is normal. NaN and infinity of `b` end up beyond it.
        let is_ordinary = is_positive_normal(simd, a) & magnitude.exponent.abs().le(simd.f32(125.0));
        if is_ordinary.all() {
            (magnitude.mantissa.narrow().bits() + magnitude.exponent.to_i32().shl(23)).as_f32()
        } else {
            power_of_any(simd, a, b, scaled(simd, magnitude))
        }
    }

    fn f64(self, a: f64, b: f64) -> f64 {
        libm::pow(a, b)
    }

    #[inline(always)]
    fn integer<T: Integer>(self, a: T, b: T) -> T {
        let is_odd = b.and(T::ONE) == T::ONE;
        if b < T::ZERO {
            let minus_one = T::ZERO.sub(T::ONE);
            return match (a == T::ONE, a == minus_one) {
                (true, _) => T::ONE,
                (_, true) => {
                    if is_odd {
                        minus_one
                    } else {
                        T::ONE
                    }
                }
                _ => T::ZERO,
            };
        }
        let (mut result, mut square, mut exponent) = (T::ONE, a, b);
        while exponent != T::ZERO {
            if exponent.and(T::ONE) == T::ONE {
                result = result.mul(square);
            }
            square = square.mul(square);
            exponent = exponent.shr(T::ONE);
        }
        result
    }

    #[inline(always)]
    fn fault<T: Integer>(self, a: T, b: T) -> Option<Fault> {
        (a == T::ZERO && b < T::ZERO).then_some(Fault::ZeroToNegativePower)
    }
}

compiled::binary!(Pow);

/// `mantissa * 2^exponent`.
struct Power<S: Simd> {
    /// From 0.7 to 1.5, or NaN where the power has no finite logarithm.
    mantissa: S::F64,
    /// An integer, infinity or NaN.
    exponent: S::F32,
}

/// `(2^k * (1 + f))^y`.
#[inline(always)]
fn power<S: Simd>(simd: S, Parts { k, f }: Parts<S>, y: S::F32) -> Power<S> {
    let f = f.widen();
    let log_2 = horner_f64(simd, f, L).mul_add(f, k.widen());
    let t = log_2 * y.widen();
    let n = t.round();
    Power { mantissa: horner_f64(simd, t - n, E), exponent: n.narrow() }
}

/// `a^b`, whatever they are, given the power of the magnitude where that follows from its logarithm.
#[inline(always)]
fn power_of_any<S: Simd>(simd: S, a: S::F32, b: S::F32, magnitude: S::F32) -> S::F32 {
    let (zero, one, infinity, nan) = (simd.f32(0.0), simd.f32(1.0), simd.f32(f32::INFINITY), simd.f32(f32::NAN));
    let base = a.abs();

    // Where the logarithm or the exponent is infinite, so is the power or its reciprocal.
    let is_endless = base.eq(zero) | base.eq(infinity) | b.abs().eq(infinity);
    let grows = base.gt(one) ^ b.lt(zero);
    let magnitude = simd.select(is_endless, simd.select(grows, infinity, zero), magnitude);
    let magnitude = simd.select(base.eq(one), one, magnitude);

    // Large numbers are even integers, and so is infinity.
    let half = b * simd.f32(0.5);
    let is_integer = b.trunc().eq(b);
    let is_odd = is_integer & !half.trunc().eq(half);
    let sign = a.bits() & simd.i32(i32::MIN);
    let power = simd.select(is_odd, (magnitude.bits() | sign).as_f32(), magnitude);

    let has_no_power = a.lt(zero) & a.gt(-infinity) & !is_integer;
    let power = simd.select(has_no_power | a.is_nan() | b.is_nan(), nan, power);
    simd.select(a.eq(one) | b.eq(zero), one, power)
}

/// The power as f32, rounded once: the exponent is applied before, in two steps that are normal f32.
#[inline(always)]
fn scaled<S: Simd>(simd: S, Power { mantissa, exponent }: Power<S>) -> S::F32 {
    // Beyond this nothing changes; a NaN becomes a number.
    let exponent = exponent.max(simd.f32(-250.0)).min(simd.f32(250.0)).to_i32();
    let half = exponent.shr(1);
    (mantissa * power_of_2(simd, half) * power_of_2(simd, exponent - half)).narrow()
}

/// `2^exponent`, which is a normal f32.
#[inline(always)]
fn power_of_2<S: Simd>(simd: S, exponent: S::I32) -> S::F64 {
    (exponent + simd.i32(127)).shl(23).as_f32().widen()
}

/// `log2(1 + f) / f`, from the constant upwards.
const L: [f64; 14] = [
    1.44269504089257,
    -0.7213475204690971,
    0.4808983438071365,
    -0.3606737519064719,
    0.2885394579028283,
    -0.2404499813821802,
    0.20607535403380195,
    -0.18030249534117668,
    0.16090195967209356,
    -0.145014024342008,
    0.12347708620775008,
    -0.11172783965736331,
    0.15779862822010285,
    -0.15057531654984532,
];

/// `2^r`, from the constant upwards.
const E: [f64; 8] = [
    1.0,
    0.6931471807045344,
    0.2402265106656915,
    0.055504103659859395,
    0.009618038131127285,
    0.0013333935058464752,
    0.00015466756560397868,
    1.5196155779355637e-05,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::formula_tests::{assert_pairs, assert_same, at_pair};

    const INFINITY: f32 = f32::INFINITY;
    const NAN: f32 = f32::NAN;

    #[test]
    fn special_values() {
        for (a, b, expected) in [
            (NAN, 0.0, 1.0),
            (NAN, -0.0, 1.0),
            (INFINITY, 0.0, 1.0),
            (0.0, -0.0, 1.0),
            (1.0, NAN, 1.0),
            (1.0, -INFINITY, 1.0),
            (-1.0, INFINITY, 1.0),
            (-1.0, -INFINITY, 1.0),
            (2.0, INFINITY, INFINITY),
            (-2.0, -INFINITY, 0.0),
            (0.5, INFINITY, 0.0),
            (-0.5, -INFINITY, INFINITY),
            (0.0, -INFINITY, INFINITY),
            (-0.0, INFINITY, 0.0),
            (0.0, 3.0, 0.0),
            (0.0, -3.0, INFINITY),
            (-0.0, 3.0, -0.0),
            (-0.0, -3.0, -INFINITY),
            (-0.0, 2.0, 0.0),
            (-0.0, -2.0, INFINITY),
            (-0.0, 0.5, 0.0),
            (-0.0, -0.5, INFINITY),
            (INFINITY, 0.5, INFINITY),
            (INFINITY, -0.5, 0.0),
            (-INFINITY, 3.0, -INFINITY),
            (-INFINITY, -3.0, -0.0),
            (-INFINITY, 2.0, INFINITY),
            (-INFINITY, -2.5, 0.0),
            (-8.0, 1.0 / 3.0, NAN),
            (-2.0, 3.0, -8.0),
            (-2.0, -3.0, -0.125),
            (-2.0, 4.0, 16.0),
            (-1.0, 16_777_215.0, -1.0),
            (-1.0, 16_777_216.0, 1.0),
            (-1.0, 8_388_607.5, NAN),
            (NAN, 1.0, NAN),
            (2.0, NAN, NAN),
            (0.0, NAN, NAN),
            (NAN, INFINITY, NAN),
            (f32::from_bits(1), -1.0, INFINITY),
            (f32::from_bits(1), 1.0, f32::from_bits(1)),
            (2.0, -149.0, f32::from_bits(1)),
            (2.0, -150.0, 0.0),
            (2.0, 127.0, 1.701_411_8e38),
            (2.0, 128.0, INFINITY),
            (-2.0, 129.0, -INFINITY),
            (f32::MAX, 1.0, f32::MAX),
            (f32::MAX, 1.0_f32.next_up(), INFINITY),
            (10.0, f32::MAX, INFINITY),
            (-10.0, -f32::MAX, 0.0),
            (1.0_f32.next_down(), f32::MAX, 0.0),
        ] {
            assert_same(at_pair(Pow, a, b), expected, &(a, b));
        }
    }

    #[test]
    fn powers_that_are_floats_are_exact() {
        for base in -4095_i16..=4095 {
            let base = f32::from(base);
            assert_same(at_pair(Pow, base, 2.0), base * base, &base);
            assert_same(at_pair(Pow, base, 1.0), base, &base);
            assert_same(at_pair(Pow, base * base, 0.5), base.abs(), &base);
        }
    }

    #[test]
    fn sample_is_accurate_and_the_same_everywhere() {
        let mut pairs = Vec::new();
        // All sizes of base, with exponents that take the result from below zero's neighbour to above the greatest.
        for bits in (0..f32::INFINITY.to_bits()).step_by(9_999_991) {
            let base = f32::from_bits(bits);
            for result in -155..=130 {
                pairs.push((base, (f64::from(result) / f64::from(base).log2()) as f32));
            }
        }
        // Bases next to 1, where the logarithm cancels; and integers of both signs.
        for step in -200_i16..=200 {
            for exponent in [1e3, -1e5, 3e6, 0.3] {
                pairs.push((1.0 + f32::from(step) * f32::EPSILON, exponent));
            }
            for exponent in -20_i16..=20 {
                pairs.push((f32::from(step), f32::from(exponent)));
                pairs.push((f32::from(step), f32::from(exponent) / 2.0));
            }
        }
        assert_pairs(Pow, 0.51, f64::powf, &pairs);
    }
}
