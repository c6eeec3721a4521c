//! What sine, cosine and tangent share: taking multiples of half pi from an argument.

use super::polynomial::horner;
use crate::simd::{Float, Int, Simd};

/// Up to this magnitude arguments are reduced by vectors; beyond it, and for NaN, the functions are computed in f64, one
/// lane after another.
pub(super) const LIMIT: f32 = 131_072.0;

/// A magnitude less a multiple of half pi.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reduced<S: Simd> {
    /// From -0.791 to 0.791.
    pub(super) r: S::F32,
    /// What `r` lacks: below half its last place, or where `r` is tiny, some 2^-33.
    pub(super) low: S::F32,
    /// The square of both together.
    pub(super) square: S::F32,
    /// How many times half pi was taken, in its lowest bits.
    pub(super) quadrant: S::I32,
}

impl<S: Simd> Reduced<S> {
    /// Reduces numbers from 0 to [`LIMIT`], after Cody and Waite: half pi is the sum of three constants, and a fused
    /// multiply-add takes a multiple of each with one rounding.
    ///
    /// The first difference is exact: it is below 1 and a multiple of 2^-24. The roundings of the second product and
    /// of its difference are found again in `low`. What the constants together lack, 2^-76, is nothing beside the
    /// smallest difference, which is above 2^-32.
    #[inline(always)]
    pub(super) fn of(simd: S, magnitude: S::F32) -> Self {
        // Adding this moves the units to the lowest bit, where the sum is rounded.
        let shift = simd.f32(12_582_912.0);
        let shifted = magnitude.mul_add(simd.f32(std::f32::consts::FRAC_2_PI), shift);
        let n = shifted - shift;
        let first = n.mul_add(simd.f32(-HALF_PI[0]), magnitude);
        let second = n * simd.f32(HALF_PI[1]);
        let lost = n.mul_add(simd.f32(HALF_PI[1]), -second);
        let rest = n.mul_add(simd.f32(HALF_PI[2]), lost);
        let r = first - second;
        let low = ((first - r) - second) - rest;
        Self { r, low, square: r.mul_add(r, (r + r) * low), quadrant: shifted.bits() }
    }

    /// Whether an odd number of half pi was taken.
    #[inline(always)]
    pub(super) fn is_odd(self, simd: S) -> S::Mask {
        !(self.quadrant & simd.i32(1)).eq(simd.i32(0))
    }

    /// The sine of the magnitude, `quarters` of the circle further on, with its sign changed where the sign bit of
    /// `sign` is set.
    ///
    /// Within a quadrant, with `z` the square, the sine is `r + (r * z * S(z) + low)` and the cosine `1 + z * C(z)`. `S`
    /// has degree 2 and is the minimax fit of `(sin r - r) / r^3`, weighted by `r^3 / sin r`, for z up to 0.627; the
    /// relative error of the sine is 2^-27.8. `C` has degree 3 and is that of `(cos r - 1) / z`, weighted by `z / cos r`;
    /// the relative error of the cosine is 2^-32.8.
    #[inline(always)]
    pub(super) fn sine(self, simd: S, quarters: i32, sign: S::I32) -> S::F32 {
        let Self { r, low, square: z, quadrant } = self;
        let sine = r + (r * z).mul_add(horner(simd, z, SINE), low);
        let cosine = z.mul_add(horner(simd, z, COSINE), simd.f32(1.0));
        let turned = Self { quadrant: quadrant + simd.i32(quarters), ..self };
        let magnitude = simd.select(turned.is_odd(simd), cosine, sine);
        // The second bit of the quadrant is the sign.
        let sign = (sign ^ turned.quadrant.shl(30)) & simd.i32(i32::MIN);
        (magnitude.bits() ^ sign).as_f32()
    }
}

/// Half pi in three parts, each the nearest f32 to what those before it lack.
const HALF_PI: [f32; 3] = [f32::from_bits(0x3fc9_0fdb), f32::from_bits(0xb33b_bd2e), f32::from_bits(0xa6f7_2ced)];

/// `(sin r - r) / r^3` over the square of `r`, from the constant upwards.
const SINE: [f32; 3] = [-0.16666654, 0.008332106, -0.0001950788];

/// `(cos r - 1) / r^2` over the square of `r`, from the constant upwards.
const COSINE: [f32; 4] = [-0.5, 0.041666646, -0.00138873, 2.443053e-05];
