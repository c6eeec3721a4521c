//! What products ask of their operands.

use stratal_tensor_base::{DType, DTypeKind, Shape};

use super::defined;
use crate::matmul::{Epilogue, Fitted, Right};
use crate::{AnyView, AnyViewMut, KernelError, PackedMatrix};

const NAME: &str = "matmul";

/// A product of two views.
pub(crate) fn matmul<'a>(
    a: &AnyView<'a>,
    b: &AnyView<'a>,
    epilogue: &Epilogue<'a>,
    result: &AnyViewMut<'_>,
) -> Result<Fitted<'a>, KernelError> {
    if b.shape().rank() < 2 {
        return Err(KernelError::RankTooSmall { operation: NAME, role: "right side", least: 2, found: *b.shape() });
    }
    fit(a, b.dtype(), b.shape(), Right::View(*b), epilogue, result)
}

/// A product with a packed matrix.
pub(crate) fn matmul_packed<'a>(
    a: &AnyView<'a>,
    b: &'a PackedMatrix,
    epilogue: &Epilogue<'a>,
    result: &AnyViewMut<'_>,
) -> Result<Fitted<'a>, KernelError> {
    fit(a, b.dtype(), b.shape(), Right::Packed(b), epilogue, result)
}

fn fit<'a>(
    a: &AnyView<'a>,
    dtype_of_b: DType,
    shape_of_b: &Shape,
    b: Right<'a>,
    epilogue: &Epilogue<'a>,
    result: &AnyViewMut<'_>,
) -> Result<Fitted<'a>, KernelError> {
    let dtype = a.dtype();
    has_products(dtype)?;
    same_dtype("right side", dtype, dtype_of_b)?;
    same_dtype("result", dtype, result.dtype())?;
    if a.shape().rank() < 2 {
        return Err(KernelError::RankTooSmall { operation: NAME, role: "left side", least: 2, found: *a.shape() });
    }
    let refused = KernelError::Product { a: *a.shape(), b: *shape_of_b };
    let (batch_of_a, [rows, depth]) = split(a.shape());
    let (batch_of_b, [depth_of_b, columns]) = split(shape_of_b);
    if depth != depth_of_b {
        return Err(refused);
    }
    let batch = batch_of_a.broadcast(&batch_of_b).map_err(|_| refused)?;
    let expected = joined(&batch, [rows, columns])?;
    if *result.shape() != expected {
        return Err(KernelError::ShapeMismatch { operation: NAME, role: "result", expected, found: *result.shape() });
    }
    let expand = |role: &'static str, view: &AnyView<'a>, to: Shape| match view.geometry().broadcast_to(&to) {
        Ok(geometry) => Ok(view.with_geometry(geometry)),
        Err(_) => Err(KernelError::ShapeMismatch { operation: NAME, role, expected: to, found: *view.shape() }),
    };
    let bias = match epilogue.bias {
        Some(bias) => {
            same_dtype("bias", dtype, bias.dtype())?;
            Some(expand("bias", bias, expected)?)
        }
        None => None,
    };
    if let Some(activation) = epilogue.activation {
        defined(activation.name(), activation.is_defined(dtype), dtype)?;
    }
    if !dtype.is_float() && (epilogue.alpha != 1.0 || !matches!(epilogue.beta, 0.0 | 1.0)) {
        return Err(KernelError::DType { operation: "matmul with factors", dtype });
    }
    Ok(Fitted {
        a: expand("left side", a, joined(&batch, [rows, depth])?)?,
        b: match b {
            Right::View(b) => Right::View(expand("right side", &b, joined(&batch, [depth, columns])?)?),
            packed => packed,
        },
        bias,
        rows: rows as usize,
        columns: columns as usize,
        depth: depth as usize,
    })
}

/// Whether there are products of a dtype that have the same dtype.
pub(crate) fn has_products(dtype: DType) -> Result<(), KernelError> {
    let is_integer = matches!(dtype.kind(), DTypeKind::Signed | DTypeKind::Unsigned);
    defined(NAME, dtype.is_float() || is_integer && dtype.size() >= 4, dtype)
}

fn same_dtype(role: &'static str, expected: DType, found: DType) -> Result<(), KernelError> {
    if found == expected { Ok(()) } else { Err(KernelError::DTypeMismatch { operation: NAME, role, expected, found }) }
}

/// The leading axes, and the last two.
fn split(shape: &Shape) -> (Shape, [u32; 2]) {
    match shape.extents() {
        [batch @ .., rows, columns] => {
            let extents: Vec<i64> = batch.iter().map(|extent| i64::from(*extent)).collect();
            (Shape::new(&extents).unwrap_or_default(), [*rows, *columns])
        }
        _ => (Shape::default(), [1, 1]),
    }
}

fn joined(batch: &Shape, [rows, columns]: [u32; 2]) -> Result<Shape, KernelError> {
    let mut extents = [0_i64; stratal_tensor_base::MAX_RANK + 2];
    let rank = batch.rank();
    for (to, extent) in extents.iter_mut().zip(batch.extents()) {
        *to = (*extent).into();
    }
    (extents[rank], extents[rank + 1]) = (rows.into(), columns.into());
    Ok(Shape::new(&extents[..rank + 2])?)
}
