//! The vocabulary with AVX2: two registers hold the sixteen lanes, the lower eight first.
#![expect(unsafe_code, reason = "calls AVX2 instructions, which its token proves to exist")]

use std::arch::x86_64::*;
use std::array::from_fn;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

use super::{Double, Float, Int, LANES, Mask, Simd, Streaming, Task, bfloat16};

/// The proof that this machine has AVX2, FMA and F16C.
///
/// Only [`detect`](Self::detect) makes one.
#[derive(Debug, Clone, Copy)]
pub struct Avx2(());

impl Avx2 {
    /// The token, if this machine has the instructions.
    pub fn detect() -> Option<Self> {
        let found =
            is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c");
        found.then_some(Self(()))
    }
}

// Fields are private, and each value below comes from a method of the token or of a value made before: who has one, has
// the proof that the instructions exist.

/// Sixteen f32.
#[derive(Debug, Clone, Copy)]
pub struct F32([__m256; 2]);

/// Sixteen i32.
#[derive(Debug, Clone, Copy)]
pub struct I32([__m256i; 2]);

/// Sixteen f64, in lanes' order.
#[derive(Debug, Clone, Copy)]
pub struct F64([__m256d; 4]);

/// Sixteen truths: all bits of a lane, or none.
#[derive(Debug, Clone, Copy)]
pub struct Bits([__m256; 2]);

/// Calls instructions that take and give registers.
macro_rules! avx2 {
    ($instructions:expr) => {{
        // SAFETY: the instructions need the features that `Avx2::detect` looks for, and touch no memory. A token, or a
        // value that only a token can make, is at hand wherever this macro is used.
        unsafe { $instructions }
    }};
}

/// One instruction on each half of the operands, the result in the named type.
macro_rules! halves {
    ($type:ident, $instruction:path; $($operand:expr),+) => {
        $type([avx2!($instruction($($operand.0[0]),+)), avx2!($instruction($($operand.0[1]),+))])
    };
    ($type:ident, $instruction:ident::<$constant:ident>; $($operand:expr),+) => {
        $type([avx2!($instruction::<$constant>($($operand.0[0]),+)), avx2!($instruction::<$constant>($($operand.0[1]),+))])
    };
}

impl Simd for Avx2 {
    type F32 = F32;
    type I32 = I32;
    type F64 = F64;
    type Mask = Bits;

    #[inline(always)]
    fn vectorize<T: Task>(self, task: T) -> T::Output {
        #[target_feature(enable = "avx2,fma,f16c")]
        fn enter<T: Task>(token: Avx2, task: T) -> T::Output {
            task.run(token)
        }
        // SAFETY: the token proves that the machine has each of the features.
        unsafe { enter(self, task) }
    }

    #[inline(always)]
    fn f32(self, value: f32) -> F32 {
        F32([avx2!(_mm256_set1_ps(value)); 2])
    }

    #[inline(always)]
    fn i32(self, value: i32) -> I32 {
        I32([avx2!(_mm256_set1_epi32(value)); 2])
    }

