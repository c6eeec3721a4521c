//! Predicates: maps of one float to a truth.

use std::fmt::Debug;

use bytemuck::cast_slice;
use stratal_tensor_base::half::{bf16_to_f32, f16_to_f32};
use stratal_tensor_base::{DType, DTypeKind, Scalar};

use super::{Formula, half_blocks};
use crate::convert::Half;
use crate::simd::{Isa, LANES, Mask, Simd, Task};

/// A question about a float, written once for every instruction set.
pub trait PredicateFormula: Copy + Debug + Send + Sync + 'static {
    /// The operation's name: ONNX's in snake case.
    const NAME: &'static str;

    /// The answer for sixteen f32. Mark it `#[inline(always)]`.
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::Mask;

    /// The answer for an f64, which holds every shorter float. Mark it `#[inline(always)]`.
    fn f64(self, x: f64) -> bool;
}

/// A predicate as backends see it: every [`PredicateFormula`] is one, as a [`Formula`]. Operands are floats, the result is of bool.
pub trait Predicate: Debug + Send + Sync {
    /// The operation's name: ONNX's in snake case.
    fn name(&self) -> &'static str;

    /// The answer for one float, without vectors; false for other elements.
    fn element(&self, x: Scalar) -> bool;

    /// The answers for floats of a dtype, given as bytes aligned for them, as many as the result has. Writes 0 or 1.
    fn run(&self, isa: Isa, dtype: DType, x: &[u8], result: &mut [u8]);
}

impl<F: PredicateFormula> Predicate for Formula<F> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn element(&self, x: Scalar) -> bool {
        match x {
            Scalar::F32(x) => self.0.f64(x.into()),
            Scalar::F16(x) => self.0.f64(f16_to_f32(x).into()),
            Scalar::BF16(x) => self.0.f64(bf16_to_f32(x).into()),
            Scalar::F64(x) => self.0.f64(x),
            _ => false,
        }
    }

    fn run(&self, isa: Isa, dtype: DType, x: &[u8], result: &mut [u8]) {
        let formula = self.0;
        match (Half::of(dtype), dtype) {
            (Some(half), _) => half_blocks::map_to_bytes(isa, half, [cast_slice(x)], result, |[x], result| {
                isa.run(Floats { formula, x, result });
            }),
            (None, DType::F32) => isa.run(Floats { formula, x: cast_slice(x), result }),
            (None, DType::F64) => isa.run(Doubles { formula, x: cast_slice(x), result }),
            (None, _) => debug_assert_ne!(dtype.kind(), DTypeKind::Float),
        }
    }
}

struct Floats<'a, F> {
    formula: F,
    x: &'a [f32],
    result: &'a mut [u8],
}

impl<F: PredicateFormula> Task for Floats<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (x, x_rest) = self.x.as_chunks::<LANES>();
        let (result, result_rest) = self.result.as_chunks_mut::<LANES>();
        for (x, result) in x.iter().zip(result) {
            self.formula.f32(simd, simd.load(x)).store(result);
        }
        for (x, result) in x_rest.iter().zip(result_rest) {
            *result = u8::from(self.formula.f64((*x).into()));
        }
    }
}

struct Doubles<'a, F> {
    formula: F,
    x: &'a [f64],
    result: &'a mut [u8],
}

impl<F: PredicateFormula> Task for Doubles<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        for (x, result) in self.x.iter().zip(self.result) {
            *result = u8::from(self.formula.f64(*x));
        }
    }
}
