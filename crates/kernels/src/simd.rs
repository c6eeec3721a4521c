//! The vector vocabulary: sixteen lanes on every instruction set, so that an algorithm is written once.
//!
//! A [`Simd`] token is a zero-sized proof that the machine has the instructions: only detection builds one. Its vectors
//! ([`Float`], [`Int`], [`Double`], [`Mask`]) hold sixteen lanes whatever the width of a register: one register with
//! AVX-512, two with AVX2, four with NEON, an array in [`Portable`]. Each operation is defined lane by lane, down to the
//! bits, so a formula over this vocabulary gives the same bits everywhere (any NaN counts as any other).
//!
//! A file below holds what is special to one instruction set, and no algorithm.

#[cfg(test)]
mod agreement;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bfloat16;
mod isa;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(test)]
mod scale_and_lookup_tests;
mod streaming;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::Avx512;
pub use isa::Isa;
#[cfg(target_arch = "aarch64")]
pub use neon::Neon;
pub use portable::Portable;
pub use streaming::Streaming;
pub(crate) use streaming::streaming;

use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// Lanes of every vector.
pub const LANES: usize = 16;

/// Work written once over the vocabulary, to be compiled for each instruction set.
///
/// Mark `run`, and all that it calls with vectors, `#[inline(always)]`: a function of its own would be compiled without
/// the instruction set.
pub trait Task {
    /// What the work returns.
    type Output;

    /// Does the work.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// A token for an instruction set, and the vectors that it makes.
pub trait Simd: Copy + Debug + Send + Sync + 'static {
    /// Sixteen f32.
    type F32: Float<Int = Self::I32, Double = Self::F64, Mask = Self::Mask>;
    /// Sixteen i32; arithmetic wraps.
    type I32: Int<Float = Self::F32, Mask = Self::Mask>;
    /// Sixteen f64, for products of f64 and the few places where a formula needs more digits.
    type F64: Double<Float = Self::F32>;
    /// Sixteen truths.
    type Mask: Mask;

    /// Runs a task in a function that is compiled for this instruction set.
    fn vectorize<T: Task>(self, task: T) -> T::Output;

    /// A value in all lanes.
    fn f32(self, value: f32) -> Self::F32;
    /// A value in all lanes.
    fn i32(self, value: i32) -> Self::I32;
    /// A value in all lanes.
    fn f64(self, value: f64) -> Self::F64;

    /// Reads sixteen values.
    fn load(self, from: &[f32; LANES]) -> Self::F32;
    /// Reads sixteen values.
    fn load_i32(self, from: &[i32; LANES]) -> Self::I32;
    /// Reads sixteen values.
    fn load_f64(self, from: &[f64; LANES]) -> Self::F64;
    /// Reads sixteen values, filling up with zeros.
    fn load_u8(self, from: &[u8; LANES]) -> Self::I32;
    /// Reads sixteen values, filling up with zeros.
    fn load_u16(self, from: &[u16; LANES]) -> Self::I32;
    /// Reads sixteen values of binary16, given as bits, and widens them: exact, a NaN quiet with its payload kept.
    fn load_f16(self, from: &[u16; LANES]) -> Self::F32;
    /// Reads sixteen truths: what is not zero is true.
    fn load_mask(self, from: &[u8; LANES]) -> Self::Mask;

    /// Reads sixteen values of bfloat16, given as bits, and widens them: exact, a NaN quiet with its payload kept.
    #[inline(always)]
    fn load_bf16(self, from: &[u16; LANES]) -> Self::F32 {
        let bits = self.load_u16(from).shl(16);
        let quiet = bits | self.i32(0x0040_0000);
        self.select_i32(bits.as_f32().is_nan(), quiet, bits).as_f32()
    }

    /// Asks for a place to be brought into the first-level cache, if the instruction set has words for that.
    #[inline(always)]
    fn prefetch<T>(self, _place: &T) {}

    /// Lane by lane `then` where the mask is true, else `otherwise`: bits unchanged.
    fn select(self, mask: Self::Mask, then: Self::F32, otherwise: Self::F32) -> Self::F32;
    /// The lanes of even and of odd position of two vectors one after the other: bits unchanged.
    fn deinterleave(self, first: Self::F32, second: Self::F32) -> [Self::F32; 2];
    /// Sixteen rows of sixteen made columns: lane `j` of result `i` is lane `i` of row `j`.
    fn transpose(self, rows: [Self::I32; LANES]) -> [Self::I32; LANES];

    /// Lane by lane `then` where the mask is true, else `otherwise`.
    fn select_i32(self, mask: Self::Mask, then: Self::I32, otherwise: Self::I32) -> Self::I32;

    /// A sum and four products more in each lane: of the four bytes of `a` as u8 with those of `b` as i8. Wraps, and never
    /// saturates on the way. Bytes lie in memory's order.
    fn add_dots(self, a: Self::I32, b: Self::I32, sum: Self::I32) -> Self::I32;
}