    #[inline(always)]
    fn f64(self, value: f64) -> F64 {
        F64([avx2!(_mm256_set1_pd(value)); 4])
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> F32 {
        let (lower, upper) = from.split_at(LANES / 2);
        // SAFETY: each slice has eight values that may be read, and the instruction asks for no alignment; the token
        // proves that it exists.
        F32([unsafe { _mm256_loadu_ps(lower.as_ptr()) }, unsafe { _mm256_loadu_ps(upper.as_ptr()) }])
    }

    #[inline(always)]
    fn load_i32(self, from: &[i32; LANES]) -> I32 {
        let (lower, upper) = from.split_at(LANES / 2);
        // SAFETY: as for `load`.
        I32([unsafe { _mm256_loadu_si256(lower.as_ptr().cast()) }, unsafe {
            _mm256_loadu_si256(upper.as_ptr().cast())
        }])
    }

    #[inline(always)]
    fn load_f64(self, from: &[f64; LANES]) -> F64 {
        let (quarters, _) = from.as_chunks::<{ LANES / 4 }>();
        // SAFETY: the array has four values that may be read, and the instruction asks for no alignment; the token proves
        // that it exists.
        F64(from_fn(|quarter| unsafe { _mm256_loadu_pd(quarters[quarter].as_ptr()) }))
    }

    #[inline(always)]
    fn load_u8(self, from: &[u8; LANES]) -> I32 {
        // SAFETY: the reference is to sixteen bytes that may be read, and the instruction asks for no alignment; the
        // token proves that it exists.
        let bytes = unsafe { _mm_loadu_si128(from.as_ptr().cast()) };
        let lower = avx2!(_mm256_cvtepu8_epi32(bytes));
        let upper = avx2!(_mm256_cvtepu8_epi32(_mm_srli_si128::<8>(bytes)));
        I32([lower, upper])
    }

    #[inline(always)]
    fn load_u16(self, from: &[u16; LANES]) -> I32 {
        let [lower, upper] = load_128s(self, from);
        I32([avx2!(_mm256_cvtepu16_epi32(lower)), avx2!(_mm256_cvtepu16_epi32(upper))])
    }

    #[inline(always)]
    fn load_f16(self, from: &[u16; LANES]) -> F32 {
        let [lower, upper] = load_128s(self, from);
        F32([avx2!(_mm256_cvtph_ps(lower)), avx2!(_mm256_cvtph_ps(upper))])
    }

    #[inline(always)]
    fn load_mask(self, from: &[u8; LANES]) -> Bits {
        let [lower, upper] = self.load_u8(from).0;
        // As integers below 256, those above zero are true.
        let zero = avx2!(_mm256_setzero_si256());
        Bits([
            avx2!(_mm256_castsi256_ps(_mm256_cmpgt_epi32(lower, zero))),
            avx2!(_mm256_castsi256_ps(_mm256_cmpgt_epi32(upper, zero))),
        ])
    }

    #[inline(always)]
    fn prefetch<T>(self, place: &T) {
        // SAFETY: a prefetch changes nothing that a program can see, and any address will do; the token proves that the
        // instruction exists.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
    }

    #[inline(always)]
    fn select(self, mask: Bits, then: F32, otherwise: F32) -> F32 {
        halves!(F32, _mm256_blendv_ps; otherwise, then, mask)
    }

    #[inline(always)]
    fn deinterleave(self, first: F32, second: F32) -> [F32; 2] {
        [deinterleave::<0b10_00_10_00>(self, first, second), deinterleave::<0b11_01_11_01>(self, first, second)]
    }

    #[inline(always)]
    fn transpose(self, rows: [I32; LANES]) -> [I32; LANES] {
        // Four squares of eight: the one at (upper rows, lower lanes) trades places with the one across.
        let mut columns = rows;
        for half_of_rows in 0..2 {
            for half_of_lanes in 0..2 {
                let mut square = [rows[0].0[0]; LANES / 2];
                for (i, line) in square.iter_mut().enumerate() {
                    *line = rows[half_of_rows * 8 + i].0[half_of_lanes];
                }
                for (i, line) in transpose_square(self, square).into_iter().enumerate() {
                    columns[half_of_lanes * 8 + i].0[half_of_rows] = line;
                }
            }
        }
        columns
    }

    #[inline(always)]
    fn select_i32(self, mask: Bits, then: I32, otherwise: I32) -> I32 {
        self.select(mask, then.as_f32(), otherwise.as_f32()).bits()
    }

    #[inline(always)]
    fn add_dots(self, a: I32, b: I32, sum: I32) -> I32 {
        I32([add_dots(self, a.0[0], b.0[0], sum.0[0]), add_dots(self, a.0[1], b.0[1], sum.0[1])])
    }
}

impl Float for F32 {
    type Int = I32;
    type Double = F64;
    type Mask = Bits;

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        let (lower, upper) = to.split_at_mut(LANES / 2);
        // SAFETY: the slice has eight values that may be written, and the instruction asks for no alignment; the value
        // proves that it exists.
        unsafe { _mm256_storeu_ps(lower.as_mut_ptr(), self.0[0]) };
        // SAFETY: as above.
        unsafe { _mm256_storeu_ps(upper.as_mut_ptr(), self.0[1]) };
    }

