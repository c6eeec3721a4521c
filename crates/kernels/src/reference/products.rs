//! Products, by index: each element of the result is one sum of f64 in order of depth, rounded once.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor_base::{DType, Scalar, bf16, cast, f16, match_dtype};

use super::{Reference, scalars, write};
use crate::map::{Add, Binary, Mul};
use crate::matmul::{Fitted, FittedBytes, Right, round_once};
use crate::simd::{Isa, Portable};
use crate::{AnyView, AnyViewMut, Epilogue, KernelError, MatMulKernels, PackedMatrix, ZeroPoints, check};

impl MatMulKernels for Reference {
    fn matmul(
        &self,
        a: &AnyView<'_>,
        b: &AnyView<'_>,
        epilogue: &Epilogue<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        multiply(&check::products::matmul(a, b, epilogue, result)?, epilogue, result);
        Ok(())
    }

    fn matmul_packed(
        &self,
        a: &AnyView<'_>,
        b: &PackedMatrix,
        epilogue: &Epilogue<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        multiply(&check::products::matmul_packed(a, b, epilogue, result)?, epilogue, result);
        Ok(())
    }

    fn matmul_integer(
        &self,
        a: &AnyView<'_>,
        b: &AnyView<'_>,
        zero_points: &ZeroPoints<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        multiply_bytes(&check::products::matmul_integer(a, b, zero_points, result)?, result);
        Ok(())
    }

    fn matmul_integer_packed(
        &self,
        a: &AnyView<'_>,
        b: &PackedMatrix,
        zero_points: &ZeroPoints<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        multiply_bytes(&check::products::matmul_integer_packed(a, b, zero_points, result)?, result);
        Ok(())
    }

    fn pack_matrix(&self, matrix: &AnyView<'_>) -> Result<PackedMatrix, KernelError> {
        PackedMatrix::new(Isa::Scalar(Portable), matrix)
    }
}

fn multiply(fitted: &Fitted<'_>, epilogue: &Epilogue<'_>, result: &mut AnyViewMut<'_>) {
    let (dtype, rows, columns, depth) = (result.dtype(), fitted.rows, fitted.columns, fitted.depth);
    if result.shape().is_empty() {
        return;
    }
    let [a, b] = sides(fitted);
    let bias: Option<Vec<Scalar>> = fitted.bias.as_ref().map(|bias| scalars(bias).collect());
    let before: Vec<Scalar> = scalars(&result.as_view()).collect();
    let elements = (0..before.len()).map(|index| {
        let (matrix, row, column) = (index / (rows * columns), index / columns % rows, index % columns);
        let line = &a[start(a.len(), matrix, rows * depth) + row * depth..][..depth];
        let of_b = start(b.len(), matrix, depth * columns);
        let column = (0..depth).map(|step| b[of_b + step * columns + column]);
        let element = dot(dtype, line.iter().copied().zip(column));
        finish(dtype, epilogue, element, before[index], bias.as_ref().map(|bias| bias[index]))
    });
    let elements: Vec<Scalar> = elements.collect();
    write(result, elements.into_iter());
}

/// The sides, as elements in logical order.
fn sides(fitted: &Fitted<'_>) -> [Vec<Scalar>; 2] {
    let b = match &fitted.b {
        Right::View(b) => scalars(b).collect(),
        Right::Packed(b) => b.scalars(),
    };
    [scalars(&fitted.a).collect(), b]
}

/// Where a matrix begins in a side of so many elements. A single matrix comes alone, and is every one.
fn start(side: usize, matrix: usize, of_matrix: usize) -> usize {
    if side == of_matrix { 0 } else { matrix * of_matrix }
}

fn multiply_bytes(fitted: &FittedBytes<'_>, result: &mut AnyViewMut<'_>) {
    let FittedBytes { sides: Fitted { rows, columns, depth, .. }, zero_a, zero_b } = fitted;
    if result.shape().is_empty() {
        return;
    }
    let [a, b] = sides(&fitted.sides).map(|side| side.into_iter().map(Scalar::cast::<i32>).collect::<Vec<i32>>());
    let zeros = |view: &Option<AnyView<'_>>| view.as_ref().map(|view| scalars(view).map(Scalar::cast::<i32>).collect());
    let [zero_a, zero_b]: [Option<Vec<i32>>; 2] = [zeros(zero_a), zeros(zero_b)];
    let zero = |zeros: &Option<Vec<i32>>, line: usize| zeros.as_ref().map_or(0, |zeros| zeros[line]);
    let elements = (0..result.shape().count()).map(|index| {
        let (matrix, row, column) = (index / (rows * columns), index / columns % rows, index % columns);
        let (zero_a, zero_b) = (zero(&zero_a, matrix * rows + row), zero(&zero_b, matrix * columns + column));
        let line = start(a.len(), matrix, rows * depth) + row * depth;
        let of_b = start(b.len(), matrix, depth * columns);
        let terms = (0..*depth).map(|step| {
            let (a, b) = (a[line + step], b[of_b + step * columns + column]);
            // Factors have nine bits and a sign.
            (a - zero_a) * (b - zero_b)
        });
        terms.fold(0_i32, i32::wrapping_add).into()
    });
    let elements: Vec<Scalar> = elements.collect();
    write(result, elements.into_iter());
}

/// The sum of products.
fn dot(dtype: DType, pairs: impl Iterator<Item = (Scalar, Scalar)>) -> Scalar {
    if !dtype.is_float() {
        return pairs.fold(factor(dtype, 0.0), |sum, (a, b)| Add.element(sum, Mul.element(a, b)));
    }
    rounded(dtype, pairs.fold(0.0, |sum, (a, b)| sum + a.cast::<f64>() * b.cast::<f64>()))
}

/// What is made of an element of a product.
pub(super) fn finish(
    dtype: DType,
    epilogue: &Epilogue<'_>,
    mut element: Scalar,
    before: Scalar,
    bias: Option<Scalar>,
) -> Scalar {
    if epilogue.alpha != 1.0 {
        element = Mul.element(element, factor(dtype, epilogue.alpha));
    }
    if epilogue.beta == 1.0 {
        element = Add.element(before, element);
    } else if epilogue.beta != 0.0 {
        element = Add.element(Mul.element(before, factor(dtype, epilogue.beta)), element);
    }
    if let Some(bias) = bias {
        element = Add.element(element, bias);
    }
    epilogue.activation.map_or(element, |activation| activation.element(element))
}

/// A sum, rounded to a float dtype once.
pub(super) fn rounded(dtype: DType, sum: f64) -> Scalar {
    let mut words = [0_u64];
    let bytes = &mut cast_slice_mut::<u64, u8>(&mut words)[..dtype.size()];
    round_once(dtype, &[sum], bytes);
    match dtype {
        DType::F16 => cast_slice::<u8, f16>(bytes)[0].into(),
        DType::BF16 => cast_slice::<u8, bf16>(bytes)[0].into(),
        DType::F32 => cast_slice::<u8, f32>(bytes)[0].into(),
        _ => sum.into(),
    }
}

/// A factor, or zero, in a dtype.
fn factor(dtype: DType, value: f32) -> Scalar {
    match_dtype!(dtype, T => Scalar::from(cast::<f32, T>(value)))
}
