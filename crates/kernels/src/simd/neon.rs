//! The vocabulary with NEON: four registers hold the sixteen lanes, the lowest four first.
#![expect(unsafe_code, reason = "calls NEON instructions, which its token proves to exist")]

use std::arch::aarch64::*;
use std::arch::asm;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

use super::{Double, Float, Int, LANES, Mask, Simd, Task, bfloat16};

/// The proof that this machine has NEON, which every aarch64 machine with an operating system has.
///
/// Only [`detect`](Self::detect) makes one.
#[derive(Debug, Clone, Copy)]
pub struct Neon(());

impl Neon {
    /// The token, if this machine has the instructions.
    pub fn detect() -> Option<Self> {
        std::arch::is_aarch64_feature_detected!("neon").then_some(Self(()))
    }
}

// Fields are private, and each value below comes from a method of the token or of a value made before: who has one, has
// the proof that the instructions exist.

/// Sixteen f32.
#[derive(Debug, Clone, Copy)]
pub struct F32([float32x4_t; 4]);

/// Sixteen i32.
#[derive(Debug, Clone, Copy)]
pub struct I32([int32x4_t; 4]);

/// Sixteen f64, in lanes' order.
#[derive(Debug, Clone, Copy)]
pub struct F64([float64x2_t; 8]);

/// Sixteen truths: all bits of a lane, or none.
#[derive(Debug, Clone, Copy)]
pub struct Bits([uint32x4_t; 4]);

/// Calls instructions that take and give registers.
macro_rules! neon {
    ($instructions:expr) => {{
        // SAFETY: the instructions need the feature that `Neon::detect` looks for, and touch no memory. A token, or a
        // value that only a token can make, is at hand wherever this macro is used.
        unsafe { $instructions }
    }};
}

/// One instruction on each quarter of the operands, the result in the named type.
macro_rules! quarters {
    ($type:ident, $instruction:ident; $($operand:expr),+) => {
        $type([
            neon!($instruction($($operand.0[0]),+)),
            neon!($instruction($($operand.0[1]),+)),
            neon!($instruction($($operand.0[2]),+)),
            neon!($instruction($($operand.0[3]),+)),
        ])
    };
}

/// One instruction on each eighth of the operands, two f64.
macro_rules! eighths {
    ($instruction:ident; $($operand:expr),+) => {
        F64([
            neon!($instruction($($operand.0[0]),+)),
            neon!($instruction($($operand.0[1]),+)),
            neon!($instruction($($operand.0[2]),+)),
            neon!($instruction($($operand.0[3]),+)),
            neon!($instruction($($operand.0[4]),+)),
            neon!($instruction($($operand.0[5]),+)),
            neon!($instruction($($operand.0[6]),+)),
            neon!($instruction($($operand.0[7]),+)),
        ])
    };
}

impl Simd for Neon {
    type F32 = F32;
    type I32 = I32;
    type F64 = F64;
    type Mask = Bits;

    #[inline(always)]
    fn vectorize<T: Task>(self, task: T) -> T::Output {
        // Every function is compiled for NEON already.
        task.run(self)
    }

    #[inline(always)]
    fn f32(self, value: f32) -> F32 {
        F32([neon!(vdupq_n_f32(value)); 4])
    }

    #[inline(always)]
    fn i32(self, value: i32) -> I32 {
        I32([neon!(vdupq_n_s32(value)); 4])
    }