    #[inline(always)]
    fn store_f16(self, to: &mut [u16; LANES]) {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT;
        let [lower, upper] = self.0;
        store_128s([avx2!(_mm256_cvtps_ph::<NEAREST>(lower)), avx2!(_mm256_cvtps_ph::<NEAREST>(upper))], to);
    }

    #[inline(always)]
    fn store_bf16(self, to: &mut [u16; LANES]) {
        // The value proves what the token would.
        bfloat16::store(Avx2(()), self, to);
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        halves!(Self, _mm256_fmadd_ps; self, factor, addend)
    }

    #[inline(always)]
    fn scale(self, exponent: Self) -> Self {
        // Two powers that are normal numbers: the first product is exact, so only the second rounds.
        let exponent: I32 = halves!(I32, _mm256_cvtps_epi32; exponent);
        let first = exponent.shr(1);
        let one = I32([avx2!(_mm256_set1_epi32(127 << 23)); 2]);
        let power = |exponent: I32| (exponent.shl(23) + one).as_f32();
        self * power(first) * power(exponent - first)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        halves!(Self, _mm256_sqrt_ps; self)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        let sign = Self([avx2!(_mm256_set1_ps(-0.0)); 2]);
        halves!(Self, _mm256_andnot_ps; sign, self)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        halves!(Self, _mm256_min_ps; self, other)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        halves!(Self, _mm256_max_ps; self, other)
    }

    #[inline(always)]
    fn round(self) -> Self {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        halves!(Self, _mm256_round_ps::<NEAREST>; self)
    }

    #[inline(always)]
    fn floor(self) -> Self {
        halves!(Self, _mm256_floor_ps; self)
    }

    #[inline(always)]
    fn ceil(self) -> Self {
        halves!(Self, _mm256_ceil_ps; self)
    }

