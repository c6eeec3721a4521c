//! The arithmetic of quantisation: scaled numbers rounded to integers about a zero point.

use stratal_kernels::{AnyView, AnyViewMut, map};
use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use crate::{Cause, Context, read, write};

/// Rounds numbers, half to even, adds zero points, and saturates: what is NaN becomes 0. The numbers are lost.
pub(super) fn round_into(
    context: &Context<'_>,
    numbers: &Tensor,
    zero_point: Option<&AnyView<'_>>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    let kernels = context.kernels();
    write(numbers, |numbers| kernels.unary_in_place(&map::Round, numbers))?;
    let Some(zero_point) = zero_point else {
        return Ok(kernels.cast(&read(numbers)?.view()?, result)?);
    };
    // A zero point need not be a number of 16 bits. What f32 does not tell apart is beyond every range.
    let wide =
        (numbers.dtype().size() < 4).then(|| context.converted(&read(numbers)?.view()?, DType::F32)).transpose()?;
    let numbers = wide.as_ref().unwrap_or(numbers);
    write(numbers, |numbers| kernels.binary_in_place(&map::Add, numbers, zero_point))?;
    Ok(kernels.cast(&read(numbers)?.view()?, result)?)
}

/// The dtype that zero points are added in to numbers of a dtype.
pub(super) const fn sum_dtype(numbers: DType) -> DType {
    if numbers.size() < 4 { DType::F32 } else { numbers }
}

/// Quantises sums of products of integers: `round(sum * scale of a * scale of b / scale) + zero point`, saturated.
///
/// All of it is computed in f64, where a sum is exact: the result differs from that of exact arithmetic in ties alone.
pub(super) fn requantize(
    context: &Context<'_>,
    sums: &Tensor,
    [scale_a, scale_b, scale]: [&AnyView<'_>; 3],
    zero_point: &AnyView<'_>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    let kernels = context.kernels();
    let factor = product(context, [scale_a, scale_b], DType::F64)?;
    // There is one, of whatever rank.
    let scale = expanded(&context.converted(scale, DType::F64)?.reshape(&[])?, &factor)?;
    write(&factor, |factor| Ok::<_, Cause>(kernels.binary_in_place(&map::Div, factor, &read(&scale)?.view()?)?))?;
    let numbers = context.converted(&read(sums)?.view()?, DType::F64)?;
    multiply(context, &numbers, &factor)?;
    let zero_point = expanded(&context.converted(zero_point, DType::F64)?.reshape(&[])?, &numbers)?;
    let zero_point = read(&zero_point)?;
    round_into(context, &numbers, Some(&zero_point.view()?), result)
}

/// The product of scales that broadcast.
pub(super) fn product(context: &Context<'_>, [a, b]: [&AnyView<'_>; 2], dtype: DType) -> Result<Tensor, Cause> {
    let shape = a.shape().broadcast(b.shape())?;
    let [a, b] = [context.converted(a, dtype)?, context.converted(b, dtype)?];
    let product = context.scratch(dtype, &shape)?;
    let [a, b] = [expanded(&a, &product)?, expanded(&b, &product)?];
    let (a, b) = (read(&a)?, read(&b)?);
    write(&product, |product| Ok::<_, Cause>(context.kernels().binary(&map::Mul, &a.view()?, &b.view()?, product)?))?;
    Ok(product)
}

/// Multiplies numbers by scales that broadcast.
pub(super) fn multiply(context: &Context<'_>, numbers: &Tensor, scale: &Tensor) -> Result<(), Cause> {
    let scale = expanded(scale, numbers)?;
    let scale = read(&scale)?;
    write(numbers, |numbers| Ok::<_, Cause>(context.kernels().binary_in_place(&map::Mul, numbers, &scale.view()?)?))
}

/// A tensor in the shape of another one.
pub(super) fn expanded(tensor: &Tensor, to: &Tensor) -> Result<Tensor, Cause> {
    let extents: Vec<i64> = to.shape().extents().iter().map(|extent| i64::from(*extent)).collect();
    Ok(tensor.expand(&extents)?)
}
