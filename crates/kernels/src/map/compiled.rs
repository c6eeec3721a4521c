//! Formulas of this crate, compiled here.
//!
//! A formula is text until somebody asks for it on an instruction set and a dtype. Were that whoever uses the crate, each
//! program, test and benchmark would compile all formulas anew, which takes minutes. So each formula's file ends with a
//! line that compiles it for all backends and dtypes: what depends on the crate only links it.

/// Compiles a [`UnaryFormula`](super::UnaryFormula).
macro_rules! unary {
    ($formula:ty) => {
        impl crate::map::Unary for $formula {
            fn name(&self) -> &'static str {
                crate::map::Unary::name(&crate::map::Formula(*self))
            }

            fn is_defined(&self, dtype: stratal_tensor_base::DType) -> bool {
                crate::map::Unary::is_defined(&crate::map::Formula(*self), dtype)
            }

            fn element(&self, x: stratal_tensor_base::Scalar) -> stratal_tensor_base::Scalar {
                crate::map::Unary::element(&crate::map::Formula(*self), x)
            }

            fn run(&self, isa: crate::simd::Isa, dtype: stratal_tensor_base::DType, x: &[u8], result: &mut [u8]) {
                crate::map::Unary::run(&crate::map::Formula(*self), isa, dtype, x, result);
            }

            fn run_in_place(&self, isa: crate::simd::Isa, dtype: stratal_tensor_base::DType, x: &mut [u8]) {
                crate::map::Unary::run_in_place(&crate::map::Formula(*self), isa, dtype, x);
            }
        }
    };
}

/// Compiles a [`BinaryFormula`](super::BinaryFormula).
macro_rules! binary {
    ($formula:ty) => {
        impl crate::map::Binary for $formula {
            fn name(&self) -> &'static str {
                crate::map::Binary::name(&crate::map::Formula(*self))
            }

            fn is_defined(&self, dtype: stratal_tensor_base::DType) -> bool {
                crate::map::Binary::is_defined(&crate::map::Formula(*self), dtype)
            }

            fn can_fail(&self, dtype: stratal_tensor_base::DType) -> bool {
                crate::map::Binary::can_fail(&crate::map::Formula(*self), dtype)
            }

            fn fault(&self, dtype: stratal_tensor_base::DType, a: &[u8], b: &[u8]) -> Option<crate::map::Fault> {
                crate::map::Binary::fault(&crate::map::Formula(*self), dtype, a, b)
            }

            fn element(
                &self,
                a: stratal_tensor_base::Scalar,
                b: stratal_tensor_base::Scalar,
            ) -> stratal_tensor_base::Scalar {
                crate::map::Binary::element(&crate::map::Formula(*self), a, b)
            }

            fn run(
                &self,
                isa: crate::simd::Isa,
                dtype: stratal_tensor_base::DType,
                a: &[u8],
                b: &[u8],
                result: &mut [u8],
            ) {
                crate::map::Binary::run(&crate::map::Formula(*self), isa, dtype, a, b, result);
            }

            fn run_in_place(&self, isa: crate::simd::Isa, dtype: stratal_tensor_base::DType, a: &mut [u8], b: &[u8]) {
                crate::map::Binary::run_in_place(&crate::map::Formula(*self), isa, dtype, a, b);
            }
        }
    };
}

/// Compiles a [`ComparisonFormula`](super::ComparisonFormula).
macro_rules! comparison {
    ($formula:ty) => {
        impl crate::map::Comparison for $formula {
            fn name(&self) -> &'static str {
                crate::map::Comparison::name(&crate::map::Formula(*self))
            }

            fn element(&self, a: stratal_tensor_base::Scalar, b: stratal_tensor_base::Scalar) -> bool {
                crate::map::Comparison::element(&crate::map::Formula(*self), a, b)
            }

            fn run(
                &self,
                isa: crate::simd::Isa,
                dtype: stratal_tensor_base::DType,
                a: &[u8],
                b: &[u8],
                result: &mut [u8],
            ) {
                crate::map::Comparison::run(&crate::map::Formula(*self), isa, dtype, a, b, result);
            }
        }
    };
}

/// Compiles a [`PredicateFormula`](super::PredicateFormula).
macro_rules! predicate {
    ($formula:ty) => {
        impl crate::map::Predicate for $formula {
            fn name(&self) -> &'static str {
                crate::map::Predicate::name(&crate::map::Formula(*self))
            }

            fn element(&self, x: stratal_tensor_base::Scalar) -> bool {
                crate::map::Predicate::element(&crate::map::Formula(*self), x)
            }

            fn run(&self, isa: crate::simd::Isa, dtype: stratal_tensor_base::DType, x: &[u8], result: &mut [u8]) {
                crate::map::Predicate::run(&crate::map::Formula(*self), isa, dtype, x, result);
            }
        }
    };
}

pub(super) use {binary, comparison, predicate, unary};