    #[inline(always)]
    fn trunc(self) -> Self {
        const TOWARD_ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
        halves!(Self, _mm256_round_ps::<TOWARD_ZERO>; self)
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Bits {
        halves!(Bits, _mm256_cmp_ps::<_CMP_LT_OQ>; self, other)
    }

    #[inline(always)]
    fn le(self, other: Self) -> Bits {
        halves!(Bits, _mm256_cmp_ps::<_CMP_LE_OQ>; self, other)
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Bits {
        halves!(Bits, _mm256_cmp_ps::<_CMP_EQ_OQ>; self, other)
    }

    #[inline(always)]
    fn is_nan(self) -> Bits {
        halves!(Bits, _mm256_cmp_ps::<_CMP_UNORD_Q>; self, self)
    }

    #[inline(always)]
    fn bits(self) -> I32 {
        halves!(I32, _mm256_castps_si256; self)
    }

    #[inline(always)]
    fn widen(self) -> F64 {
        let [lower, upper] = self.0;
        F64([
            avx2!(_mm256_cvtps_pd(_mm256_castps256_ps128(lower))),
            avx2!(_mm256_cvtps_pd(_mm256_extractf128_ps::<1>(lower))),
            avx2!(_mm256_cvtps_pd(_mm256_castps256_ps128(upper))),
            avx2!(_mm256_cvtps_pd(_mm256_extractf128_ps::<1>(upper))),
        ])
    }

    #[inline(always)]
    fn to_i32(self) -> I32 {
        halves!(I32, _mm256_cvttps_epi32; self)
    }
}

impl Int for I32 {
    type Float = F32;
    type Mask = Bits;

    #[inline(always)]
    fn store(self, to: &mut [i32; LANES]) {
        let (lower, upper) = to.split_at_mut(LANES / 2);
        // SAFETY: the slice has eight values that may be written, and the instruction asks for no alignment; the value
        // proves that it exists.
        unsafe { _mm256_storeu_si256(lower.as_mut_ptr().cast(), self.0[0]) };
        // SAFETY: as above.
        unsafe { _mm256_storeu_si256(upper.as_mut_ptr().cast(), self.0[1]) };
    }

    #[inline(always)]
    fn stream(self, to: &mut [i32; LANES], _permission: &Streaming<'_>) {
        if to.as_ptr().addr().is_multiple_of(64) {
            let (lower, upper) = to.split_at_mut(LANES / 2);
            // SAFETY: the slice is of 32 bytes that may be written, and they lie on a boundary of 32; the permission's scope
            // ends with the fence that such stores need, and who opened it lets nobody touch the place before; the value
            // proves that the instruction exists.
            unsafe { _mm256_stream_si256(lower.as_mut_ptr().cast(), self.0[0]) };
            // SAFETY: as above; 32 bytes further is on a boundary of 32 too.
            unsafe { _mm256_stream_si256(upper.as_mut_ptr().cast(), self.0[1]) };
        } else {
            self.store(to);
        }
    }

    #[inline(always)]
    fn store_low_u16(self, to: &mut [u16; LANES]) {
        let low = avx2!(_mm256_set1_epi32(0xFFFF));
        let [lower, upper] = self.0;
        // Packing saturates and works on each half of a register: the upper bits are cleared before, and the quarters
        // brought into order after.
        let packed = avx2!(_mm256_packus_epi32(_mm256_and_si256(lower, low), _mm256_and_si256(upper, low)));
        let ordered = avx2!(_mm256_permute4x64_epi64::<0b11_01_10_00>(packed));
        // SAFETY: the reference is to 32 bytes that may be written, and the instruction asks for no alignment.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), ordered) }
    }

    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        let [lower, upper] = self.0;
        let by = avx2!(_mm_cvtsi32_si128(by as i32));
        Self([avx2!(_mm256_sll_epi32(lower, by)), avx2!(_mm256_sll_epi32(upper, by))])
    }

    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        let [lower, upper] = self.0;
        let by = avx2!(_mm_cvtsi32_si128(by as i32));
        Self([avx2!(_mm256_sra_epi32(lower, by)), avx2!(_mm256_sra_epi32(upper, by))])
    }

    #[inline(always)]
    fn shr_logical(self, by: u32) -> Self {
        let [lower, upper] = self.0;
        let by = avx2!(_mm_cvtsi32_si128(by as i32));
        Self([avx2!(_mm256_srl_epi32(lower, by)), avx2!(_mm256_srl_epi32(upper, by))])
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Bits {
        let equal: Self = halves!(Self, _mm256_cmpeq_epi32; self, other);
        halves!(Bits, _mm256_castsi256_ps; equal)
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Bits {
        let less: Self = halves!(Self, _mm256_cmpgt_epi32; other, self);
        halves!(Bits, _mm256_castsi256_ps; less)
    }

    #[inline(always)]
    fn lookup(self, table: &[f32; 8]) -> F32 {
        // SAFETY: the reference is to eight values that may be read, and the instruction asks for no alignment; the value
        // proves that it exists.
        let table = unsafe { _mm256_loadu_ps(table.as_ptr()) };
        let [lower, upper] = self.0;
        F32([avx2!(_mm256_permutevar8x32_ps(table, lower)), avx2!(_mm256_permutevar8x32_ps(table, upper))])
    }

    #[inline(always)]
    fn as_f32(self) -> F32 {
        halves!(F32, _mm256_castsi256_ps; self)
    }

    #[inline(always)]
    fn to_f32(self) -> F32 {
        halves!(F32, _mm256_cvtepi32_ps; self)
    }
}

impl Double for F64 {
    type Float = F32;

    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        let (quarters, _) = to.as_chunks_mut::<{ LANES / 4 }>();
        for (to, quarter) in quarters.iter_mut().zip(self.0) {
            // SAFETY: the array has four values that may be written, and the instruction asks for no alignment; the value
            // proves that it exists.
            unsafe { _mm256_storeu_pd(to.as_mut_ptr(), quarter) }
        }
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h], [i, j, k, l]) = (self.0, factor.0, addend.0);
        Self([
            avx2!(_mm256_fmadd_pd(a, e, i)),
            avx2!(_mm256_fmadd_pd(b, f, j)),
            avx2!(_mm256_fmadd_pd(c, g, k)),
            avx2!(_mm256_fmadd_pd(d, h, l)),
        ])
    }

    #[inline(always)]
    fn round(self) -> Self {
        const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
        let [a, b, c, d] = self.0;
        Self([
            avx2!(_mm256_round_pd::<NEAREST>(a)),
            avx2!(_mm256_round_pd::<NEAREST>(b)),
            avx2!(_mm256_round_pd::<NEAREST>(c)),
            avx2!(_mm256_round_pd::<NEAREST>(d)),
        ])
    }

    #[inline(always)]
    fn narrow(self) -> F32 {
        let [a, b, c, d] = self.0;
        F32([
            avx2!(_mm256_set_m128(_mm256_cvtpd_ps(b), _mm256_cvtpd_ps(a))),
            avx2!(_mm256_set_m128(_mm256_cvtpd_ps(d), _mm256_cvtpd_ps(c))),
        ])
    }
}

