//! The vocabulary without vectors: arrays, and what each operation means lane by lane.

use std::array::from_fn;
use std::hint::black_box;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

use stratal_tensor_base::f16;
use stratal_tensor_base::half::{f16_to_f32, f32_to_bf16, f32_to_f16};

use super::{Double, Float, Int, LANES, Mask, Simd, Task};

/// The token that needs no instructions.
///
/// With `N` = 16 it is the backend `scalar`. With fewer lanes it evaluates a formula for the first `N` of the sixteen:
/// `Portable<1>` is how the reference backend computes one element. What it loads and stores is then the first `N`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Portable<const N: usize = LANES>;

/// `N` lanes of one type.
#[derive(Debug, Clone, Copy)]
pub struct Lanes<T, const N: usize>([T; N]);

impl<T: Copy, const N: usize> Lanes<T, N> {
    #[inline(always)]
    fn load(from: &[T; LANES]) -> Self {
        Self(from_fn(|lane| from[lane]))
    }

    #[inline(always)]
    fn store(self, to: &mut [T; LANES]) {
        to[..N].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn map<U>(self, rule: impl Fn(T) -> U) -> Lanes<U, N> {
        Lanes(from_fn(|lane| rule(self.0[lane])))
    }

    #[inline(always)]
    fn zip<U: Copy, V>(self, other: Lanes<U, N>, rule: impl Fn(T, U) -> V) -> Lanes<V, N> {
        Lanes(from_fn(|lane| rule(self.0[lane], other.0[lane])))
    }
}

impl<const N: usize> Simd for Portable<N> {
    type F32 = Lanes<f32, N>;
    type I32 = Lanes<i32, N>;
    type F64 = Lanes<f64, N>;
    type Mask = Lanes<bool, N>;

    #[inline(always)]
    fn vectorize<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }

    #[inline(always)]
    fn f32(self, value: f32) -> Self::F32 {
        Lanes([value; N])
    }

    #[inline(always)]
    fn i32(self, value: i32) -> Self::I32 {
        Lanes([value; N])
    }

    #[inline(always)]
    fn f64(self, value: f64) -> Self::F64 {
        Lanes([value; N])
    }

    #[inline(always)]
    fn load(self, from: &[f32; LANES]) -> Self::F32 {
        Lanes::load(from)
    }

    #[inline(always)]
    fn load_i32(self, from: &[i32; LANES]) -> Self::I32 {
        Lanes::load(from)
    }

    #[inline(always)]
    fn load_f64(self, from: &[f64; LANES]) -> Self::F64 {
        Lanes::load(from)
    }

    #[inline(always)]
    fn load_u8(self, from: &[u8; LANES]) -> Self::I32 {
        Lanes::load(from).map(i32::from)
    }

    #[inline(always)]
    fn load_u16(self, from: &[u16; LANES]) -> Self::I32 {
        Lanes::load(from).map(i32::from)
    }

    #[inline(always)]
    fn load_f16(self, from: &[u16; LANES]) -> Self::F32 {
        Lanes::load(from).map(|bits| f16_to_f32(f16::from_bits(bits)))
    }

    #[inline(always)]
    fn load_mask(self, from: &[u8; LANES]) -> Self::Mask {
        Lanes::load(from).map(|byte| byte != 0)
    }

    #[inline(always)]
    fn select(self, mask: Self::Mask, then: Self::F32, otherwise: Self::F32) -> Self::F32 {
        Lanes(from_fn(|lane| if mask.0[lane] { then.0[lane] } else { otherwise.0[lane] }))
    }

    #[inline(always)]
    fn deinterleave(self, first: Self::F32, second: Self::F32) -> [Self::F32; 2] {
        let lane = |position: usize| if position < N { first.0[position] } else { second.0[position - N] };
        [Lanes(from_fn(|index| lane(2 * index))), Lanes(from_fn(|index| lane(2 * index + 1)))]
    }

