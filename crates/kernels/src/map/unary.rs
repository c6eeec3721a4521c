//! Unary maps: what a formula of one input is, and what backends see of it.

use std::fmt::Debug;

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use stratal_tensor_base::{DType, DTypeKind, Scalar};

use super::{Formula, half_blocks};
use crate::convert::Half;
use crate::integer::{Integer, match_integer};
use crate::simd::{Float, Isa, LANES, Portable, Simd, Task};

/// An operation on one number, written once for every instruction set.
///
/// The value of the type holds the operation's attributes, such as the slope of a leaky ReLU. 16-bit floats compute in f32
/// and are narrowed once.
///
/// ```
/// use stratal_kernels::map::UnaryFormula;
/// use stratal_kernels::simd::Simd;
///
/// /// x squared.
/// #[derive(Debug, Clone, Copy)]
/// struct Square;
///
/// impl UnaryFormula for Square {
///     const NAME: &'static str = "square";
///
///     #[inline(always)]
///     fn f32<S: Simd>(self, _simd: S, x: S::F32) -> S::F32 {
///         x * x
///     }
///
///     fn f64(self, x: f64) -> f64 {
///         x * x
///     }
/// }
/// ```
pub trait UnaryFormula: Copy + Debug + Send + Sync + 'static {
    /// The operation's name: ONNX's in snake case.
    const NAME: &'static str;

    /// Whether the operation is defined for integers too, by [`integer`](Self::integer).
    const HAS_INTEGERS: bool = false;

    /// The formula on sixteen f32. Mark it `#[inline(always)]`.
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32;

    /// The operation on an f64.
    fn f64(self, x: f64) -> f64;

    /// The operation on an integer, if it [has one](Self::HAS_INTEGERS). Mark it `#[inline(always)]`.
    #[inline(always)]
    fn integer<T: Integer>(self, x: T) -> T {
        x
    }
}

/// A unary map as backends see it: every [`UnaryFormula`] is one, as a [`Formula`], and the operations on bits.
///
/// The dtype of the result is that of the operand.
pub trait Unary: Debug + Send + Sync {
    /// The operation's name: ONNX's in snake case.
    fn name(&self) -> &'static str;

    /// Whether the operation has a meaning for this dtype.
    fn is_defined(&self, dtype: DType) -> bool;

    /// The operation on one element, without vectors. What it is not [defined](Self::is_defined) for is returned unchanged.
    fn element(&self, x: Scalar) -> Scalar;

    /// The operation on elements of a dtype that it is [defined](Self::is_defined) for, given as bytes. The slices are
    /// equally long and aligned for the dtype.
    fn run(&self, isa: Isa, dtype: DType, x: &[u8], result: &mut [u8]);

    /// [`run`](Self::run) with results in the operands' places.
    fn run_in_place(&self, isa: Isa, dtype: DType, x: &mut [u8]);
}

impl<F: UnaryFormula> Unary for Formula<F> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn is_defined(&self, dtype: DType) -> bool {
        match dtype.kind() {
            DTypeKind::Float => true,
            DTypeKind::Signed | DTypeKind::Unsigned => F::HAS_INTEGERS,
            DTypeKind::Bool => false,
        }
    }

    fn element(&self, x: Scalar) -> Scalar {
        let f32 = |x: f32| {
            let mut lanes = [x; LANES];
            self.0.f32(Portable::<1>, Portable::<1>.load(&lanes)).store(&mut lanes);
            lanes[0]
        };
        match x {
            Scalar::F32(x) => f32(x).into(),
            Scalar::F16(x) => f32_to_f16(f32(f16_to_f32(x))).into(),
            Scalar::BF16(x) => f32_to_bf16(f32(bf16_to_f32(x))).into(),
            Scalar::F64(x) => self.0.f64(x).into(),
            Scalar::Bool(_) => x,
            Scalar::I8(x) => self.0.integer(x).into(),
            Scalar::I16(x) => self.0.integer(x).into(),
            Scalar::I32(x) => self.0.integer(x).into(),
            Scalar::I64(x) => self.0.integer(x).into(),
            Scalar::U8(x) => self.0.integer(x).into(),
            Scalar::U16(x) => self.0.integer(x).into(),
            Scalar::U32(x) => self.0.integer(x).into(),
            Scalar::U64(x) => self.0.integer(x).into(),
        }
    }

    fn run(&self, isa: Isa, dtype: DType, x: &[u8], result: &mut [u8]) {
        let formula = self.0;
        match dtype {
            DType::F32 => isa.run(Floats { formula, x: cast_slice(x), result: cast_slice_mut(result) }),
            DType::F64 => isa.run(Doubles { formula, x: cast_slice(x), result: cast_slice_mut(result) }),
            _ => match Half::of(dtype) {
                Some(half) => half_blocks::map(isa, half, [cast_slice(x)], cast_slice_mut(result), |[x], result| {
                    isa.run(Floats { formula, x, result });
                }),
                None if F::HAS_INTEGERS => match_integer!(dtype, T => {
                    isa.run(Integers::<F, T> { formula, x: cast_slice(x), result: cast_slice_mut(result) });
                }),
                None => {}
            },
        }
    }

    fn run_in_place(&self, isa: Isa, dtype: DType, x: &mut [u8]) {
        if dtype == DType::F32 {
            return isa.run(FloatsInPlace { formula: self.0, x: cast_slice_mut(x) });
        }
        super::in_place::by_copy(x, |x, result| self.run(isa, dtype, x, result));
    }
}

struct Floats<'a, F> {
    formula: F,
    x: &'a [f32],
    result: &'a mut [f32],
}

impl<F: UnaryFormula> Task for Floats<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (x, x_rest) = self.x.as_chunks::<LANES>();
        let (result, result_rest) = self.result.as_chunks_mut::<LANES>();
        for (x, result) in x.iter().zip(result) {
            self.formula.f32(simd, simd.load(x)).store(result);
        }
        if !x_rest.is_empty() {
            let mut lanes = [1.0; LANES];
            lanes[..x_rest.len()].copy_from_slice(x_rest);
            self.formula.f32(simd, simd.load(&lanes)).store(&mut lanes);
            result_rest.copy_from_slice(&lanes[..x_rest.len()]);
        }
    }
}

struct FloatsInPlace<'a, F> {
    formula: F,
    x: &'a mut [f32],
}

impl<F: UnaryFormula> Task for FloatsInPlace<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (x, rest) = self.x.as_chunks_mut::<LANES>();
        for x in x {
            self.formula.f32(simd, simd.load(x)).store(x);
        }
        if !rest.is_empty() {
            let mut lanes = [1.0; LANES];
            lanes[..rest.len()].copy_from_slice(rest);
            self.formula.f32(simd, simd.load(&lanes)).store(&mut lanes);
            rest.copy_from_slice(&lanes[..rest.len()]);
        }
    }
}

/// On f64: scalar text, which the compiler turns into vectors where the operation is simple.
struct Doubles<'a, F> {
    formula: F,
    x: &'a [f64],
    result: &'a mut [f64],
}

impl<F: UnaryFormula> Task for Doubles<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        for (x, result) in self.x.iter().zip(self.result) {
            *result = self.formula.f64(*x);
        }
    }
}

/// On integers: scalar text, which the compiler turns into vectors.
struct Integers<'a, F, T> {
    formula: F,
    x: &'a [T],
    result: &'a mut [T],
}

impl<F: UnaryFormula, T: Integer> Task for Integers<'_, F, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        for (x, result) in self.x.iter().zip(self.result) {
            *result = self.formula.integer(*x);
        }
    }
}