impl Mask for Bits {
    #[inline(always)]
    fn any(self) -> bool {
        avx2!(_mm256_movemask_ps(_mm256_or_ps(self.0[0], self.0[1]))) != 0
    }

    #[inline(always)]
    fn all(self) -> bool {
        avx2!(_mm256_movemask_ps(_mm256_and_ps(self.0[0], self.0[1]))) == 0xFF
    }

    #[inline(always)]
    fn store(self, to: &mut [u8; LANES]) {
        let lower = avx2!(_mm256_castps_si256(self.0[0]));
        let upper = avx2!(_mm256_castps_si256(self.0[1]));
        // All bits or none survive saturation as -1 and 0; quarters are brought into order in between.
        let words = avx2!(_mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(lower, upper)));
        let bytes = avx2!(_mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words)));
        let ones = avx2!(_mm_and_si128(bytes, _mm_set1_epi8(1)));
        // SAFETY: the reference is to sixteen bytes that may be written, and the instruction asks for no alignment.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), ones) }
    }
}

#[inline(always)]
fn load_128s(_token: Avx2, from: &[u16; LANES]) -> [__m128i; 2] {
    let (lower, upper) = from.split_at(LANES / 2);
    // SAFETY: each slice has sixteen bytes that may be read, and the instruction asks for no alignment; the token proves
    // that it exists.
    [unsafe { _mm_loadu_si128(lower.as_ptr().cast()) }, unsafe { _mm_loadu_si128(upper.as_ptr().cast()) }]
}

/// Of each four lanes the two that are chosen, the first vector's before the second's.
#[inline(always)]
fn deinterleave<const CHOSEN: i32>(_token: Avx2, first: F32, second: F32) -> F32 {
    // Choosing works on each half of a register, which leaves quarters to be brought into order.
    let chosen = |[lower, upper]: [__m256; 2]| {
        let quarters = avx2!(_mm256_castps_pd(_mm256_shuffle_ps::<CHOSEN>(lower, upper)));
        avx2!(_mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(quarters)))
    };
    F32([chosen(first.0), chosen(second.0)])
}

/// Eight rows of eight made columns.
#[inline(always)]
fn transpose_square(_token: Avx2, rows: [__m256i; 8]) -> [__m256i; 8] {
    // Neighbouring rows are interleaved, then pairs of rows, then halves of registers.
    let (mut a, mut b) = (rows, rows);
    for i in (0..8).step_by(2) {
        b[i] = avx2!(_mm256_unpacklo_epi32(a[i], a[i + 1]));
        b[i + 1] = avx2!(_mm256_unpackhi_epi32(a[i], a[i + 1]));
    }
    for i in (0..8).step_by(4) {
        a[i] = avx2!(_mm256_unpacklo_epi64(b[i], b[i + 2]));
        a[i + 1] = avx2!(_mm256_unpackhi_epi64(b[i], b[i + 2]));
        a[i + 2] = avx2!(_mm256_unpacklo_epi64(b[i + 1], b[i + 3]));
        a[i + 3] = avx2!(_mm256_unpackhi_epi64(b[i + 1], b[i + 3]));
    }
    for i in 0..4 {
        b[i] = avx2!(_mm256_permute2x128_si256::<0x20>(a[i], a[i + 4]));
        b[i + 4] = avx2!(_mm256_permute2x128_si256::<0x31>(a[i], a[i + 4]));
    }
    b
}