    #[inline(always)]
    fn f64(self, value: f64) -> F64 {
        F64([neon!(vdupq_n_f64(value)); 8])
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> F32 {
        // SAFETY: the slice has four values that may be read, and the instruction asks for no more alignment than theirs;
        // the token proves that it exists.
        F32(STARTS.map(|start| unsafe { vld1q_f32(from[start..start + 4].as_ptr()) }))
    }

    #[inline(always)]
    fn load_i32(self, from: &[i32; LANES]) -> I32 {
        // SAFETY: as for `load`.
        I32(STARTS.map(|start| unsafe { vld1q_s32(from[start..start + 4].as_ptr()) }))
    }

    #[inline(always)]
    fn load_f64(self, from: &[f64; LANES]) -> F64 {
        let (pairs, _) = from.as_chunks::<2>();
        // SAFETY: the array has two values that may be read, and the instruction asks for no more alignment than theirs;
        // the token proves that it exists.
        F64(std::array::from_fn(|pair| unsafe { vld1q_f64(pairs[pair].as_ptr()) }))
    }

    #[inline(always)]
    fn load_u8(self, from: &[u8; LANES]) -> I32 {
        // SAFETY: the reference is to sixteen bytes that may be read, and the instruction asks for no alignment; the token
        // proves that it exists.
        let bytes = unsafe { vld1q_u8(from.as_ptr()) };
        let lower = neon!(vmovl_u8(vget_low_u8(bytes)));
        let upper = neon!(vmovl_high_u8(bytes));
        I32([
            neon!(vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(lower)))),
            neon!(vreinterpretq_s32_u32(vmovl_high_u16(lower))),
            neon!(vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(upper)))),
            neon!(vreinterpretq_s32_u32(vmovl_high_u16(upper))),
        ])
    }

    #[inline(always)]
    fn load_u16(self, from: &[u16; LANES]) -> I32 {
        I32(load_quarters(self, from).map(|quarter| neon!(vreinterpretq_s32_u32(vmovl_u16(quarter)))))
    }

    #[inline(always)]
    fn load_f16(self, from: &[u16; LANES]) -> F32 {
        F32(load_quarters(self, from).map(|quarter| {
            let widened = neon!(vcvt_f32_f16(vreinterpret_f16_u16(quarter)));
            neon!(vreinterpretq_f32_u32(opaque(vreinterpretq_u32_f32(widened))))
        }))
    }

    #[inline(always)]
    fn load_mask(self, from: &[u8; LANES]) -> Bits {
        // SAFETY: the reference is to sixteen bytes that may be read, and the instruction asks for no alignment.
        let bytes = unsafe { vld1q_u8(from.as_ptr()) };
        // All bits or none; widened as signed numbers they stay so.
        let truths = neon!(vreinterpretq_s8_u8(vtstq_u8(bytes, bytes)));
        let lower = neon!(vmovl_s8(vget_low_s8(truths)));
        let upper = neon!(vmovl_high_s8(truths));
        Bits([
            neon!(vreinterpretq_u32_s32(vmovl_s16(vget_low_s16(lower)))),
            neon!(vreinterpretq_u32_s32(vmovl_high_s16(lower))),
            neon!(vreinterpretq_u32_s32(vmovl_s16(vget_low_s16(upper)))),
            neon!(vreinterpretq_u32_s32(vmovl_high_s16(upper))),
        ])
    }

    #[inline(always)]
    fn select(self, mask: Bits, then: F32, otherwise: F32) -> F32 {
        quarters!(F32, vbslq_f32; mask, then, otherwise)
    }

    #[inline(always)]
    fn deinterleave(self, first: F32, second: F32) -> [F32; 2] {
        let [a, b, c, d] = first.0;
        let [e, f, g, h] = second.0;
        [
            F32([neon!(vuzp1q_f32(a, b)), neon!(vuzp1q_f32(c, d)), neon!(vuzp1q_f32(e, f)), neon!(vuzp1q_f32(g, h))]),
            F32([neon!(vuzp2q_f32(a, b)), neon!(vuzp2q_f32(c, d)), neon!(vuzp2q_f32(e, f)), neon!(vuzp2q_f32(g, h))]),
        ]
    }

    #[inline(always)]
    fn transpose(self, rows: [I32; LANES]) -> [I32; LANES] {
        // Sixteen squares of four trade places across the diagonal.
        let mut columns = rows;
        for square_row in 0..4 {
            for square_column in 0..4 {
                let square = [0, 1, 2, 3].map(|i| rows[square_row * 4 + i].0[square_column]);
                for (i, line) in transpose_square(self, square).into_iter().enumerate() {
                    columns[square_column * 4 + i].0[square_row] = line;
                }
            }
        }
        columns
    }

    #[inline(always)]
    fn select_i32(self, mask: Bits, then: I32, otherwise: I32) -> I32 {
        quarters!(I32, vbslq_s32; mask, then, otherwise)
    }

    #[inline(always)]
    fn add_dots(self, a: I32, b: I32, sum: I32) -> I32 {
        let ([a, b, c, d], [e, f, g, h], [i, j, k, l]) = (a.0, b.0, sum.0);
        I32([add_dots(self, a, e, i), add_dots(self, b, f, j), add_dots(self, c, g, k), add_dots(self, d, h, l)])
    }
}

