//! The logistic function for the operations that are built on it, as sums of a float and a small correction.
//!
//! For a ≥ 0 all work goes to 1/(1 + e^a), the smaller of σ(-a) and σ(a); the larger is 1 minus that, which loses nothing.
//! With a = n·ln 2 + r and q = e^r - 1 the denominator is D = (2^n + 1) + 2^n·q: the first summand is exact up to n = 23,
//! the fused multiply-add rounds once, and a second one gives what it lost. From the quotient 1/D and the remainder of that
//! division, also exact, comes a correction for all that was lost. Above [`TAIL`], which is rare, 1/(1 + e^a) is
//! e^-a - e^-2a to far more than an f32 can hold.

use super::exponential::{Split, exp_sum, expm1, expm1_less_r};
use crate::simd::{Float, Simd};

/// Up to here [`small`] is right, above it [`tail`].
pub(super) const TAIL: f32 = 16.25;

/// 1/(1 + e^a) = quotient·(1 + gain), where gain is below two ulps of 1.
pub(super) struct Small<S: Simd> {
    /// 1/D.
    pub(super) quotient: S::F32,
    /// What the quotient and D lost by rounding.
    pub(super) gain: S::F32,
}

/// 1/(1 + e^a), for a up to [`TAIL`]; more is unspecified.
///
/// `FINE` leaves out the rounding of q, for results that are multiplied: 2^n·q is summed from 2^n·r and 2^n·(q - r).
#[inline(always)]
pub(super) fn small<S: Simd, const FINE: bool>(simd: S, a: Split<S>) -> Small<S> {
    let one = simd.f32(1.0);
    let power = a.power();
    let sum = power + one;
    let (denominator, lost) = if FINE {
        let rest = expm1_less_r(simd, a.r);
        let denominator = power.mul_add(a.r + rest, sum);
        (denominator, power.mul_add(rest, power.mul_add(a.r, sum - denominator)))
    } else {
        let q = expm1(simd, a.r);
        let denominator = power.mul_add(q, sum);
        (denominator, power.mul_add(q, sum - denominator))
    };
    let quotient = one / denominator;
    let remainder = (-quotient).mul_add(denominator, one);
    Small { quotient, gain: (-quotient).mul_add(lost, remainder) }
}

impl<S: Simd> Small<S> {
    /// 1/(1 + e^a).
    #[inline(always)]
    pub(super) fn value(&self) -> S::F32 {
        self.gain.mul_add(self.quotient, self.quotient)
    }

    /// `factor`·σ(x), where this was made from |x| and `negative` tells the sign of x: rounded little more than once.
    #[inline(always)]
    pub(super) fn times(&self, simd: S, negative: S::Mask, factor: S::F32) -> S::F32 {
        share(simd, [self.quotient, self.gain * self.quotient], negative, factor)
    }
}

/// `factor`·(high + low) where `negative`, elsewhere `factor`·(1 - high - low), for high within 0..=1/2 and low small
/// beside it: rounded little more than once.
#[inline(always)]
pub(super) fn share<S: Simd>(simd: S, [high, low]: [S::F32; 2], negative: S::Mask, factor: S::F32) -> S::F32 {
    let one = simd.f32(1.0);
    let difference = one - high;
    let lost = (one - difference) - high;
    let high = simd.select(negative, high, difference);
    let low = simd.select(negative, low, lost - low);
    factor.mul_add(high, factor * low)
}

/// 1/(1 + e^a) = 2^n·(high + low) for a above [`TAIL`], given the split of -a: high, low and n.
#[inline(always)]
pub(super) fn tail<S: Simd>(simd: S, minus_a: Split<S>) -> [S::F32; 3] {
    let [high, low] = exp_sum(simd, minus_a.r);
    let p = high + low;
    [high, low - p * p.scale(minus_a.n), minus_a.n]
}
