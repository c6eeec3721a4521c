//! The reciprocal of the square root.
//!
//! +0 gives inf and -0 gives -inf, inf gives +0, numbers below zero and NaN give NaN.
//!
//! Root and quotient each round, together by up to 1.5 ulp. Both errors are known exactly as remainders, and one step of
//! Newton's method takes them out: with s near the root and y near 1/s, r = s*s - x and e = 1 - s*y, the result is
//! y + y * (e + r*y*y/2), within 0.51 ulp. Remainders of the smallest numbers would underflow, so those are scaled by 2^64
//! first.

use super::{UnaryFormula, compiled};
use crate::simd::{Float, Simd};

/// `1 / sqrt(x)`.
#[derive(Debug, Clone, Copy)]
pub struct Rsqrt;

impl UnaryFormula for Rsqrt {
    const NAME: &'static str = "rsqrt";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        let is_small = x.lt(simd.f32(SMALL));
        let scaled = simd.select(is_small, x * simd.f32(SCALE), x);
        let one = simd.f32(1.0);
        let root = scaled.sqrt();
        let near = one / root;
        let remainder_of_root = root.mul_add(root, -scaled);
        let remainder = (-root).mul_add(near, one);
        let correction = (remainder_of_root * near).mul_add(near * simd.f32(0.5), remainder);
        let better = near.mul_add(correction, near);
        // At zero and infinity there is nothing to correct, and the remainders are NaN.
        let result = simd.select(better.is_nan(), near, better);
        simd.select(is_small, result * simd.f32(ROOT_OF_SCALE), result)
    }

    #[inline(always)]
    fn f64(self, x: f64) -> f64 {
        1.0 / x.sqrt()
    }
}

compiled::unary!(Rsqrt);

/// 2^-60.
const SMALL: f32 = f32::from_bits((127 - 60) << 23);
/// 2^64.
const SCALE: f32 = f32::from_bits((127 + 64) << 23);
/// 2^32.
const ROOT_OF_SCALE: f32 = f32::from_bits((127 + 32) << 23);