impl Float for F32 {
    type Int = I32;
    type Double = F64;
    type Mask = Bits;

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        for (start, register) in STARTS.into_iter().zip(self.0) {
            // SAFETY: the slice has four values that may be written, and the instruction asks for no more alignment than
            // theirs; the value proves that it exists.
            unsafe { vst1q_f32(to[start..start + 4].as_mut_ptr(), register) };
        }
    }

    #[inline(always)]
    fn store_f16(self, to: &mut [u16; LANES]) {
        store_quarters(self.0.map(|register| neon!(vreinterpret_u16_f16(vcvt_f16_f32(register)))), to);
    }

    #[inline(always)]
    fn store_bf16(self, to: &mut [u16; LANES]) {
        // The value proves what the token would.
        bfloat16::store(Neon(()), self, to);
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        quarters!(Self, vfmaq_f32; addend, self, factor)
    }

    #[inline(always)]
    fn scale(self, exponent: Self) -> Self {
        // Two powers that are normal numbers: the first product is exact, so only the second rounds.
        let exponent = exponent.to_i32();
        let first = exponent.shr(1);
        let one = I32([neon!(vdupq_n_s32(127 << 23)); 4]);
        let power = |exponent: I32| (exponent.shl(23) + one).as_f32();
        self * power(first) * power(exponent - first)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        quarters!(Self, vsqrtq_f32; self)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        quarters!(Self, vabsq_f32; self)
    }

    // The instructions for a minimum and a maximum have rules of their own for NaN and for zeros.

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        quarters!(Self, vbslq_f32; self.lt(other), self, other)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        quarters!(Self, vbslq_f32; self.gt(other), self, other)
    }

    #[inline(always)]
    fn round(self) -> Self {
        quarters!(Self, vrndnq_f32; self)
    }

    #[inline(always)]
    fn floor(self) -> Self {
        quarters!(Self, vrndmq_f32; self)
    }

    #[inline(always)]
    fn ceil(self) -> Self {
        quarters!(Self, vrndpq_f32; self)
    }

    #[inline(always)]
    fn trunc(self) -> Self {
        quarters!(Self, vrndq_f32; self)
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Bits {
        compared(quarters!(Bits, vcltq_f32; self, other))
    }

    #[inline(always)]
    fn le(self, other: Self) -> Bits {
        compared(quarters!(Bits, vcleq_f32; self, other))
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Bits {
        compared(quarters!(Bits, vceqq_f32; self, other))
    }

    #[inline(always)]
    fn bits(self) -> I32 {
        quarters!(I32, vreinterpretq_s32_f32; self)
    }

    #[inline(always)]
    fn widen(self) -> F64 {
        let [a, b, c, d] = self.0;
        F64([
            neon!(vcvt_f64_f32(vget_low_f32(a))),
            neon!(vcvt_high_f64_f32(a)),
            neon!(vcvt_f64_f32(vget_low_f32(b))),
            neon!(vcvt_high_f64_f32(b)),
            neon!(vcvt_f64_f32(vget_low_f32(c))),
            neon!(vcvt_high_f64_f32(c)),
            neon!(vcvt_f64_f32(vget_low_f32(d))),
            neon!(vcvt_high_f64_f32(d)),
        ])
    }

    #[inline(always)]
    fn to_i32(self) -> I32 {
        quarters!(I32, vcvtq_s32_f32; self)
    }
}

impl Int for I32 {
    type Float = F32;
    type Mask = Bits;

    #[inline(always)]
    fn store(self, to: &mut [i32; LANES]) {
        for (start, register) in STARTS.into_iter().zip(self.0) {
            // SAFETY: the slice has four values that may be written, and the instruction asks for no more alignment than
            // theirs; the value proves that it exists.
            unsafe { vst1q_s32(to[start..start + 4].as_mut_ptr(), register) };
        }
    }

    #[inline(always)]
    fn store_low_u16(self, to: &mut [u16; LANES]) {
        store_quarters(self.0.map(|register| neon!(vreinterpret_u16_s16(vmovn_s32(register)))), to);
    }

    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        let left = neon!(vdupq_n_s32(by as i32));
        Self(self.0.map(|register| neon!(vshlq_s32(register, left))))
    }

    // To shift right is to shift left by a negative number.

    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        let left = neon!(vdupq_n_s32(-(by as i32)));
        Self(self.0.map(|register| neon!(vshlq_s32(register, left))))
    }

    #[inline(always)]
    fn shr_logical(self, by: u32) -> Self {
        let left = neon!(vdupq_n_s32(-(by as i32)));
        Self(self.0.map(|register| neon!(vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(register), left)))))
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Bits {
        quarters!(Bits, vceqq_s32; self, other)
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Bits {
        quarters!(Bits, vcltq_s32; self, other)
    }

    #[inline(always)]
    fn lookup(self, table: &[f32; 8]) -> F32 {
        let (lower, upper) = table.split_at(4);
        // SAFETY: the slice has four values that may be read, and the instruction asks for no more alignment than theirs;
        // the value proves that it exists.
        let lower = unsafe { vld1q_f32(lower.as_ptr()) };
        // SAFETY: as above.
        let upper = unsafe { vld1q_f32(upper.as_ptr()) };
        let table = neon!(uint8x16x2_t(vreinterpretq_u8_f32(lower), vreinterpretq_u8_f32(upper)));
        F32(self.0.map(|register| {
            // The instruction takes bytes: those of entry i are at 4i to 4i + 3.
            let entries = neon!(vandq_s32(register, vdupq_n_s32(7)));
            let bytes = neon!(vmlaq_s32(vdupq_n_s32(0x03_02_01_00), entries, vdupq_n_s32(0x04_04_04_04)));
            neon!(vreinterpretq_f32_u8(vqtbl2q_u8(table, vreinterpretq_u8_s32(bytes))))
        }))
    }

    #[inline(always)]
    fn as_f32(self) -> F32 {
        quarters!(F32, vreinterpretq_f32_s32; self)
    }

    #[inline(always)]
    fn to_f32(self) -> F32 {
        quarters!(F32, vcvtq_f32_s32; self)
    }
}

