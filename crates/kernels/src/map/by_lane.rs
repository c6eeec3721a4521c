//! The way out for rare inputs and rare functions: one lane after another.

use crate::simd::{Float, LANES, Mask, Simd};

/// `rule(x)`, which is NaN for NaN.
#[inline(always)]
pub(super) fn all<S: Simd>(simd: S, x: S::F32, rule: fn(f32) -> f32) -> S::F32 {
    replace(simd, !x.is_nan(), x, x, rule)
}

/// `rule(x)` where the mask is true, and `otherwise` elsewhere.
#[inline(always)]
pub(super) fn replace<S: Simd>(simd: S, mask: S::Mask, x: S::F32, otherwise: S::F32, rule: fn(f32) -> f32) -> S::F32 {
    let (mut chosen, mut inputs, mut results) = ([0; LANES], [0.0; LANES], [0.0; LANES]);
    mask.store(&mut chosen);
    x.store(&mut inputs);
    otherwise.store(&mut results);
    replace_in_arrays(&chosen, &inputs, &mut results, rule);
    simd.load(&results)
}

/// A function of its own, since it has no vectors and should not take room in the loop that may seldom call it.
#[inline(never)]
fn replace_in_arrays(chosen: &[u8; LANES], inputs: &[f32; LANES], results: &mut [f32; LANES], rule: fn(f32) -> f32) {
    for ((chosen, input), result) in chosen.iter().zip(inputs).zip(results) {
        if *chosen != 0 {
            *result = rule(*input);
        }
    }
}