    #[inline(always)]
    fn transpose(self, rows: [Self::I32; LANES]) -> [Self::I32; LANES] {
        // Rows beyond the lanes that exist here have no place in the columns.
        from_fn(|column| Lanes(from_fn(|lane| if column < N { rows[lane].0[column] } else { 0 })))
    }

    #[inline(always)]
    fn select_i32(self, mask: Self::Mask, then: Self::I32, otherwise: Self::I32) -> Self::I32 {
        Lanes(from_fn(|lane| if mask.0[lane] { then.0[lane] } else { otherwise.0[lane] }))
    }

    #[inline(always)]
    fn add_dots(self, a: Self::I32, b: Self::I32, sum: Self::I32) -> Self::I32 {
        Lanes(from_fn(|lane| {
            let (a, b) = (a.0[lane].to_ne_bytes(), b.0[lane].to_ne_bytes().map(u8::cast_signed));
            // Four products of bytes are far from the ends of i32.
            let dot: i32 = (0..4).map(|byte| i32::from(a[byte]) * i32::from(b[byte])).sum();
            sum.0[lane].wrapping_add(dot)
        }))
    }
}

impl<const N: usize> Float for Lanes<f32, N> {
    type Int = Lanes<i32, N>;
    type Double = Lanes<f64, N>;
    type Mask = Lanes<bool, N>;

    #[inline(always)]
    fn store(self, to: &mut [f32; LANES]) {
        Lanes::store(self, to);
    }

    #[inline(always)]
    fn store_f16(self, to: &mut [u16; LANES]) {
        self.map(|value| f32_to_f16(value).to_bits()).store(to);
    }

    #[inline(always)]
    fn store_bf16(self, to: &mut [u16; LANES]) {
        self.map(|value| f32_to_bf16(value).to_bits()).store(to);
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Lanes(from_fn(|lane| self.0[lane].mul_add(factor.0[lane], addend.0[lane])))
    }

    #[inline(always)]
    fn scale(self, exponent: Self) -> Self {
        self.zip(exponent, |value, exponent| {
            // Two powers that are normal numbers: the first product is exact, so only the second rounds.
            let exponent = exponent as i32;
            let first = exponent >> 1;
            value * power_of_two(first) * power_of_two(exponent.wrapping_sub(first))
        })
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(f32::sqrt)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f32::abs)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if compared(a < b) { a } else { b })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if compared(a > b) { a } else { b })
    }

    #[inline(always)]
    fn round(self) -> Self {
        self.map(f32::round_ties_even)
    }

    #[inline(always)]
    fn floor(self) -> Self {
        self.map(f32::floor)
    }

    #[inline(always)]
    fn ceil(self) -> Self {
        self.map(f32::ceil)
    }

    #[inline(always)]
    fn trunc(self) -> Self {
        self.map(f32::trunc)
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        self.zip(other, |a, b| compared(a < b))
    }

    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        self.zip(other, |a, b| compared(a <= b))
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Self::Mask {
        self.zip(other, |a, b| compared(a == b))
    }

    #[inline(always)]
    fn bits(self) -> Self::Int {
        self.map(|value| value.to_bits().cast_signed())
    }

    #[inline(always)]
    fn widen(self) -> Self::Double {
        self.map(f64::from)
    }

    #[inline(always)]
    fn to_i32(self) -> Self::Int {
        self.map(|value| value as i32)
    }
}

impl<const N: usize> Int for Lanes<i32, N> {
    type Float = Lanes<f32, N>;
    type Mask = Lanes<bool, N>;

    #[inline(always)]
    fn store(self, to: &mut [i32; LANES]) {
        Lanes::store(self, to);
    }

    #[inline(always)]
    fn store_low_u16(self, to: &mut [u16; LANES]) {
        self.map(|value| value as u16).store(to);
    }

    #[inline(always)]
    fn shl(self, by: u32) -> Self {
        self.map(|value| value.wrapping_shl(by))
    }