impl Double for F64 {
    type Float = F32;

    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        let (pairs, _) = to.as_chunks_mut::<2>();
        for (to, pair) in pairs.iter_mut().zip(self.0) {
            // SAFETY: the array has two values that may be written, and the instruction asks for no more alignment than
            // theirs; the value proves that it exists.
            unsafe { vst1q_f64(to.as_mut_ptr(), pair) }
        }
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        eighths!(vfmaq_f64; addend, self, factor)
    }

    #[inline(always)]
    fn round(self) -> Self {
        eighths!(vrndnq_f64; self)
    }

    #[inline(always)]
    fn narrow(self) -> F32 {
        let [a, b, c, d, e, f, g, h] = self.0;
        F32([
            neon!(vcvt_high_f32_f64(vcvt_f32_f64(a), b)),
            neon!(vcvt_high_f32_f64(vcvt_f32_f64(c), d)),
            neon!(vcvt_high_f32_f64(vcvt_f32_f64(e), f)),
            neon!(vcvt_high_f32_f64(vcvt_f32_f64(g), h)),
        ])
    }
}

impl Mask for Bits {
    #[inline(always)]
    fn any(self) -> bool {
        let [a, b, c, d] = self.0;
        neon!(vmaxvq_u32(vorrq_u32(vorrq_u32(a, b), vorrq_u32(c, d)))) != 0
    }

    #[inline(always)]
    fn all(self) -> bool {
        let [a, b, c, d] = self.0;
        neon!(vminvq_u32(vandq_u32(vandq_u32(a, b), vandq_u32(c, d)))) != 0
    }

    #[inline(always)]
    fn store(self, to: &mut [u8; LANES]) {
        // Every part of a lane says the same, so the even parts will do.
        let [a, b, c, d] = self.0.map(|register| neon!(vreinterpretq_u16_u32(register)));
        let lower = neon!(vreinterpretq_u8_u16(vuzp1q_u16(a, b)));
        let upper = neon!(vreinterpretq_u8_u16(vuzp1q_u16(c, d)));
        let ones = neon!(vandq_u8(vuzp1q_u8(lower, upper), vdupq_n_u8(1)));
        // SAFETY: the reference is to sixteen bytes that may be written, and the instruction asks for no alignment.
        unsafe { vst1q_u8(to.as_mut_ptr(), ones) }
    }
}

/// Where the quarters of sixteen values start.
const STARTS: [usize; 4] = [0, 4, 8, 12];

#[inline(always)]
fn load_quarters(_token: Neon, from: &[u16; LANES]) -> [uint16x4_t; 4] {
    // SAFETY: the slice has four values that may be read, and the instruction asks for no more alignment than theirs;
    // the token proves that it exists.
    STARTS.map(|start| unsafe { vld1_u16(from[start..start + 4].as_ptr()) })
}

