//! Maps on bits: of integers, and of truths where that makes sense.

use std::fmt::Debug;

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::{Bool, DType, DTypeKind, Scalar};

use super::binary::{Elements, Rule, integer_element, run_integers};
use crate::Integer;
use crate::simd::Isa;

/// An operation on the bits of two integers of one type.
pub(super) trait BitsFormula: Copy + Debug + Send + Sync + 'static {
    const NAME: &'static str;

    /// Whether the operation is defined for truths too, by [`truth`](Self::truth).
    const HAS_TRUTHS: bool;

    fn integer<T: Integer>(self, a: T, b: T) -> T;

    #[inline(always)]
    fn truth(self, a: bool, _b: bool) -> bool {
        a
    }
}

/// Makes an operation on bits one that backends run.
macro_rules! binary_on_bits {
    ($operation:ty) => {
        impl crate::map::Binary for $operation {
            fn name(&self) -> &'static str {
                <Self as crate::map::bits::BitsFormula>::NAME
            }

            fn is_defined(&self, dtype: stratal_tensor_base::DType) -> bool {
                crate::map::bits::is_defined(*self, dtype)
            }

            fn can_fail(&self, _dtype: stratal_tensor_base::DType) -> bool {
                false
            }

            fn fault(&self, _dtype: stratal_tensor_base::DType, _a: &[u8], _b: &[u8]) -> Option<crate::map::Fault> {
                None
            }

            fn element(
                &self,
                a: stratal_tensor_base::Scalar,
                b: stratal_tensor_base::Scalar,
            ) -> stratal_tensor_base::Scalar {
                crate::map::bits::element(*self, a, b)
            }

            fn run(
                &self,
                isa: crate::simd::Isa,
                dtype: stratal_tensor_base::DType,
                a: &[u8],
                b: &[u8],
                result: &mut [u8],
            ) {
                crate::map::bits::run(*self, isa, dtype, a, b, result);
            }

            fn run_in_place(&self, isa: crate::simd::Isa, dtype: stratal_tensor_base::DType, a: &mut [u8], b: &[u8]) {
                crate::map::in_place::by_copy_with(a, b, |a, b, result| self.run(isa, dtype, a, b, result));
            }
        }
    };
}

pub(super) use binary_on_bits;

pub(super) fn is_defined<F: BitsFormula>(_formula: F, dtype: DType) -> bool {
    match dtype.kind() {
        DTypeKind::Float => false,
        DTypeKind::Signed | DTypeKind::Unsigned => true,
        DTypeKind::Bool => F::HAS_TRUTHS,
    }
}

pub(super) fn element<F: BitsFormula>(formula: F, a: Scalar, b: Scalar) -> Scalar {
    match (a, b) {
        (Scalar::Bool(a), Scalar::Bool(b)) => formula.truth(a.get(), b.get()).into(),
        _ => integer_element(a, b, OnBits(formula)),
    }
}

pub(super) fn run<F: BitsFormula>(formula: F, isa: Isa, dtype: DType, a: &[u8], b: &[u8], result: &mut [u8]) {
    if dtype == DType::Bool {
        let (a, b) = (cast_slice::<u8, Bool>(a), cast_slice(b));
        isa.run(Elements { rule: OnTruths(formula), a, b, result: cast_slice_mut(result) });
    } else {
        run_integers(isa, dtype, OnBits(formula), a, b, result);
    }
}

/// A formula's rule on integers.
#[derive(Clone, Copy)]
struct OnBits<F>(F);

impl<F: BitsFormula, T: Integer> Rule<T> for OnBits<F> {
    #[inline(always)]
    fn apply(self, a: T, b: T) -> T {
        self.0.integer(a, b)
    }
}

/// A formula's rule on truths.
#[derive(Clone, Copy)]
struct OnTruths<F>(F);

impl<F: BitsFormula> Rule<Bool> for OnTruths<F> {
    #[inline(always)]
    fn apply(self, a: Bool, b: Bool) -> Bool {
        self.0.truth(a.get(), b.get()).into()
    }
}