    #[inline(always)]
    fn shr(self, by: u32) -> Self {
        self.map(|value| value.wrapping_shr(by))
    }

    #[inline(always)]
    fn shr_logical(self, by: u32) -> Self {
        self.map(|value| value.cast_unsigned().wrapping_shr(by).cast_signed())
    }

    #[inline(always)]
    fn eq(self, other: Self) -> Self::Mask {
        self.zip(other, |a, b| a == b)
    }

    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        self.zip(other, |a, b| a < b)
    }

    #[inline(always)]
    fn lookup(self, table: &[f32; 8]) -> Self::Float {
        self.map(|value| table[(value & 7) as usize])
    }

    #[inline(always)]
    fn as_f32(self) -> Self::Float {
        self.map(|value| f32::from_bits(value.cast_unsigned()))
    }

    #[inline(always)]
    fn to_f32(self) -> Self::Float {
        self.map(|value| value as f32)
    }
}

impl<const N: usize> Double for Lanes<f64, N> {
    type Float = Lanes<f32, N>;

    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        Lanes::store(self, to);
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, addend: Self) -> Self {
        Lanes(from_fn(|lane| self.0[lane].mul_add(factor.0[lane], addend.0[lane])))
    }

    #[inline(always)]
    fn round(self) -> Self {
        self.map(f64::round_ties_even)
    }

    #[inline(always)]
    fn narrow(self) -> Self::Float {
        self.map(|value| value as f32)
    }
}

impl<const N: usize> Mask for Lanes<bool, N> {
    #[inline(always)]
    fn any(self) -> bool {
        self.0.contains(&true)
    }

    #[inline(always)]
    fn all(self) -> bool {
        !self.0.contains(&false)
    }

    #[inline(always)]
    fn store(self, to: &mut [u8; LANES]) {
        self.map(u8::from).store(to);
    }
}

/// 2^`exponent` where that is a normal number.
#[inline(always)]
fn power_of_two(exponent: i32) -> f32 {
    f32::from_bits(exponent.wrapping_add(127).wrapping_shl(23).cast_unsigned())
}

/// The outcome of a comparison of floats, of which the compiler does not know what was compared.
///
/// Else it may take a comparison and a selection for one instruction for minima or maxima. On aarch64 that has other rules
/// for signaling NaN and for zeros of two signs; the one of x86-64 is defined as the selection is.
#[inline(always)]
fn compared(truth: bool) -> bool {
    if cfg!(target_arch = "x86_64") { truth } else { black_box(truth) }
}

/// An operator, lane by lane.
macro_rules! operators {
    ($($type:ty: $operator:ident::$method:ident = $rule:expr;)*) => {$(
        impl<const N: usize> $operator for Lanes<$type, N> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, $rule)
            }
        }
    )*};
}

operators! {
    f32: Add::add = |a, b| a + b;
    f32: Sub::sub = |a, b| a - b;
    f32: Mul::mul = |a, b| a * b;
    f32: Div::div = |a, b| a / b;
    f64: Add::add = |a, b| a + b;
    f64: Sub::sub = |a, b| a - b;
    f64: Mul::mul = |a, b| a * b;
    f64: Div::div = |a, b| a / b;
    i32: Add::add = i32::wrapping_add;
    i32: Sub::sub = i32::wrapping_sub;
    i32: Mul::mul = i32::wrapping_mul;
    i32: BitAnd::bitand = |a, b| a & b;
    i32: BitOr::bitor = |a, b| a | b;
    i32: BitXor::bitxor = |a, b| a ^ b;
    bool: BitAnd::bitand = |a, b| a & b;
    bool: BitOr::bitor = |a, b| a | b;
    bool: BitXor::bitxor = |a, b| a ^ b;
}

impl<const N: usize> Neg for Lanes<f32, N> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self.map(|value| -value)
    }
}

impl<const N: usize> Not for Lanes<bool, N> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        self.map(|truth| !truth)
    }
}
