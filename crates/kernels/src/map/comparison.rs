//! Comparisons: maps of two inputs to truths.

use std::fmt::Debug;

use bytemuck::cast_slice;
use stratal_tensor_base::half::{bf16_to_f32, f16_to_f32};
use stratal_tensor_base::{Bool, DType, Element, Scalar};

use super::{Formula, half_blocks};
use crate::convert::Half;
use crate::simd::{Isa, LANES, Mask, Simd, Task};

/// Runs code with a type name for f64 and integers, which Rust compares itself, and nothing for the others.
macro_rules! match_f64_or_integer {
    ($dtype:expr, $type:ident => $body:expr) => {
        match $dtype {
            DType::F64 => {
                type $type = f64;
                $body
            }
            _ => crate::integer::match_integer!($dtype, $type => $body),
        }
    };
}

/// A comparison, written once for every instruction set. Floats compare by IEEE 754: a NaN is equal to nothing, less than
/// nothing and greater than nothing; zeros of two signs are equal.
pub trait ComparisonFormula: Copy + Debug + Send + Sync + 'static {
    /// The operation's name: ONNX's in snake case.
    const NAME: &'static str;

    /// The comparison of sixteen f32. Mark it `#[inline(always)]`.
    fn f32<S: Simd>(self, simd: S, a: S::F32, b: S::F32) -> S::Mask;

    /// The comparison of any two elements; truths compare as 0 and 1. Mark it `#[inline(always)]`.
    fn elements<T: PartialOrd>(self, a: T, b: T) -> bool;
}

/// A comparison as backends see it: every [`ComparisonFormula`] is one, as a [`Formula`]. The result is of bool.
pub trait Comparison: Debug + Send + Sync {
    /// The operation's name: ONNX's in snake case.
    fn name(&self) -> &'static str;

    /// The comparison of one pair of elements of one dtype, without vectors; false for elements of two dtypes.
    fn element(&self, a: Scalar, b: Scalar) -> bool;

    /// The comparison of elements of a dtype, given as bytes. The slices hold equally many elements and are aligned for
    /// them. Writes 0 or 1.
    fn run(&self, isa: Isa, dtype: DType, a: &[u8], b: &[u8], result: &mut [u8]);
}

impl<F: ComparisonFormula> Comparison for Formula<F> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn element(&self, a: Scalar, b: Scalar) -> bool {
        match (a, b) {
            (Scalar::F32(a), Scalar::F32(b)) => self.0.elements(a, b),
            (Scalar::F16(a), Scalar::F16(b)) => self.0.elements(f16_to_f32(a), f16_to_f32(b)),
            (Scalar::BF16(a), Scalar::BF16(b)) => self.0.elements(bf16_to_f32(a), bf16_to_f32(b)),
            (Scalar::F64(a), Scalar::F64(b)) => self.0.elements(a, b),
            (Scalar::Bool(a), Scalar::Bool(b)) => self.0.elements(a.get(), b.get()),
            (Scalar::I8(a), Scalar::I8(b)) => self.0.elements(a, b),
            (Scalar::I16(a), Scalar::I16(b)) => self.0.elements(a, b),
            (Scalar::I32(a), Scalar::I32(b)) => self.0.elements(a, b),
            (Scalar::I64(a), Scalar::I64(b)) => self.0.elements(a, b),
            (Scalar::U8(a), Scalar::U8(b)) => self.0.elements(a, b),
            (Scalar::U16(a), Scalar::U16(b)) => self.0.elements(a, b),
            (Scalar::U32(a), Scalar::U32(b)) => self.0.elements(a, b),
            (Scalar::U64(a), Scalar::U64(b)) => self.0.elements(a, b),
            _ => false,
        }
    }

    fn run(&self, isa: Isa, dtype: DType, a: &[u8], b: &[u8], result: &mut [u8]) {
        let formula = self.0;
        match (Half::of(dtype), dtype) {
            (Some(half), _) => {
                let function = |[a, b]: [&[f32]; 2], result: &mut [u8]| isa.run(Floats { formula, a, b, result });
                half_blocks::map_to_bytes(isa, half, [cast_slice(a), cast_slice(b)], result, function);
            }
            (None, DType::F32) => isa.run(Floats { formula, a: cast_slice(a), b: cast_slice(b), result }),
            (None, DType::Bool) => isa.run(Truths { formula, a: cast_slice(a), b: cast_slice(b), result }),
            (None, _) => match_f64_or_integer!(dtype, T => {
                isa.run(Others { formula, a: cast_slice::<u8, T>(a), b: cast_slice(b), result });
            }),
        }
    }
}

struct Floats<'a, F> {
    formula: F,
    a: &'a [f32],
    b: &'a [f32],
    result: &'a mut [u8],
}

impl<F: ComparisonFormula> Task for Floats<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (a, a_rest) = self.a.as_chunks::<LANES>();
        let (b, b_rest) = self.b.as_chunks::<LANES>();
        let (result, result_rest) = self.result.as_chunks_mut::<LANES>();
        for ((a, b), result) in a.iter().zip(b).zip(result) {
            self.formula.f32(simd, simd.load(a), simd.load(b)).store(result);
        }
        for ((a, b), result) in a_rest.iter().zip(b_rest).zip(result_rest) {
            *result = u8::from(self.formula.elements(*a, *b));
        }
    }
}

struct Others<'a, F, T> {
    formula: F,
    a: &'a [T],
    b: &'a [T],
    result: &'a mut [u8],
}

impl<F: ComparisonFormula, T: Element + PartialOrd> Task for Others<'_, F, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        for ((a, b), result) in self.a.iter().zip(self.b).zip(self.result) {
            *result = u8::from(self.formula.elements(*a, *b));
        }
    }
}

struct Truths<'a, F> {
    formula: F,
    a: &'a [Bool],
    b: &'a [Bool],
    result: &'a mut [u8],
}

impl<F: ComparisonFormula> Task for Truths<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        for ((a, b), result) in self.a.iter().zip(self.b).zip(self.result) {
            *result = u8::from(self.formula.elements(a.get(), b.get()));
        }
    }
}
