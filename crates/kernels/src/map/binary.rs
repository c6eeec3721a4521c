//! Binary maps: what a formula of two inputs is, and what backends see of it.

use std::fmt::Debug;

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use stratal_tensor_base::{DType, DTypeKind, Element, Scalar};

use super::{Formula, half_blocks, in_place};
use crate::convert::Half;
use crate::integer::{Integer, match_integer};
use crate::simd::{Float, Isa, LANES, Portable, Simd, Task};

/// An operation on two numbers, written once for every instruction set.
///
/// 16-bit floats compute in f32 and are narrowed once; integers wrap.
pub trait BinaryFormula: Copy + Debug + Send + Sync + 'static {
    /// The operation's name: ONNX's in snake case.
    const NAME: &'static str;

    /// Whether the operation is defined for integers too, by [`integer`](Self::integer).
    const HAS_INTEGERS: bool = false;

    /// Whether some integers have no result: [`fault`](Self::fault) says which.
    const CAN_FAIL: bool = false;

    /// The formula on sixteen f32. Mark it `#[inline(always)]`.
    fn f32<S: Simd>(self, simd: S, a: S::F32, b: S::F32) -> S::F32;

    /// The operation on f64.
    fn f64(self, a: f64, b: f64) -> f64;

    /// The operation on integers, if it [has one](Self::HAS_INTEGERS). Mark it `#[inline(always)]`.
    #[inline(always)]
    fn integer<T: Integer>(self, a: T, _b: T) -> T {
        a
    }

    /// Why these integers have no result, if so.
    #[inline(always)]
    fn fault<T: Integer>(self, _a: T, _b: T) -> Option<Fault> {
        None
    }
}

/// Why two integers have no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The divisor is zero.
    DivisionByZero,
    /// The base is zero and the exponent negative.
    ZeroToNegativePower,
}

/// A binary map as backends see it: every [`BinaryFormula`] is one, as a [`Formula`], and the operations on bits.
///
/// Both operands and the result have one dtype.
pub trait Binary: Debug + Send + Sync {
    /// The operation's name: ONNX's in snake case.
    fn name(&self) -> &'static str;

    /// Whether the operation has a meaning for this dtype.
    fn is_defined(&self, dtype: DType) -> bool;

    /// Whether some elements of this dtype have no result.
    fn can_fail(&self, dtype: DType) -> bool;

    /// The first reason why a pair of elements has no result. Arguments are as for [`run`](Self::run).
    fn fault(&self, dtype: DType, a: &[u8], b: &[u8]) -> Option<Fault>;

    /// The operation on one pair of elements of one dtype, without vectors. What it is not [defined](Self::is_defined) for
    /// gives the first element.
    fn element(&self, a: Scalar, b: Scalar) -> Scalar;

    /// The operation on elements of a dtype that it is [defined](Self::is_defined) for, given as bytes. The slices are
    /// equally long and aligned for the dtype.
    fn run(&self, isa: Isa, dtype: DType, a: &[u8], b: &[u8], result: &mut [u8]);

    /// [`run`](Self::run) with results in the first operand's places.
    fn run_in_place(&self, isa: Isa, dtype: DType, a: &mut [u8], b: &[u8]);
}

impl<F: BinaryFormula> Binary for Formula<F> {
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

    fn can_fail(&self, dtype: DType) -> bool {
        F::CAN_FAIL && matches!(dtype.kind(), DTypeKind::Signed | DTypeKind::Unsigned)
    }

    fn fault(&self, dtype: DType, a: &[u8], b: &[u8]) -> Option<Fault> {
        match_integer!(dtype, T => {
            let (a, b) = (cast_slice::<u8, T>(a), cast_slice::<u8, T>(b));
            a.iter().zip(b).find_map(|(a, b)| BinaryFormula::fault(self.0, *a, *b))
        })
    }

    fn element(&self, a: Scalar, b: Scalar) -> Scalar {
        let f32 = |a: f32, b: f32| {
            let simd = Portable::<1>;
            let mut lanes = [a; LANES];
            self.0.f32(simd, simd.load(&lanes), simd.load(&[b; LANES])).store(&mut lanes);
            lanes[0]
        };
        match (a, b) {
            (Scalar::F32(a), Scalar::F32(b)) => f32(a, b).into(),
            (Scalar::F16(a), Scalar::F16(b)) => f32_to_f16(f32(f16_to_f32(a), f16_to_f32(b))).into(),
            (Scalar::BF16(a), Scalar::BF16(b)) => f32_to_bf16(f32(bf16_to_f32(a), bf16_to_f32(b))).into(),
            (Scalar::F64(a), Scalar::F64(b)) => self.0.f64(a, b).into(),
            _ => integer_element(a, b, IntegersOf(self.0)),
        }
    }

    fn run(&self, isa: Isa, dtype: DType, a: &[u8], b: &[u8], result: &mut [u8]) {
        let formula = self.0;
        match dtype {
            DType::F32 => {
                isa.run(Floats { formula, a: cast_slice(a), b: cast_slice(b), result: cast_slice_mut(result) });
            }
            DType::F64 => isa.run(Elements {
                rule: DoublesOf(formula),
                a: cast_slice::<u8, f64>(a),
                b: cast_slice(b),
                result: cast_slice_mut(result),
            }),
            _ => match Half::of(dtype) {
                Some(half) => {
                    let function = |[a, b]: [&[f32]; 2], result: &mut [f32]| isa.run(Floats { formula, a, b, result });
                    half_blocks::map(isa, half, [cast_slice(a), cast_slice(b)], cast_slice_mut(result), function);
                }
                None if F::HAS_INTEGERS => run_integers(isa, dtype, IntegersOf(formula), a, b, result),
                None => {}
            },
        }
    }

