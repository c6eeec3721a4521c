//! The vocabulary with AVX-512: one register holds the sixteen lanes.
#![expect(unsafe_code, reason = "calls AVX-512 instructions, which its token proves to exist")]

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

use super::{Double, Float, Int, LANES, Mask, Simd, Streaming, Task, bfloat16};

/// The proof that this machine has AVX-512 F, BW, DQ and VL, and what came before: AVX2, FMA and F16C. With `VNNI`, also that
/// it has the extension of that name, whose instructions are dot products of bytes.
///
/// Only [`detect`](Self::detect) and [`with_vnni`](Self::with_vnni) make one.
#[derive(Debug, Clone, Copy)]
pub struct Avx512<const VNNI: bool = false>(());

impl Avx512 {
    /// The token, if this machine has the instructions.
    pub fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c");
        found.then_some(Self(()))
    }

    /// The token with the instructions for dot products of bytes, if this machine has them.
    pub fn with_vnni(self) -> Option<Avx512<true>> {
        is_x86_feature_detected!("avx512vnni").then_some(Avx512(()))
    }
}

impl Avx512<true> {
    /// The token without the instructions for dot products of bytes.
    pub const fn without_vnni(self) -> Avx512 {
        Avx512(())
    }
}

// Fields are private, and each value below comes from a method of the token or of a value made before: who has one, has
// the proof that the instructions exist.

/// Sixteen f32.
#[derive(Debug, Clone, Copy)]
pub struct F32(__m512);

/// Sixteen i32.
#[derive(Debug, Clone, Copy)]
pub struct I32(__m512i);

/// Sixteen f64, the lower eight first.
#[derive(Debug, Clone, Copy)]
pub struct F64([__m512d; 2]);

/// Sixteen truths, one bit a lane.
#[derive(Debug, Clone, Copy)]
pub struct Bits(__mmask16);

/// Calls instructions that take and give registers.
macro_rules! avx512 {
    ($instructions:expr) => {{
        // SAFETY: the instructions need the features that `Avx512::detect` looks for, and touch no memory. A token, or a
        // value that only a token can make, is at hand wherever this macro is used.
        unsafe { $instructions }
    }};
}

impl<const VNNI: bool> Simd for Avx512<VNNI> {
    type F32 = F32;
    type I32 = I32;
    type F64 = F64;
    type Mask = Bits;

    #[inline(always)]
    fn vectorize<T: Task>(self, task: T) -> T::Output {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
        fn enter<const VNNI: bool, T: Task>(token: Avx512<VNNI>, task: T) -> T::Output {
            task.run(token)
        }
        #[target_feature(enable = "avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")]
        fn enter_vnni<const VNNI: bool, T: Task>(token: Avx512<VNNI>, task: T) -> T::Output {
            task.run(token)
        }
        if VNNI {
            // SAFETY: the token proves that the machine has each of the features, VNNI included as it says so.
            unsafe { enter_vnni(self, task) }
        } else {
            // SAFETY: the token proves that the machine has each of the features.
            unsafe { enter(self, task) }
        }
    }

    #[inline(always)]
    fn f32(self, value: f32) -> F32 {
        F32(avx512!(_mm512_set1_ps(value)))
    }

    #[inline(always)]
    fn i32(self, value: i32) -> I32 {
        I32(avx512!(_mm512_set1_epi32(value)))
    }

