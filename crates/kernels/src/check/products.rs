//! What products ask of their operands.

use stratal_tensor_base::{DType, DTypeKind, Shape};

use super::{defined, same_dtype};
use crate::matmul::{Epilogue, Fitted, FittedBytes, Right, ZeroPoints};
use crate::{AnyView, AnyViewMut, KernelError, PackedMatrix};

const NAME: &str = "matmul";
const INTEGER: &str = "matmul_integer";

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

/// A product of two views of bytes.
pub(crate) fn matmul_integer<'a>(
    a: &AnyView<'a>,
    b: &AnyView<'a>,
    zero_points: &ZeroPoints<'a>,
    result: &AnyViewMut<'_>,
) -> Result<FittedBytes<'a>, KernelError> {
    if b.shape().rank() < 2 {
        return Err(KernelError::RankTooSmall { operation: INTEGER, role: "right side", least: 2, found: *b.shape() });
    }
    fit_bytes(a, b.dtype(), b.shape(), Right::View(*b), zero_points, result)
}

/// A product of bytes with a packed matrix.
pub(crate) fn matmul_integer_packed<'a>(
    a: &AnyView<'a>,
    b: &'a PackedMatrix,
    zero_points: &ZeroPoints<'a>,
    result: &AnyViewMut<'_>,
) -> Result<FittedBytes<'a>, KernelError> {
    fit_bytes(a, b.dtype(), b.shape(), Right::Packed(b), zero_points, result)
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
    same_dtype(NAME, "right side", dtype, dtype_of_b)?;
    same_dtype(NAME, "result", dtype, result.dtype())?;
    let extents = Extents::of(NAME, a.shape(), shape_of_b, result.shape())?;
    let bias = match epilogue.bias {
        Some(bias) => {
            same_dtype(NAME, "bias", dtype, bias.dtype())?;
            Some(expand(NAME, "bias", bias, *result.shape())?)
        }
        None => None,
    };
    if let Some(activation) = epilogue.activation {
        defined(activation.name(), activation.is_defined(dtype), dtype)?;
    }
    if !dtype.is_float() && (epilogue.alpha != 1.0 || !matches!(epilogue.beta, 0.0 | 1.0)) {
        return Err(KernelError::DType { operation: "matmul with factors", dtype });
    }
    extents.fit(NAME, a, b, bias)
}

fn fit_bytes<'a>(
    a: &AnyView<'a>,
    dtype_of_b: DType,
    shape_of_b: &Shape,
    b: Right<'a>,
    zero_points: &ZeroPoints<'a>,
    result: &AnyViewMut<'_>,
) -> Result<FittedBytes<'a>, KernelError> {
    for dtype in [a.dtype(), dtype_of_b] {
        defined(INTEGER, is_byte(dtype), dtype)?;
    }
    same_dtype(INTEGER, "result", DType::I32, result.dtype())?;
    let extents = Extents::of(INTEGER, a.shape(), shape_of_b, result.shape())?;
    let zero = |role: &'static str, view: Option<&AnyView<'a>>, dtype: DType, lines: [u32; 2]| {
        let Some(view) = view else { return Ok(None) };
        same_dtype(INTEGER, role, dtype, view.dtype())?;
        expand(INTEGER, role, view, joined(&extents.batch, lines)?).map(Some)
    };
    Ok(FittedBytes {
        zero_a: zero("zero point of the left side", zero_points.a, a.dtype(), [extents.rows, 1])?,
        zero_b: zero("zero point of the right side", zero_points.b, dtype_of_b, [1, extents.columns])?,
        sides: extents.fit(INTEGER, a, b, None)?,
    })
}

/// The extents of a product.
struct Extents {
    /// The leading axes of the result.
    batch: Shape,
    rows: u32,
    depth: u32,
    columns: u32,
}

impl Extents {
    /// Those of two sides and a result that fit each other.
    fn of(operation: &'static str, a: &Shape, b: &Shape, result: &Shape) -> Result<Self, KernelError> {
        if a.rank() < 2 {
            return Err(KernelError::RankTooSmall { operation, role: "left side", least: 2, found: *a });
        }
        let refused = KernelError::Product { a: *a, b: *b };
        let (batch_of_a, [rows, depth]) = split(a);
        let (batch_of_b, [depth_of_b, columns]) = split(b);
        if depth != depth_of_b {
            return Err(refused);
        }
        let batch = batch_of_a.broadcast(&batch_of_b).map_err(|_| refused)?;
        let expected = joined(&batch, [rows, columns])?;
        if *result != expected {
            return Err(KernelError::ShapeMismatch { operation, role: "result", expected, found: *result });
        }
        Ok(Self { batch, rows, depth, columns })
    }

    /// The sides with all leading axes, except that a single matrix is left alone: expanded to many, it could be beyond the
    /// limits of shapes, though not a byte more is there.
    fn fit<'a>(
        &self,
        operation: &'static str,
        a: &AnyView<'a>,
        b: Right<'a>,
        bias: Option<AnyView<'a>>,
    ) -> Result<Fitted<'a>, KernelError> {
        let Self { batch, rows, depth, columns } = self;
        Ok(Fitted {
            a: if is_single(a.shape()) {
                *a
            } else {
                expand(operation, "left side", a, joined(batch, [*rows, *depth])?)?
            },
            b: match b {
                Right::View(b) if !is_single(b.shape()) => {
                    Right::View(expand(operation, "right side", &b, joined(batch, [*depth, *columns])?)?)
                }
                single => single,
            },
            bias,
            rows: *rows as usize,
            columns: *columns as usize,
            depth: *depth as usize,
        })
    }
}

/// Whether there is one matrix in the last two axes.
fn is_single(shape: &Shape) -> bool {
    shape.extents().iter().rev().skip(2).all(|extent| *extent == 1)
}

fn expand<'a>(
    operation: &'static str,
    role: &'static str,
    view: &AnyView<'a>,
    to: Shape,
) -> Result<AnyView<'a>, KernelError> {
    match view.geometry().broadcast_to(&to) {
        Ok(geometry) => Ok(view.with_geometry(geometry)),
        Err(_) => Err(KernelError::ShapeMismatch { operation, role, expected: to, found: *view.shape() }),
    }
}

/// Whether a matrix of a dtype can be packed.
pub(crate) fn is_packed(dtype: DType) -> Result<(), KernelError> {
    if is_byte(dtype) { Ok(()) } else { has_products(dtype) }
}

fn is_byte(dtype: DType) -> bool {
    matches!(dtype, DType::U8 | DType::I8)
}

/// Whether there are products of a dtype that have the same dtype.
pub(crate) fn has_products(dtype: DType) -> Result<(), KernelError> {
    let is_integer = matches!(dtype.kind(), DTypeKind::Signed | DTypeKind::Unsigned);
    defined(NAME, dtype.is_float() || is_integer && dtype.size() >= 4, dtype)
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