    fn run_in_place(&self, isa: Isa, dtype: DType, a: &mut [u8], b: &[u8]) {
        if dtype == DType::F32 {
            return isa.run(FloatsInPlace { formula: self.0, a: cast_slice_mut(a), b: cast_slice(b) });
        }
        in_place::by_copy_with(a, b, |a, b, result| self.run(isa, dtype, a, b, result));
    }
}

/// A rule on pairs of elements of type `T`: scalar text, which the compiler turns into vectors.
pub(super) trait Rule<T>: Copy {
    fn apply(self, a: T, b: T) -> T;
}

/// A rule on pairs of integers of every type.
pub(super) trait IntegerRule:
    Rule<i8> + Rule<i16> + Rule<i32> + Rule<i64> + Rule<u8> + Rule<u16> + Rule<u32> + Rule<u64>
{
}

impl<R> IntegerRule for R where
    R: Rule<i8> + Rule<i16> + Rule<i32> + Rule<i64> + Rule<u8> + Rule<u16> + Rule<u32> + Rule<u64>
{
}

/// A formula's rule on integers.
#[derive(Clone, Copy)]
struct IntegersOf<F>(F);

impl<F: BinaryFormula, T: Integer> Rule<T> for IntegersOf<F> {
    #[inline(always)]
    fn apply(self, a: T, b: T) -> T {
        self.0.integer(a, b)
    }
}

/// A formula's rule on f64.
#[derive(Clone, Copy)]
struct DoublesOf<F>(F);

impl<F: BinaryFormula> Rule<f64> for DoublesOf<F> {
    #[inline(always)]
    fn apply(self, a: f64, b: f64) -> f64 {
        self.0.f64(a, b)
    }
}

/// A rule on one pair of integers of one type; the first element for anything else.
pub(super) fn integer_element(a: Scalar, b: Scalar, rule: impl IntegerRule) -> Scalar {
    match (a, b) {
        (Scalar::I8(a), Scalar::I8(b)) => rule.apply(a, b).into(),
        (Scalar::I16(a), Scalar::I16(b)) => rule.apply(a, b).into(),
        (Scalar::I32(a), Scalar::I32(b)) => rule.apply(a, b).into(),
        (Scalar::I64(a), Scalar::I64(b)) => rule.apply(a, b).into(),
        (Scalar::U8(a), Scalar::U8(b)) => rule.apply(a, b).into(),
        (Scalar::U16(a), Scalar::U16(b)) => rule.apply(a, b).into(),
        (Scalar::U32(a), Scalar::U32(b)) => rule.apply(a, b).into(),
        (Scalar::U64(a), Scalar::U64(b)) => rule.apply(a, b).into(),
        _ => a,
    }
}

/// A rule on integers of a dtype, given as bytes.
pub(super) fn run_integers(isa: Isa, dtype: DType, rule: impl IntegerRule, a: &[u8], b: &[u8], result: &mut [u8]) {
    match_integer!(dtype, T => {
        isa.run(Elements { rule, a: cast_slice::<u8, T>(a), b: cast_slice(b), result: cast_slice_mut(result) });
    });
}

/// A rule on elements.
pub(super) struct Elements<'a, R, T> {
    pub(super) rule: R,
    pub(super) a: &'a [T],
    pub(super) b: &'a [T],
    pub(super) result: &'a mut [T],
}

impl<R: Rule<T>, T: Element> Task for Elements<'_, R, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        for ((a, b), result) in self.a.iter().zip(self.b).zip(self.result) {
            *result = self.rule.apply(*a, *b);
        }
    }
}

struct Floats<'a, F> {
    formula: F,
    a: &'a [f32],
    b: &'a [f32],
    result: &'a mut [f32],
}

impl<F: BinaryFormula> Task for Floats<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (a, a_rest) = self.a.as_chunks::<LANES>();
        let (b, b_rest) = self.b.as_chunks::<LANES>();
        let (result, result_rest) = self.result.as_chunks_mut::<LANES>();
        for ((a, b), result) in a.iter().zip(b).zip(result) {
            self.formula.f32(simd, simd.load(a), simd.load(b)).store(result);
        }
        if !result_rest.is_empty() {
            let mut lanes = [1.0; LANES];
            rest(simd, self.formula, a_rest, b_rest, &mut lanes);
            result_rest.copy_from_slice(&lanes[..result_rest.len()]);
        }
    }
}

struct FloatsInPlace<'a, F> {
    formula: F,
    a: &'a mut [f32],
    b: &'a [f32],
}

impl<F: BinaryFormula> Task for FloatsInPlace<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (a, a_rest) = self.a.as_chunks_mut::<LANES>();
        let (b, b_rest) = self.b.as_chunks::<LANES>();
        for (a, b) in a.iter_mut().zip(b) {
            self.formula.f32(simd, simd.load(a), simd.load(b)).store(a);
        }
        if !a_rest.is_empty() {
            let mut lanes = [1.0; LANES];
            rest(simd, self.formula, a_rest, b_rest, &mut lanes);
            a_rest.copy_from_slice(&lanes[..a_rest.len()]);
        }
    }
}

/// The last elements, fewer than a vector holds.
#[inline(always)]
fn rest<S: Simd, F: BinaryFormula>(simd: S, formula: F, a: &[f32], b: &[f32], lanes: &mut [f32; LANES]) {
    let mut b_lanes = [1.0; LANES];
    lanes[..a.len()].copy_from_slice(a);
    b_lanes[..b.len()].copy_from_slice(b);
    formula.f32(simd, simd.load(lanes), simd.load(&b_lanes)).store(lanes);
}
