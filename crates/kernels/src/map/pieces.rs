//! Polynomials in eight pieces: one degree for the whole range, coefficients by table lookup.
//!
//! A number `a` of at least zero belongs to the piece that the upper bits of `a + offset` name, its exponent and the
//! first one or two bits of its mantissa: two or four pieces for each power of two, so short pieces near zero and long
//! ones where a function flattens. A table is indexed by the lowest three bits of that number.
//!
//! On a piece f(a) = f(c) + d·(a1 + a2·d + …) with d = a - c, which is exact or nearly so. The centre c is a float close
//! to a node of the piece for which f(c) is almost a float, so that the tabulated f(c) adds no rounding of its own; the
//! first piece has c = 0. The polynomial is a minimax fit of the error in ulps of f (Remez exchange in f64), each
//! coefficient rounded to f32, lowest power first, and the later ones fitted again.

use crate::simd::{Float, Int, Simd};

/// A table of values, one a piece.
pub(super) type Table = [f32; 8];

/// The piece to which each lane belongs.
pub(super) struct Piece<S: Simd> {
    /// `a + offset`.
    shifted: S::F32,
    index: S::I32,
    /// The distance from the centre.
    pub(super) d: S::F32,
}

/// How a range is cut into pieces.
pub(super) struct Cut {
    /// What is added to `a`.
    pub(super) offset: f32,
    /// The bits of the mantissa that belong to the number of a piece.
    pub(super) bits: u32,
    /// The centre of each piece.
    pub(super) centres: Table,
}

/// Finds the pieces of `a`.
#[inline(always)]
pub(super) fn piece<S: Simd>(simd: S, a: S::F32, cut: &Cut) -> Piece<S> {
    let shifted = a + simd.f32(cut.offset);
    let index = shifted.bits().shr_logical(23 - cut.bits);
    Piece { shifted, index, d: a - index.lookup(&cut.centres) }
}

impl<S: Simd> Piece<S> {
    /// Whether the lane belongs to a piece below the one that starts at `a + offset` = `start`.
    #[inline(always)]
    pub(super) fn below(&self, simd: S, start: f32) -> S::Mask {
        self.shifted.lt(simd.f32(start))
    }

    /// The constant of the piece.
    #[inline(always)]
    pub(super) fn value(&self, table: &Table) -> S::F32 {
        self.index.lookup(table)
    }

    /// The polynomial in `d`, coefficients from the lowest power up.
    #[inline(always)]
    pub(super) fn polynomial<const N: usize>(&self, coefficients: &[Table; N]) -> S::F32 {
        let mut sum = self.value(&coefficients[N - 1]);
        for table in coefficients[..N - 1].iter().rev() {
            sum = sum.mul_add(self.d, self.value(table));
        }
        sum
    }
}
