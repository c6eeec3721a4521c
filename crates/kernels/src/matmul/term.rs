//! `Term`: what the terms of a product are, and how they are summed.

use std::array::from_fn;
use std::fmt::Debug;
use std::ops::Add;

use bytemuck::{Pod, Zeroable, cast_mut, cast_ref, cast_slice, cast_slice_mut};
use stratal_tensor_base::DType;

use super::narrow;
use super::tile::{self, Shapes, Tile};
use crate::convert::{self, Half};
#[cfg(target_arch = "x86_64")]
use crate::simd::Avx512;
use crate::simd::{Double, Float, Int, Isa, LANES, Simd};

/// A type that products are computed in.
///
/// The tile asks for nothing else, so a product of another type is another implementation of this.
pub(crate) trait Term: Pod + Debug + Send + Sync {
    /// Sixteen of them.
    type Vector<S: Simd>: Copy;

    /// Whether one sum runs through all blocks of depth. Else each block is summed from zero, and added to those before.
    const IS_CONTINUED: bool;
    /// Whether [`transpose`](Self::transpose) and [`even`](Self::even) are there.
    const IS_TRANSPOSED: bool = false;

    /// Whether a result of this dtype has the bits of these terms.
    fn is(dtype: DType) -> bool;
    /// Rounds sums to a dtype once, and writes their bytes.
    fn narrow(isa: Isa, dtype: DType, sums: &[Self], to: &mut [u8]);

    fn splat<S: Simd>(simd: S, value: Self) -> Self::Vector<S>;
    fn load<S: Simd>(simd: S, from: &[Self; LANES]) -> Self::Vector<S>;
    fn store<S: Simd>(vector: Self::Vector<S>, to: &mut [Self; LANES]);
    /// A sum, and one term more.
    fn accumulate<S: Simd>(simd: S, a: Self::Vector<S>, b: Self::Vector<S>, sum: Self::Vector<S>) -> Self::Vector<S>;
    /// The sum of two blocks.
    fn add<S: Simd>(a: Self::Vector<S>, b: Self::Vector<S>) -> Self::Vector<S>;

    /// The shapes of tiles where there are 32 registers of sixteen f32, and those where registers hold half as much or less.
    const SHAPES: [Shapes; 2];

