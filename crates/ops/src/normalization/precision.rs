//! The dtype that is computed in, where it is not that of the operands.

use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor::{Tensor, View};
use stratal_tensor_base::{DType, Geometry};

use crate::{Cause, Context, Node, Reading, attribute, read, write};

/// The dtype to compute in: the one of all operands; else f32, or f64 if that of one is.
pub(crate) fn common(dtypes: impl IntoIterator<Item = DType>) -> DType {
    let merge = |a: DType, b: DType| match (a, b) {
        _ if a == b => a,
        (DType::F64, _) | (_, DType::F64) => DType::F64,
        _ => DType::F32,
    };
    dtypes.into_iter().reduce(merge).unwrap_or(DType::F32)
}

/// The dtype that floats compute in where each step would round them: f32 for those of 16 bits.
pub(crate) const fn widened(dtype: DType) -> DType {
    match dtype {
        DType::F64 => DType::F64,
        _ => DType::F32,
    }
}

/// Computes from operands of one dtype into a result of that dtype: what is of another one is converted before, or after.
pub(crate) fn compute_in<const N: usize>(
    dtype: DType,
    context: &Context<'_>,
    operands: [Option<&AnyView<'_>>; N],
    result: &mut AnyViewMut<'_>,
    compute: impl FnOnce([Option<&AnyView<'_>>; N], &mut AnyViewMut<'_>) -> Result<(), Cause>,
) -> Result<(), Cause> {
    let convert = |operand: &Option<&AnyView<'_>>| {
        operand.filter(|view| view.dtype() != dtype).map(|view| context.converted(view, dtype)).transpose()
    };
    let copies = operands.iter().map(convert).collect::<Result<Vec<Option<Tensor>>, _>>()?;
    let held = copies.iter().map(|copy| copy.as_ref().map(read).transpose()).collect::<Result<Vec<_>, _>>()?;
    let views = held.iter().map(|held| held.as_ref().map(Reading::view).transpose()).collect::<Result<Vec<_>, _>>()?;
    let operands = std::array::from_fn(|operand| views[operand].as_ref().or(operands[operand]));
    if result.dtype() == dtype {
        return compute(operands, result);
    }
    let wide = context.scratch(dtype, result.shape())?;
    write(&wide, |wide| compute(operands, wide))?;
    Ok(context.kernels().cast(&read(&wide)?.view()?, result)?)
}

/// Writes numbers in row-major order, each rounded once.
pub(crate) fn write_numbers(context: &Context<'_>, numbers: &[f64], result: &mut AnyViewMut<'_>) -> Result<(), Cause> {
    let numbers = View::new(numbers, Geometry::contiguous(*result.shape()))?;
    Ok(context.kernels().cast(&numbers.into(), result)?)
}

/// The attribute that says in which dtype statistics are computed and given.
pub(crate) fn stash_dtype(node: &Node<'_>) -> Result<DType, Cause> {
    // By the numbers that ONNX has for dtypes.
    match node.int_or("stash_type", 1)? {
        1 => Ok(DType::F32),
        10 => Ok(DType::F16),
        11 => Ok(DType::F64),
        16 => Ok(DType::BF16),
        other => Err(attribute("stash_type", other, "1, 10, 11 or 16: a float dtype")),
    }
}
