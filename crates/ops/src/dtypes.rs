//! The sets of dtypes that operators are defined for.

use stratal_tensor_base::DType;

/// Every dtype.
pub const ALL: &[DType] = &DType::ALL;

/// Floating-point numbers.
pub const FLOATS: &[DType] = &[DType::F32, DType::F64, DType::F16, DType::BF16];

/// Integers of any width and sign.
pub const INTEGERS: &[DType] =
    &[DType::I8, DType::I16, DType::I32, DType::I64, DType::U8, DType::U16, DType::U32, DType::U64];

/// Integers from zero up.
pub const UNSIGNED: &[DType] = &[DType::U8, DType::U16, DType::U32, DType::U64];

/// What products of matrices have results of the same dtype for.
pub const WITH_PRODUCTS: &[DType] =
    &[DType::F32, DType::F64, DType::F16, DType::BF16, DType::I32, DType::I64, DType::U32, DType::U64];

/// What quantised products multiply.
pub const BYTES: &[DType] = &[DType::U8, DType::I8];

/// All but truths.
pub const NUMBERS: &[DType] = &[
    DType::F32,
    DType::F64,
    DType::F16,
    DType::BF16,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
];

/// Numbers that have a sign.
pub const SIGNED_NUMBERS: &[DType] =
    &[DType::F32, DType::F64, DType::F16, DType::BF16, DType::I8, DType::I16, DType::I32, DType::I64];

/// What indices and extents are given as.
pub const INDICES: &[DType] = &[DType::I32, DType::I64];

/// Truths alone.
pub const TRUTHS: &[DType] = &[DType::Bool];
