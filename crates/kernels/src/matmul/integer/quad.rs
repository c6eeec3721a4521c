//! `Quad`: four bytes along the depth, as one term of a product.

use bytemuck::{Pod, Zeroable, cast_mut, cast_ref, cast_slice};
use stratal_tensor_base::DType;

use super::super::term::Term;
use super::super::tile::{self, Shapes, Tile};
#[cfg(target_arch = "x86_64")]
use crate::simd::Avx512;
use crate::simd::{Int, Isa, LANES, Simd};

/// Bytes of a quad.
pub(crate) const QUAD: usize = 4;

/// As a term four bytes, u8 on the left side and i8 on the right one; as a sum an i32, which wraps.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Quad(pub(crate) i32);

impl Term for Quad {
    type Vector<S: Simd> = S::I32;

    const IS_CONTINUED: bool = true;
    const SHAPES: [Shapes; 2] = [tile::ONE, tile::QUARTER];

    fn is(dtype: DType) -> bool {
        dtype == DType::I32
    }

    fn narrow(_isa: Isa, _dtype: DType, sums: &[Self], to: &mut [u8]) {
        to.copy_from_slice(cast_slice(sums));
    }

    #[inline(always)]
    fn splat<S: Simd>(simd: S, value: Self) -> S::I32 {
        simd.i32(value.0)
    }

    #[inline(always)]
    fn load<S: Simd>(simd: S, from: &[Self; LANES]) -> S::I32 {
        simd.load_i32(cast_ref(from))
    }

    #[inline(always)]
    fn store<S: Simd>(vector: S::I32, to: &mut [Self; LANES]) {
        vector.store(cast_mut(to));
    }

    #[inline(always)]
    fn accumulate<S: Simd>(simd: S, a: S::I32, b: S::I32, sum: S::I32) -> S::I32 {
        simd.add_dots(a, b, sum)
    }

    #[inline(always)]
    fn add<S: Simd>(a: S::I32, b: S::I32) -> S::I32 {
        a + b
    }

    fn run_wide<S: Simd>(token: S, tile: &mut Tile<'_, Self>) {
        tile::one(token, tile);
    }

    #[cfg(target_arch = "x86_64")]
    fn run_vnni(token: Avx512<true>, tile: &mut Tile<'_, Self>) {
        tile::one(token, tile);
    }

    fn run_narrow<S: Simd>(token: S, tile: &mut Tile<'_, Self>) {
        tile::quarter(token, tile);
    }
}
