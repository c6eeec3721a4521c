//! Loops written by hand with AVX-512 instructions, for one machine and whole vectors: what kernels are measured against.
//!
//! They take slices whose length is a multiple of 32 and do nothing on machines without the instructions.
#![cfg(target_arch = "x86_64")]
#![expect(unsafe_code, reason = "calls AVX-512 instructions after looking for them")]

use std::arch::x86_64::*;

/// Whether this machine can run them.
pub fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
}

/// `result = a + b`.
pub fn add(a: &[f32], b: &[f32], result: &mut [f32]) {
    #[target_feature(enable = "avx512f")]
    fn run(a: &[f32], b: &[f32], result: &mut [f32]) {
        for ((a, b), result) in a.chunks_exact(16).zip(b.chunks_exact(16)).zip(result.chunks_exact_mut(16)) {
            // SAFETY: the chunk has sixteen values that may be read.
            let a = unsafe { _mm512_loadu_ps(a.as_ptr()) };
            // SAFETY: as above.
            let b = unsafe { _mm512_loadu_ps(b.as_ptr()) };
            let sum = _mm512_add_ps(a, b);
            // SAFETY: the chunk has sixteen values that may be written.
            unsafe { _mm512_storeu_ps(result.as_mut_ptr(), sum) };
        }
    }
    if is_available() {
        // SAFETY: the feature was just found.
        unsafe { run(a, b, result) }
    }
}

/// `result = max(0, x)`.
pub fn relu(x: &[f32], result: &mut [f32]) {
    #[target_feature(enable = "avx512f")]
    fn run(x: &[f32], result: &mut [f32]) {
        for (x, result) in x.chunks_exact(16).zip(result.chunks_exact_mut(16)) {
            // SAFETY: the chunk has sixteen values that may be read.
            let x = unsafe { _mm512_loadu_ps(x.as_ptr()) };
            let maximum = _mm512_max_ps(_mm512_setzero_ps(), x);
            // SAFETY: the chunk has sixteen values that may be written.
            unsafe { _mm512_storeu_ps(result.as_mut_ptr(), maximum) };
        }
    }
    if is_available() {
        // SAFETY: the feature was just found.
        unsafe { run(x, result) }
    }
}

/// Narrows to binary16, given as bits.
pub fn narrow_f16(x: &[f32], result: &mut [u16]) {
    #[target_feature(enable = "avx512f")]
    fn run(x: &[f32], result: &mut [u16]) {
        for (x, result) in x.chunks_exact(16).zip(result.chunks_exact_mut(16)) {
            // SAFETY: the chunk has sixteen values that may be read.
            let x = unsafe { _mm512_loadu_ps(x.as_ptr()) };
            let narrow = _mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(x);
            // SAFETY: the chunk has 32 bytes that may be written.
            unsafe { _mm256_storeu_si256(result.as_mut_ptr().cast(), narrow) };
        }
    }
    if is_available() {
        // SAFETY: the feature was just found.
        unsafe { run(x, result) }
    }
}

/// Widens binary16, given as bits.
pub fn widen_f16(x: &[u16], result: &mut [f32]) {
    #[target_feature(enable = "avx512f")]
    fn run(x: &[u16], result: &mut [f32]) {
        for (x, result) in x.chunks_exact(16).zip(result.chunks_exact_mut(16)) {
            // SAFETY: the chunk has 32 bytes that may be read.
            let x = unsafe { _mm256_loadu_si256(x.as_ptr().cast()) };
            let wide = _mm512_cvtph_ps(x);
            // SAFETY: the chunk has sixteen values that may be written.
            unsafe { _mm512_storeu_ps(result.as_mut_ptr(), wide) };
        }
    }
    if is_available() {
        // SAFETY: the feature was just found.
        unsafe { run(x, result) }
    }
}

/// Narrows to bfloat16, given as bits, with integer instructions.
pub fn narrow_bf16(x: &[f32], result: &mut [u16]) {
    #[target_feature(enable = "avx512f")]
    fn run(x: &[f32], result: &mut [u16]) {
        for (x, result) in x.chunks_exact(16).zip(result.chunks_exact_mut(16)) {
            // SAFETY: the chunk has sixteen values that may be read.
            let x = unsafe { _mm512_loadu_ps(x.as_ptr()) };
            let bits = _mm512_castps_si512(x);
            let last_kept = _mm512_and_si512(_mm512_srli_epi32::<16>(bits), _mm512_set1_epi32(1));
            let rounded = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF)), last_kept);
            let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(x, x);
            let quiet = _mm512_mask_or_epi32(rounded, is_nan, bits, _mm512_set1_epi32(0x0040_0000));
            let narrow = _mm512_cvtepi32_epi16(_mm512_srli_epi32::<16>(quiet));
            // SAFETY: the chunk has 32 bytes that may be written.
            unsafe { _mm256_storeu_si256(result.as_mut_ptr().cast(), narrow) };
        }
    }
    if is_available() {
        // SAFETY: the feature was just found.
        unsafe { run(x, result) }
    }
}

/// Widens bfloat16, given as bits; a NaN becomes quiet.
pub fn widen_bf16(x: &[u16], result: &mut [f32]) {
    #[target_feature(enable = "avx512f")]
    fn run(x: &[u16], result: &mut [f32]) {
        for (x, result) in x.chunks_exact(16).zip(result.chunks_exact_mut(16)) {
            // SAFETY: the chunk has 32 bytes that may be read.
            let x = unsafe { _mm256_loadu_si256(x.as_ptr().cast()) };
            let bits = _mm512_slli_epi32::<16>(_mm512_cvtepu16_epi32(x));
            let wide = _mm512_castsi512_ps(bits);
            let is_nan = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(wide, wide);
            let quiet = _mm512_mask_or_epi32(bits, is_nan, bits, _mm512_set1_epi32(0x0040_0000));
            // SAFETY: the chunk has sixteen values that may be written.
            unsafe { _mm512_storeu_si512(result.as_mut_ptr().cast(), quiet) };
        }
    }
    if is_available() {
        // SAFETY: the feature was just found.
        unsafe { run(x, result) }
    }
}

/// So many fused multiply-adds of vectors, as fast as registers allow.
pub fn multiply_add(count: u64) -> f32 {
    #[target_feature(enable = "avx512f")]
    fn run(count: u64) -> f32 {
        // More chains than an addition takes steps, in two ports.
        const CHAINS: u64 = 24;
        let (factor, mut sums) = (_mm512_set1_ps(0.5), [_mm512_setzero_ps(); CHAINS as usize]);
        let addend = _mm512_set1_ps(std::hint::black_box(1.0));
        for _ in 0..count / CHAINS {
            for sum in &mut sums {
                *sum = _mm512_fmadd_ps(*sum, factor, addend);
            }
        }
        let mut total = _mm512_setzero_ps();
        for sum in sums {
            total = _mm512_add_ps(total, sum);
        }
        _mm512_reduce_add_ps(total)
    }
    if !is_available() {
        return 0.0;
    }
    // SAFETY: the feature was just found.
    unsafe { run(count) }
}