/// Bytes are widened to 16 bits, which hold their products; neighbours among these are added in 32 bits, twice.
#[inline(always)]
fn add_dots(_token: Neon, a: int32x4_t, b: int32x4_t, sum: int32x4_t) -> int32x4_t {
    let (a, b) = (neon!(vreinterpretq_u8_s32(a)), neon!(vreinterpretq_s8_s32(b)));
    let a_low = neon!(vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(a))));
    let a_high = neon!(vreinterpretq_s16_u16(vmovl_high_u8(a)));
    let low = neon!(vpaddlq_s16(vmulq_s16(a_low, vmovl_s8(vget_low_s8(b)))));
    let high = neon!(vpaddlq_s16(vmulq_s16(a_high, vmovl_high_s8(b))));
    neon!(vaddq_s32(sum, vpaddq_s32(low, high)))
}

/// Four rows of four made columns.
#[inline(always)]
fn transpose_square(_token: Neon, [a, b, c, d]: [int32x4_t; 4]) -> [int32x4_t; 4] {
    // Neighbouring rows are interleaved, then pairs of rows.
    let even = neon!(vreinterpretq_s64_s32(vtrn1q_s32(a, b)));
    let odd = neon!(vreinterpretq_s64_s32(vtrn2q_s32(a, b)));
    let even_below = neon!(vreinterpretq_s64_s32(vtrn1q_s32(c, d)));
    let odd_below = neon!(vreinterpretq_s64_s32(vtrn2q_s32(c, d)));
    [
        neon!(vreinterpretq_s32_s64(vtrn1q_s64(even, even_below))),
        neon!(vreinterpretq_s32_s64(vtrn1q_s64(odd, odd_below))),
        neon!(vreinterpretq_s32_s64(vtrn2q_s64(even, even_below))),
        neon!(vreinterpretq_s32_s64(vtrn2q_s64(odd, odd_below))),
    ]
}

/// Every comparison of floats goes through here.
#[inline(always)]
fn compared(mask: Bits) -> Bits {
    Bits(mask.0.map(opaque))
}

/// The same bits, of which the compiler does not know where they come from. There is no instruction in it.
///
/// What compilers deduce from instructions is not always true of them. Two cases change results: a widening of binary16 and
/// a narrowing after it are taken for nothing at all, which leaves signaling NaN as they are; and a comparison with a
/// selection after it is taken for FMINNM or FMAXNM, whose rules for signaling NaN and for zeros of two signs are others.
#[inline(always)]
fn opaque(register: uint32x4_t) -> uint32x4_t {
    let same;
    // SAFETY: the text is a comment to the assembler, and the one register it names keeps its value.
    unsafe {
        asm!("/* {0:v} */", inlateout(vreg) register => same, options(pure, nomem, nostack, preserves_flags));
    }
    same
}

/// Called with registers that only a token's value can have given.
#[inline(always)]
fn store_quarters(quarters: [uint16x4_t; 4], to: &mut [u16; LANES]) {
    for (start, quarter) in STARTS.into_iter().zip(quarters) {
        // SAFETY: the slice has four values that may be written, and the instruction asks for no more alignment than
        // theirs.
        unsafe { vst1_u16(to[start..start + 4].as_mut_ptr(), quarter) };
    }
}

/// An operator that is one instruction a quarter.
macro_rules! operators {
    ($($type:ident: $operator:ident::$method:ident = $instruction:ident;)*) => {$(
        impl $operator for $type {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                quarters!(Self, $instruction; self, other)
            }
        }
    )*};
}

operators! {
    F32: Add::add = vaddq_f32;
    F32: Sub::sub = vsubq_f32;
    F32: Mul::mul = vmulq_f32;
    F32: Div::div = vdivq_f32;
    I32: Add::add = vaddq_s32;
    I32: Sub::sub = vsubq_s32;
    I32: Mul::mul = vmulq_s32;
    I32: BitAnd::bitand = vandq_s32;
    I32: BitOr::bitor = vorrq_s32;
    I32: BitXor::bitxor = veorq_s32;
    Bits: BitAnd::bitand = vandq_u32;
    Bits: BitOr::bitor = vorrq_u32;
    Bits: BitXor::bitxor = veorq_u32;
}

/// An operator that is one instruction an eighth.
macro_rules! operators_by_eighths {
    ($($operator:ident::$method:ident = $instruction:ident;)*) => {$(
        impl $operator for F64 {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                eighths!($instruction; self, other)
            }
        }
    )*};
}

operators_by_eighths! {
    Add::add = vaddq_f64;
    Sub::sub = vsubq_f64;
    Mul::mul = vmulq_f64;
    Div::div = vdivq_f64;
}

impl Neg for F32 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        quarters!(Self, vnegq_f32; self)
    }
}

impl Not for Bits {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        quarters!(Self, vmvnq_u32; self)
    }
}