    #[inline(always)]
    fn f64(self, value: f64) -> F64 {
        F64([avx512!(_mm512_set1_pd(value)); 2])
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> F32 {
        // SAFETY: the reference is to sixteen values that may be read, and the instruction asks for no alignment; the
        // token proves that it exists.
        F32(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn load_i32(self, from: &[i32; LANES]) -> I32 {
        // SAFETY: as for `load`.
        I32(unsafe { _mm512_loadu_si512(from.as_ptr().cast()) })
    }

    #[inline(always)]
    fn load_f64(self, from: &[f64; LANES]) -> F64 {
        let (lower, upper) = from.split_at(LANES / 2);
        // SAFETY: each slice has eight values that may be read, and the instruction asks for no alignment; the token
        // proves that it exists.
        F64([unsafe { _mm512_loadu_pd(lower.as_ptr()) }, unsafe { _mm512_loadu_pd(upper.as_ptr()) }])
    }

    #[inline(always)]
    fn load_u8(self, from: &[u8; LANES]) -> I32 {
        I32(avx512!(_mm512_cvtepu8_epi32(load_128(self, from))))
    }

    #[inline(always)]
    fn load_u16(self, from: &[u16; LANES]) -> I32 {
        I32(avx512!(_mm512_cvtepu16_epi32(load_256(self, from))))
    }

    #[inline(always)]
    fn load_f16(self, from: &[u16; LANES]) -> F32 {
        F32(avx512!(_mm512_cvtph_ps(load_256(self, from))))
    }

    #[inline(always)]
    fn load_mask(self, from: &[u8; LANES]) -> Bits {
        let bytes = load_128(self, from);
        Bits(avx512!(_mm_test_epi8_mask(bytes, bytes)))
    }

    #[inline(always)]
    fn prefetch<T>(self, place: &T) {
        // SAFETY: a prefetch changes nothing that a program can see, and any address will do; the token proves that the
        // instruction exists.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
    }

    #[inline(always)]
    fn select(self, mask: Bits, then: F32, otherwise: F32) -> F32 {
        F32(avx512!(_mm512_mask_blend_ps(mask.0, otherwise.0, then.0)))
    }

    #[inline(always)]
    fn deinterleave(self, first: F32, second: F32) -> [F32; 2] {
        let even = avx512!(_mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30));
        let odd = avx512!(_mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31));
        [even, odd].map(|lanes| F32(avx512!(_mm512_permutex2var_ps(first.0, lanes, second.0))))
    }

    #[inline(always)]
    fn transpose(self, rows: [I32; LANES]) -> [I32; LANES] {
        let mut a = rows.map(|row| row.0);
        // Neighbouring rows are interleaved, then pairs of rows, then quarters of registers twice.
        let mut b = a;
        for i in (0..LANES).step_by(2) {
            b[i] = avx512!(_mm512_unpacklo_epi32(a[i], a[i + 1]));
            b[i + 1] = avx512!(_mm512_unpackhi_epi32(a[i], a[i + 1]));
        }
        for i in (0..LANES).step_by(4) {
            a[i] = avx512!(_mm512_unpacklo_epi64(b[i], b[i + 2]));
            a[i + 1] = avx512!(_mm512_unpackhi_epi64(b[i], b[i + 2]));
            a[i + 2] = avx512!(_mm512_unpacklo_epi64(b[i + 1], b[i + 3]));
            a[i + 3] = avx512!(_mm512_unpackhi_epi64(b[i + 1], b[i + 3]));
        }
        for i in [0, 1, 2, 3, 8, 9, 10, 11] {
            b[i] = avx512!(_mm512_shuffle_i32x4::<0b10_00_10_00>(a[i], a[i + 4]));
            b[i + 4] = avx512!(_mm512_shuffle_i32x4::<0b11_01_11_01>(a[i], a[i + 4]));
        }
        for i in 0..LANES / 2 {
            a[i] = avx512!(_mm512_shuffle_i32x4::<0b10_00_10_00>(b[i], b[i + 8]));
            a[i + 8] = avx512!(_mm512_shuffle_i32x4::<0b11_01_11_01>(b[i], b[i + 8]));
        }
        a.map(I32)
    }

    #[inline(always)]
    fn select_i32(self, mask: Bits, then: I32, otherwise: I32) -> I32 {
        I32(avx512!(_mm512_mask_blend_epi32(mask.0, otherwise.0, then.0)))
    }

    #[inline(always)]
    fn add_dots(self, a: I32, b: I32, sum: I32) -> I32 {
        if VNNI {
            // SAFETY: only `with_vnni` makes a token that says so, and proves with it that the instruction exists.
            return I32(unsafe { _mm512_dpbusd_epi32(sum.0, a.0, b.0) });
        }
        // Bytes are widened to 16 bits, those of even and of odd position apart: products of pairs are then added in 32 bits.
        // The instruction that multiplies bytes themselves saturates.
        let (a_even, a_odd) =
            (avx512!(_mm512_and_si512(a.0, _mm512_set1_epi16(0xFF))), avx512!(_mm512_srli_epi16::<8>(a.0)));
        let (b_even, b_odd) =
            (avx512!(_mm512_srai_epi16::<8>(_mm512_slli_epi16::<8>(b.0))), avx512!(_mm512_srai_epi16::<8>(b.0)));
        let even = avx512!(_mm512_add_epi32(sum.0, _mm512_madd_epi16(a_even, b_even)));
        I32(avx512!(_mm512_add_epi32(even, _mm512_madd_epi16(a_odd, b_odd))))
    }
}

impl Float for F32 {
    type Int = I32;
    type Double = F64;
    type Mask = Bits;

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        // SAFETY: the reference is to sixteen values that may be written, and the instruction asks for no alignment; the
        // value proves that it exists.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn store_f16(self, to: &mut [u16; LANES]) {
        store_256(avx512!(_mm512_cvtps_ph::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0)), to);
    }

    #[inline(always)]
    fn store_bf16(self, to: &mut [u16; LANES]) {
        // The value proves what the token would.
        bfloat16::store(Avx512::<false>(()), self, to);
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Self(avx512!(_mm512_fmadd_ps(self.0, factor.0, addend.0)))
    }

    #[inline(always)]
    fn scale(self, exponent: Self) -> Self {
        Self(avx512!(_mm512_scalef_ps(self.0, exponent.0)))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(avx512!(_mm512_sqrt_ps(self.0)))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(avx512!(_mm512_abs_ps(self.0)))
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self(avx512!(_mm512_min_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(avx512!(_mm512_max_ps(self.0, other.0)))
    }

    #[inline(always)]
    fn round(self) -> Self {
        Self(avx512!(_mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0)))
    }

    #[inline(always)]
    fn floor(self) -> Self {
        Self(avx512!(_mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(self.0)))
    }

    #[inline(always)]
    fn ceil(self) -> Self {
        Self(avx512!(_mm512_roundscale_ps::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(self.0)))
    }

    #[inline(always)]
    fn trunc(self) -> Self {
        Self(avx512!(_mm512_roundscale_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(self.0)))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Bits {
        Bits(avx512!(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn le(self, other: Self) -> Bits {
        Bits(avx512!(_mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Bits {
        Bits(avx512!(_mm512_cmp_ps_mask::<_CMP_EQ_OQ>(self.0, other.0)))
    }

    #[inline(always)]
    fn is_nan(self) -> Bits {
        Bits(avx512!(_mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self.0, self.0)))
    }

    #[inline(always)]
    fn bits(self) -> I32 {
        I32(avx512!(_mm512_castps_si512(self.0)))
    }

    #[inline(always)]
    fn widen(self) -> F64 {
        let lower = avx512!(_mm512_castps512_ps256(self.0));
        let upper = avx512!(_mm512_extractf32x8_ps::<1>(self.0));
        F64([avx512!(_mm512_cvtps_pd(lower)), avx512!(_mm512_cvtps_pd(upper))])
    }

    #[inline(always)]
    fn to_i32(self) -> I32 {
        I32(avx512!(_mm512_cvttps_epi32(self.0)))
    }
}

impl Int for I32 {
    type Float = F32;
    type Mask = Bits;

    #[inline(always)]
    fn store(self, to: &mut [i32; LANES]) {
        // SAFETY: the reference is to sixteen values that may be written, and the instruction asks for no alignment; the
        // value proves that it exists.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn stream(self, to: &mut [i32; LANES], _permission: &Streaming<'_>) {
        if to.as_ptr().addr().is_multiple_of(64) {
            // SAFETY: the reference is to 64 bytes that may be written, and they lie on a boundary of 64; the permission's
            // scope ends with the fence that such stores need, and who opened it lets nobody touch the place before; the
            // value proves that the instruction exists.
            unsafe { _mm512_stream_si512(to.as_mut_ptr().cast(), self.0) }
        } else {
            self.store(to);
        }
    }

    #[inline(always)]
    fn store_low_u16(self, to: &mut [u16; LANES]) {
        store_256(avx512!(_mm512_cvtepi32_epi16(self.0)), to);
    }

    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        Self(avx512!(_mm512_sll_epi32(self.0, _mm_cvtsi32_si128(by as i32))))
    }

    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        Self(avx512!(_mm512_sra_epi32(self.0, _mm_cvtsi32_si128(by as i32))))
    }

    #[inline(always)]
    fn shr_logical(self, by: u32) -> Self {
        Self(avx512!(_mm512_srl_epi32(self.0, _mm_cvtsi32_si128(by as i32))))
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Bits {
        Bits(avx512!(_mm512_cmpeq_epi32_mask(self.0, other.0)))
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Bits {
        Bits(avx512!(_mm512_cmplt_epi32_mask(self.0, other.0)))
    }

    #[inline(always)]
    fn lookup(self, table: &[f32; 8]) -> F32 {
        // SAFETY: the reference is to eight values that may be read, and the instruction asks for no alignment; the value
        // proves that it exists.
        let table = unsafe { _mm256_loadu_ps(table.as_ptr()) };
        // With the table twice, the fourth bit that the instruction reads does not matter.
        F32(avx512!(_mm512_permutexvar_ps(self.0, _mm512_broadcast_f32x8(table))))
    }

    #[inline(always)]
    fn as_f32(self) -> F32 {
        F32(avx512!(_mm512_castsi512_ps(self.0)))
    }

    #[inline(always)]
    fn to_f32(self) -> F32 {
        F32(avx512!(_mm512_cvtepi32_ps(self.0)))
    }
}

impl Double for F64 {
    type Float = F32;

    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        let (lower, upper) = to.split_at_mut(LANES / 2);
        // SAFETY: the slice has eight values that may be written, and the instruction asks for no alignment; the value
        // proves that it exists.
        unsafe { _mm512_storeu_pd(lower.as_mut_ptr(), self.0[0]) }
        // SAFETY: as above.
        unsafe { _mm512_storeu_pd(upper.as_mut_ptr(), self.0[1]) }
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        let ([a, b], [c, d], [e, f]) = (self.0, factor.0, addend.0);
        Self([avx512!(_mm512_fmadd_pd(a, c, e)), avx512!(_mm512_fmadd_pd(b, d, f))])
    }

    #[inline(always)]
    fn round(self) -> Self {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        let [lower, upper] = self.0;
        Self([avx512!(_mm512_roundscale_pd::<NEAREST>(lower)), avx512!(_mm512_roundscale_pd::<NEAREST>(upper))])
    }

    #[inline(always)]
    fn narrow(self) -> F32 {
        let [lower, upper] = self.0;
        let lower = avx512!(_mm512_castps256_ps512(_mm512_cvtpd_ps(lower)));
        F32(avx512!(_mm512_insertf32x8::<1>(lower, _mm512_cvtpd_ps(upper))))
    }
}

impl Mask for Bits {
    #[inline(always)]
    fn any(self) -> bool {
        self.0 != 0
    }

    #[inline(always)]
    fn all(self) -> bool {
        self.0 == u16::MAX
    }

    #[inline(always)]
    fn store(self, to: &mut [u8; LANES]) {
        let bytes = avx512!(_mm_maskz_set1_epi8(self.0, 1));
        // SAFETY: the reference is to sixteen bytes that may be written, and the instruction asks for no alignment.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), bytes) }
    }
}

#[inline(always)]
fn load_128<const VNNI: bool>(_token: Avx512<VNNI>, from: &[u8; LANES]) -> __m128i {
    // SAFETY: the reference is to sixteen bytes that may be read, and the instruction asks for no alignment; the token proves
    // that it exists.
    unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
}

#[inline(always)]
fn load_256<const VNNI: bool>(_token: Avx512<VNNI>, from: &[u16; LANES]) -> __m256i {
    // SAFETY: the reference is to 32 bytes that may be read, and the instruction asks for no alignment; the token proves
    // that it exists.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// Called with a register that only a token's value can have given.
#[inline(always)]
fn store_256(register: __m256i, to: &mut [u16; LANES]) {
    // SAFETY: the reference is to 32 bytes that may be written, and the instruction asks for no alignment.
    unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), register) }
}

/// An operator that is one instruction.
macro_rules! operators {
    ($($type:ident: $operator:ident::$method:ident = $instruction:ident;)*) => {$(
        impl $operator for $type {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(avx512!($instruction(self.0, other.0)))
            }
        }
    )*};
}

operators! {
    F32: Add::add = _mm512_add_ps;
    F32: Sub::sub = _mm512_sub_ps;
    F32: Mul::mul = _mm512_mul_ps;
    F32: Div::div = _mm512_div_ps;
    I32: Add::add = _mm512_add_epi32;
    I32: Sub::sub = _mm512_sub_epi32;
    I32: Mul::mul = _mm512_mullo_epi32;
    I32: BitAnd::bitand = _mm512_and_si512;
    I32: BitOr::bitor = _mm512_or_si512;
    I32: BitXor::bitxor = _mm512_xor_si512;
    Bits: BitAnd::bitand = _kand_mask16;
    Bits: BitOr::bitor = _kor_mask16;
    Bits: BitXor::bitxor = _kxor_mask16;
}

/// An operator that is one instruction a half.
macro_rules! operators_by_halves {
    ($($type:ident: $operator:ident::$method:ident = $instruction:ident;)*) => {$(
        impl $operator for $type {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ([a, b], [c, d]) = (self.0, other.0);
                Self([avx512!($instruction(a, c)), avx512!($instruction(b, d))])
            }
        }
    )*};
}

operators_by_halves! {
    F64: Add::add = _mm512_add_pd;
    F64: Sub::sub = _mm512_sub_pd;
    F64: Mul::mul = _mm512_mul_pd;
    F64: Div::div = _mm512_div_pd;
}

impl Neg for F32 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self(avx512!(_mm512_xor_ps(self.0, _mm512_set1_ps(-0.0))))
    }
}

impl Not for Bits {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self(!self.0)
    }
}