/// Sixteen f32. Operators round to nearest, ties to even; subnormals are kept.
pub trait Float:
    Copy + Debug + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The integers of the same token.
    type Int: Int<Float = Self, Mask = Self::Mask>;
    /// The doubles of the same token.
    type Double: Double<Float = Self>;
    /// The truths of the same token.
    type Mask: Mask;

    /// Writes sixteen values.
    fn store(self, to: &mut [f32; LANES]);
    /// Narrows to binary16 by the default rule of the number formats, and writes the bits.
    fn store_f16(self, to: &mut [u16; LANES]);
    /// Narrows to bfloat16 by the default rule of the number formats, and writes the bits.
    fn store_bf16(self, to: &mut [u16; LANES]);

    /// `self * factor + addend`, rounded once.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// `self * 2^exponent`, rounded once, for whole exponents within 200 of zero and `self` zero, infinite, NaN or of a
    /// magnitude within 2^±24. For other operands the lane is unspecified, but NaN if `self` is NaN.
    fn scale(self, exponent: Self) -> Self;
    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// The sign bit cleared.
    fn abs(self) -> Self;
    /// `self` where `self < other`, else `other`: so `other` where either is NaN, and for zeros of two signs.
    fn min(self, other: Self) -> Self;
    /// `self` where `self > other`, else `other`: so `other` where either is NaN, and for zeros of two signs.
    fn max(self, other: Self) -> Self;
    /// The nearest integer, ties to even; the sign of zero is kept.
    fn round(self) -> Self;
    /// The next integer at or below; the sign of zero is kept.
    fn floor(self) -> Self;
    /// The next integer at or above; the sign of zero is kept, and (-1, 0) gives -0.
    fn ceil(self) -> Self;
    /// The next integer toward zero; the sign of zero is kept, and (-1, 0) gives -0.
    fn trunc(self) -> Self;

    /// `self < other`, false for NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self <= other`, false for NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// `self == other`, false for NaN, and true for zeros of two signs.
    fn eq(self, other: Self) -> Self::Mask;

    /// The same bits as integers.
    fn bits(self) -> Self::Int;
    /// The values as f64, exactly.
    fn widen(self) -> Self::Double;
    /// The nearest i32 toward zero for values within i32. Outside it, and for NaN, the lane is unspecified: select it away.
    fn to_i32(self) -> Self::Int;

    /// `self > other`, false for NaN.
    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        other.lt(self)
    }

    /// `self >= other`, false for NaN.
    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        other.le(self)
    }

    /// Whether a lane is NaN.
    #[inline(always)]
    fn is_nan(self) -> Self::Mask {
        !self.eq(self)
    }
}

/// Sixteen i32. Arithmetic wraps.
pub trait Int:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
{
    /// The floats of the same token.
    type Float: Float<Int = Self, Mask = Self::Mask>;
    /// The truths of the same token.
    type Mask: Mask;

    /// Writes sixteen values.
    fn store(self, to: &mut [i32; LANES]);
    /// [`store`](Self::store), past the caches if the instruction set can and the place is on a 64-byte boundary.
    #[inline(always)]
    fn stream(self, to: &mut [i32; LANES], _permission: &Streaming<'_>) {
        self.store(to);
    }

    /// Writes the low sixteen bits of each value.
    fn store_low_u16(self, to: &mut [u16; LANES]);

    /// Shifted left, zeros coming in; `by` below 32.
    fn shl(self, by: u32) -> Self;
    /// Shifted right, copies of the sign coming in; `by` below 32.
    fn shr(self, by: u32) -> Self;
    /// Shifted right, zeros coming in; `by` below 32.
    fn shr_logical(self, by: u32) -> Self;

    /// `self == other`.
    fn eq(self, other: Self) -> Self::Mask;
    /// `self < other`, as signed numbers.
    fn lt(self, other: Self) -> Self::Mask;

    /// The entry of a table that the lowest three bits of each lane name.
    fn lookup(self, table: &[f32; 8]) -> Self::Float;

    /// The same bits as floats.
    fn as_f32(self) -> Self::Float;
    /// The nearest floats, ties to even.
    fn to_f32(self) -> Self::Float;
}

/// Sixteen f64, for intermediate results and for products.
pub trait Double:
    Copy + Debug + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// The floats of the same token.
    type Float: Float<Double = Self>;

    /// Writes sixteen values.
    fn store(self, to: &mut [f64; LANES]);
    /// `self * factor + addend`, rounded once.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// The nearest integer, ties to even; the sign of zero is kept.
    fn round(self) -> Self;
    /// The nearest f32, ties to even.
    fn narrow(self) -> Self::Float;
}

/// Sixteen truths.
pub trait Mask:
    Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// Whether any lane is true.
    fn any(self) -> bool;
    /// Whether all lanes are true.
    fn all(self) -> bool;
    /// Writes one byte a lane, 0 or 1.
    fn store(self, to: &mut [u8; LANES]);
}