    /// Computes a tile where there are 32 registers of sixteen f32.
    fn run_wide<S: Simd>(token: S, tile: &mut Tile<'_, Self>);
    /// [`run_wide`](Self::run_wide) where there are dot products of bytes besides, which few terms have.
    #[cfg(target_arch = "x86_64")]
    fn run_vnni(token: Avx512<true>, tile: &mut Tile<'_, Self>) {
        Self::run_wide(token.without_vnni(), tile);
    }
    /// Computes a tile where registers hold half as many or fewer.
    fn run_narrow<S: Simd>(token: S, tile: &mut Tile<'_, Self>);

    /// The elements of even position of two vectors one after the other, where lines can be transposed.
    #[inline(always)]
    fn even<S: Simd>(_simd: S, first: Self::Vector<S>, _second: Self::Vector<S>) -> Self::Vector<S> {
        first
    }

    /// Sixteen lines of sixteen, made of each other's elements.
    #[inline(always)]
    fn transpose<S: Simd>(_simd: S, lines: [Self::Vector<S>; LANES]) -> [Self::Vector<S>; LANES] {
        lines
    }
}

/// Fast: fused, in blocks.
impl Term for f32 {
    type Vector<S: Simd> = S::F32;

    const IS_CONTINUED: bool = false;
    const SHAPES: [Shapes; 2] = [tile::ONE, tile::QUARTER];
    const IS_TRANSPOSED: bool = true;

    fn is(dtype: DType) -> bool {
        dtype == DType::F32
    }

    fn narrow(isa: Isa, dtype: DType, sums: &[Self], to: &mut [u8]) {
        match Half::of(dtype) {
            Some(half) => convert::narrow(isa, half, sums, cast_slice_mut(to)),
            None => to.copy_from_slice(cast_slice(sums)),
        }
    }

    #[inline(always)]
    fn splat<S: Simd>(simd: S, value: Self) -> S::F32 {
        simd.f32(value)
    }

    #[inline(always)]
    fn load<S: Simd>(simd: S, from: &[Self; LANES]) -> S::F32 {
        simd.load(from)
    }

    #[inline(always)]
    fn store<S: Simd>(vector: S::F32, to: &mut [Self; LANES]) {
        vector.store(to);
    }

    #[inline(always)]
    fn accumulate<S: Simd>(_simd: S, a: S::F32, b: S::F32, sum: S::F32) -> S::F32 {
        a.mul_add(b, sum)
    }

    #[inline(always)]
    fn add<S: Simd>(a: S::F32, b: S::F32) -> S::F32 {
        a + b
    }

    fn run_wide<S: Simd>(token: S, tile: &mut Tile<'_, Self>) {
        tile::one(token, tile);
    }

    fn run_narrow<S: Simd>(token: S, tile: &mut Tile<'_, Self>) {
        tile::quarter(token, tile);
    }

    #[inline(always)]
    fn even<S: Simd>(simd: S, first: S::F32, second: S::F32) -> S::F32 {
        simd.deinterleave(first, second)[0]
    }

    #[inline(always)]
    fn transpose<S: Simd>(simd: S, lines: [S::F32; LANES]) -> [S::F32; LANES] {
        // Loops and not `map`, whose closures the compiler leaves alone, and so without the instruction set.
        let mut bits = [simd.i32(0); LANES];
        for line in 0..LANES {
            bits[line] = lines[line].bits();
        }
        let (bits, mut columns) = (simd.transpose(bits), lines);
        for column in 0..LANES {
            columns[column] = bits[column].as_f32();
        }
        columns
    }
}

/// Fast: fused, in blocks.
impl Term for f64 {
    type Vector<S: Simd> = S::F64;

    const IS_CONTINUED: bool = false;
    const SHAPES: [Shapes; 2] = [tile::TWO, tile::HALF];

    fn is(dtype: DType) -> bool {
        dtype == DType::F64
    }

    fn narrow(_isa: Isa, _dtype: DType, sums: &[Self], to: &mut [u8]) {
        to.copy_from_slice(cast_slice(sums));
    }

    #[inline(always)]
    fn splat<S: Simd>(simd: S, value: Self) -> S::F64 {
        simd.f64(value)
    }

    #[inline(always)]
    fn load<S: Simd>(simd: S, from: &[Self; LANES]) -> S::F64 {
        simd.load_f64(from)
    }

    #[inline(always)]
    fn store<S: Simd>(vector: S::F64, to: &mut [Self; LANES]) {
        vector.store(to);
    }

    #[inline(always)]
    fn accumulate<S: Simd>(_simd: S, a: S::F64, b: S::F64, sum: S::F64) -> S::F64 {
        a.mul_add(b, sum)
    }

    #[inline(always)]
    fn add<S: Simd>(a: S::F64, b: S::F64) -> S::F64 {
        a + b
    }

    fn run_wide<S: Simd>(token: S, tile: &mut Tile<'_, Self>) {
        tile::two(token, tile);
    }

    fn run_narrow<S: Simd>(token: S, tile: &mut Tile<'_, Self>) {
        tile::half(token, tile);
    }
}

/// Exact: an f64 whose products are rounded before they are added, all in one sum.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Exact(pub(crate) f64);

impl Add for Exact {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Term for Exact {
    type Vector<S: Simd> = S::F64;

    const IS_CONTINUED: bool = true;
    const SHAPES: [Shapes; 2] = [tile::QUARTER, tile::HALF];

    fn is(dtype: DType) -> bool {
        dtype == DType::F64
    }

    fn narrow(_isa: Isa, dtype: DType, sums: &[Self], to: &mut [u8]) {
        narrow::round_once(dtype, cast_slice(sums), to);
    }

    #[inline(always)]
    fn splat<S: Simd>(simd: S, value: Self) -> S::F64 {
        simd.f64(value.0)
    }

    #[inline(always)]
    fn load<S: Simd>(simd: S, from: &[Self; LANES]) -> S::F64 {
        simd.load_f64(cast_ref(from))
    }

    #[inline(always)]
    fn store<S: Simd>(vector: S::F64, to: &mut [Self; LANES]) {
        vector.store(cast_mut(to));
    }

    #[inline(always)]
    fn accumulate<S: Simd>(_simd: S, a: S::F64, b: S::F64, sum: S::F64) -> S::F64 {
        sum + a * b
    }

    #[inline(always)]
    fn add<S: Simd>(a: S::F64, b: S::F64) -> S::F64 {
        a + b
    }

    fn run_wide<S: Simd>(token: S, tile: &mut Tile<'_, Self>) {
        tile::quarter(token, tile);
    }

    fn run_narrow<S: Simd>(token: S, tile: &mut Tile<'_, Self>) {
        tile::half(token, tile);
    }
}

/// Wrapping, so the order of a sum does not matter.
impl Term for i32 {
    type Vector<S: Simd> = S::I32;

    const IS_CONTINUED: bool = true;
    const SHAPES: [Shapes; 2] = [tile::QUARTER, tile::HALF];

    fn is(dtype: DType) -> bool {
        matches!(dtype, DType::I32 | DType::U32)
    }

    fn narrow(_isa: Isa, _dtype: DType, sums: &[Self], to: &mut [u8]) {
        to.copy_from_slice(cast_slice(sums));
    }

    #[inline(always)]
    fn splat<S: Simd>(simd: S, value: Self) -> S::I32 {
        simd.i32(value)
    }

    #[inline(always)]
    fn load<S: Simd>(simd: S, from: &[Self; LANES]) -> S::I32 {
        simd.load_i32(from)
    }

    #[inline(always)]
    fn store<S: Simd>(vector: S::I32, to: &mut [Self; LANES]) {
        vector.store(to);
    }

    #[inline(always)]
    fn accumulate<S: Simd>(_simd: S, a: S::I32, b: S::I32, sum: S::I32) -> S::I32 {
        sum + a * b
    }

    #[inline(always)]
    fn add<S: Simd>(a: S::I32, b: S::I32) -> S::I32 {
        a + b
    }

    fn run_wide<S: Simd>(token: S, tile: &mut Tile<'_, Self>) {
        tile::quarter(token, tile);
    }

    fn run_narrow<S: Simd>(token: S, tile: &mut Tile<'_, Self>) {
        tile::half(token, tile);
    }
}

/// Wrapping. Instruction sets without 64-bit products get an array, of which the compiler makes what it can.
impl Term for i64 {
    type Vector<S: Simd> = [Self; LANES];

    const IS_CONTINUED: bool = true;
    const SHAPES: [Shapes; 2] = [tile::HALF, tile::HALF];

    fn is(dtype: DType) -> bool {
        matches!(dtype, DType::I64 | DType::U64)
    }

    fn narrow(_isa: Isa, _dtype: DType, sums: &[Self], to: &mut [u8]) {
        to.copy_from_slice(cast_slice(sums));
    }

    #[inline(always)]
    fn splat<S: Simd>(_simd: S, value: Self) -> [Self; LANES] {
        [value; LANES]
    }

    #[inline(always)]
    fn load<S: Simd>(_simd: S, from: &[Self; LANES]) -> [Self; LANES] {
        *from
    }

    #[inline(always)]
    fn store<S: Simd>(vector: [Self; LANES], to: &mut [Self; LANES]) {
        *to = vector;
    }

    #[inline(always)]
    fn accumulate<S: Simd>(_simd: S, a: [Self; LANES], b: [Self; LANES], sum: [Self; LANES]) -> [Self; LANES] {
        from_fn(|lane| sum[lane].wrapping_add(a[lane].wrapping_mul(b[lane])))
    }

    #[inline(always)]
    fn add<S: Simd>(a: [Self; LANES], b: [Self; LANES]) -> [Self; LANES] {
        from_fn(|lane| a[lane].wrapping_add(b[lane]))
    }

    fn run_wide<S: Simd>(token: S, tile: &mut Tile<'_, Self>) {
        tile::half(token, tile);
    }

    fn run_narrow<S: Simd>(token: S, tile: &mut Tile<'_, Self>) {
        tile::half(token, tile);
    }
}
