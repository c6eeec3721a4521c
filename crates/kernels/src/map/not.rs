//! Negation: of truths, and of the bits of integers.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::{Bool, DType, DTypeKind, Scalar};

use super::{Unary, in_place};
use crate::integer::{Integer, match_integer};
use crate::simd::{Isa, Simd, Task};

/// `!x`.
#[derive(Debug, Clone, Copy)]
pub struct Not;

impl Unary for Not {
    fn name(&self) -> &'static str {
        "not"
    }

    fn is_defined(&self, dtype: DType) -> bool {
        dtype.kind() != DTypeKind::Float
    }

    fn element(&self, x: Scalar) -> Scalar {
        match x {
            Scalar::Bool(x) => (!x.get()).into(),
            Scalar::I8(x) => (!x).into(),
            Scalar::I16(x) => (!x).into(),
            Scalar::I32(x) => (!x).into(),
            Scalar::I64(x) => (!x).into(),
            Scalar::U8(x) => (!x).into(),
            Scalar::U16(x) => (!x).into(),
            Scalar::U32(x) => (!x).into(),
            Scalar::U64(x) => (!x).into(),
            Scalar::F16(_) | Scalar::BF16(_) | Scalar::F32(_) | Scalar::F64(_) => x,
        }
    }

    fn run(&self, isa: Isa, dtype: DType, x: &[u8], result: &mut [u8]) {
        if dtype == DType::Bool {
            isa.run(NotTruths { x: cast_slice(x), result: cast_slice_mut(result) });
        } else {
            match_integer!(dtype, T => isa.run(NotBits { x: cast_slice::<u8, T>(x), result: cast_slice_mut(result) }));
        }
    }

    fn run_in_place(&self, isa: Isa, dtype: DType, x: &mut [u8]) {
        in_place::by_copy(x, |x, result| self.run(isa, dtype, x, result));
    }
}

struct NotTruths<'a> {
    x: &'a [Bool],
    result: &'a mut [Bool],
}

impl Task for NotTruths<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        for (x, result) in self.x.iter().zip(self.result) {
            *result = (!x.get()).into();
        }
    }
}

struct NotBits<'a, T> {
    x: &'a [T],
    result: &'a mut [T],
}

impl<T: Integer> Task for NotBits<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        for (x, result) in self.x.iter().zip(self.result) {
            *result = Integer::not(*x);
        }
    }
}