/// Called with registers that only a token's value can have given.
#[inline(always)]
fn store_128s([lower, upper]: [__m128i; 2], to: &mut [u16; LANES]) {
    let (to_lower, to_upper) = to.split_at_mut(LANES / 2);
    // SAFETY: the slice has sixteen bytes that may be written, and the instruction asks for no alignment.
    unsafe { _mm_storeu_si128(to_lower.as_mut_ptr().cast(), lower) };
    // SAFETY: as above.
    unsafe { _mm_storeu_si128(to_upper.as_mut_ptr().cast(), upper) };
}

/// Bytes are widened to 16 bits, those of even and of odd position apart: products of pairs are then added in 32 bits. The
/// instruction that multiplies bytes themselves saturates.
#[inline(always)]
fn add_dots(_token: Avx2, a: __m256i, b: __m256i, sum: __m256i) -> __m256i {
    let a_even = avx2!(_mm256_and_si256(a, _mm256_set1_epi16(0xFF)));
    let a_odd = avx2!(_mm256_srli_epi16::<8>(a));
    let b_even = avx2!(_mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(b)));
    let b_odd = avx2!(_mm256_srai_epi16::<8>(b));
    let even = avx2!(_mm256_add_epi32(sum, _mm256_madd_epi16(a_even, b_even)));
    avx2!(_mm256_add_epi32(even, _mm256_madd_epi16(a_odd, b_odd)))
}

/// An operator that is one instruction a register.
macro_rules! operators {
    ($($type:ident: $operator:ident::$method:ident = $instruction:ident;)*) => {$(
        impl $operator for $type {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                halves!(Self, $instruction; self, other)
            }
        }
    )*};
}

operators! {
    F32: Add::add = _mm256_add_ps;
    F32: Sub::sub = _mm256_sub_ps;
    F32: Mul::mul = _mm256_mul_ps;
    F32: Div::div = _mm256_div_ps;
    I32: Add::add = _mm256_add_epi32;
    I32: Sub::sub = _mm256_sub_epi32;
    I32: Mul::mul = _mm256_mullo_epi32;
    I32: BitAnd::bitand = _mm256_and_si256;
    I32: BitOr::bitor = _mm256_or_si256;
    I32: BitXor::bitxor = _mm256_xor_si256;
    Bits: BitAnd::bitand = _mm256_and_ps;
    Bits: BitOr::bitor = _mm256_or_ps;
    Bits: BitXor::bitxor = _mm256_xor_ps;
}

/// An operator that is one instruction a quarter.
macro_rules! operators_by_quarters {
    ($($type:ident: $operator:ident::$method:ident = $instruction:ident;)*) => {$(
        impl $operator for $type {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
                Self([
                    avx2!($instruction(a, e)),
                    avx2!($instruction(b, f)),
                    avx2!($instruction(c, g)),
                    avx2!($instruction(d, h)),
                ])
            }
        }
    )*};
}

operators_by_quarters! {
    F64: Add::add = _mm256_add_pd;
    F64: Sub::sub = _mm256_sub_pd;
    F64: Mul::mul = _mm256_mul_pd;
    F64: Div::div = _mm256_div_pd;
}

impl Neg for F32 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        let sign = Self([avx2!(_mm256_set1_ps(-0.0)); 2]);
        halves!(Self, _mm256_xor_ps; self, sign)
    }
}

impl Not for Bits {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        let ones = avx2!(_mm256_castsi256_ps(_mm256_set1_epi32(-1)));
        let ones = Self([ones; 2]);
        halves!(Self, _mm256_xor_ps; self, ones)
    }
}
