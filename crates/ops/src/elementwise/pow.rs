//! `Pow`: powers.

use stratal_kernels::{AnyView, AnyViewMut, map};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, DTypeKind};

use super::binary;
use super::elements;
use crate::operands::{broadcast, unfit};
use crate::{
    Cause, Context, Definition, Extent, ExtentError, Fact, Facts, Inputs, Operator, Outputs, dtypes, read, write,
};

/// The power of the first operand by the second one, which may have another dtype. Operands broadcast.
///
/// Powers of integers by integers are exact, and wrap; by a negative one they are 1 or -1 for 1 and -1, an error for 0, and 0
/// for all others. By floats they are computed in f64 and converted as [`Cast`](crate::Cast) does. Powers of floats are
/// those of IEEE 754: anything to the power of 0 is 1, NaN too. Where exponents have more digits than the base's dtype, they
/// are kept: powers are computed in f64 then, and rounded once more.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pow;

impl Pow {
    /// What is known of it.
    pub const DEFINITION: Definition = binary::definition("Pow", 15, dtypes::NUMBERS, &[], |_| Ok(Box::new(Self)));
}

impl Operator for Pow {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::NUMBERS)?;
        inputs.dtype(1, dtypes::NUMBERS)?;
        let elements = elements::zip(inputs, dtype, power_of_extents);
        Ok(vec![Fact::new(dtype, inputs.broadcast()?).with_elements(elements)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (base, exponent) = (inputs.required(0)?, inputs.required(1)?);
        outputs.write(0, |result| power(context, base, exponent, result))
    }

    fn compute_in_place(
        &self,
        context: &Context<'_>,
        _input: usize,
        x: &mut AnyViewMut<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        let exponent = inputs.required(1)?;
        if x.dtype() == exponent.dtype() {
            let exponent = broadcast(exponent, x.shape())?;
            return Ok(context.kernels().binary_in_place(&map::Pow, x, &exponent)?);
        }
        let base = context.converted(&x.as_view(), x.dtype())?;
        power(context, &read(&base)?.view()?, exponent, x)
    }
}

fn power(
    context: &Context<'_>,
    base: &AnyView<'_>,
    exponent: &AnyView<'_>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    let dtype = common_dtype(base.dtype(), exponent);
    if dtype == base.dtype() && dtype == exponent.dtype() {
        let (base, exponent) = (broadcast(base, result.shape())?, broadcast(exponent, result.shape())?);
        return Ok(context.kernels().binary(&map::Pow, &base, &exponent, result)?);
    }
    let (base, exponent) = match (base.typed::<u64>(), exponent.dtype().kind()) {
        (Some(_), DTypeKind::Signed) => {
            let exponent = context.converted(&broadcast(exponent, result.shape())?, dtype)?;
            (signed_bases(context, &broadcast(base, result.shape())?, &exponent)?, exponent)
        }
        _ => (context.converted(base, dtype)?, context.converted(exponent, dtype)?),
    };
    let (base, exponent) = (read(&base)?, read(&exponent)?);
    let (base, exponent) = (broadcast(&base.view()?, result.shape())?, broadcast(&exponent.view()?, result.shape())?);
    if dtype == result.dtype() {
        return Ok(context.kernels().binary(&map::Pow, &base, &exponent, result)?);
    }
    let power = context.scratch(dtype, result.shape())?;
    write(&power, |power| context.kernels().binary(&map::Pow, &base, &exponent, power))?;
    Ok(context.kernels().cast(&read(&power)?.view()?, result)?)
}

/// Bases of uint64 as those of int64 that have the same powers. Of those with negative exponents 0 and 1 alone matter: a base
/// that wrapped into -1 would have powers that are not 0.
fn signed_bases(context: &Context<'_>, base: &AnyView<'_>, exponent: &Tensor) -> Result<Tensor, Cause> {
    let bases = context.scratch(DType::I64, base.shape())?;
    let exponent = read(exponent)?;
    let exponent = exponent.view()?;
    write(&bases, |bases| {
        let (dtype, shape) = (base.dtype(), *base.shape());
        if let (Some(base), Some(exponent), Some(mut bases)) =
            (base.typed::<u64>(), exponent.typed::<i64>(), bases.typed())
            && let Some(bases) = bases.as_mut_slice()
        {
            let signed = |(base, exponent): (u64, i64)| (if exponent < 0 { base.min(2) } else { base }) as i64;
            bases.iter_mut().zip(base.iter().zip(exponent.iter())).for_each(|(to, pair)| *to = signed(pair));
            return Ok(());
        }
        Err(unfit(dtype, &shape))
    })?;
    Ok(bases)
}

/// The dtype in which powers are computed.
fn common_dtype(base: DType, exponent: &AnyView<'_>) -> DType {
    let by = exponent.dtype();
    if base == by {
        return base;
    }
    match (base.kind(), by.kind()) {
        (DTypeKind::Float, _) if base == DType::F64 || by == DType::F64 => DType::F64,
        (DTypeKind::Float, DTypeKind::Float) => DType::F32,
        (DTypeKind::Float, _) if by.size() <= 2 || is_short(exponent) => DType::F32,
        (_, DTypeKind::Float) | (DTypeKind::Float, _) => DType::F64,
        // Modulo 2^64 integers of all dtypes have the powers of their own; the sign of an exponent matters.
        (_, DTypeKind::Signed) => DType::I64,
        _ => DType::U64,
    }
}

/// Whether an exponent is one for all elements, and an integer that f32 holds, such as 2.
fn is_short(exponent: &AnyView<'_>) -> bool {
    let fact = Fact::of_view(exponent);
    exponent.shape().count() == 1 && fact.known_integers().is_some_and(|values| values[0].unsigned_abs() <= 1 << 24)
}

/// The power of extents by a small one that is known.
fn power_of_extents(a: &Extent, b: &Extent) -> Option<Result<Extent, ExtentError>> {
    let exponent = b.known().filter(|exponent| (0..=64).contains(exponent))?;
    Some((0..exponent).try_fold(Extent::from(1), |power, _| power.multiply(a)))
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::{Element, f16};

    use super::*;

    fn power<A: Element, B: Element>(base: &[A], exponent: &[B]) -> Result<Vec<A>, String> {
        let base = Tensor::from_slice(base, &[base.len() as i64]).unwrap();
        let exponent = Tensor::from_slice(exponent, &[exponent.len() as i64]).unwrap();
        let powers = Context::new().unwrap().run(&Pow, &[Some(&base), Some(&exponent)]);
        powers.map(|mut powers| powers.remove(0).to_vec().unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn integers_are_exact() {
        assert_eq!(
            power(&[13_i64, 17, 19, 23], &[8_i64, 7, 7, 6]).unwrap(),
            [815_730_721, 410_338_673, 893_871_739, 148_035_889]
        );
        // Bases wrap into unsigned numbers, whose powers are the same.
        assert_eq!(power(&[-3_i64, 3], &[41_u8, 3]).unwrap(), [(-3_i64).wrapping_pow(41), 27]);
        assert_eq!(power(&[-3_i8], &[3_u64]).unwrap(), [-27]);
        assert_eq!(power(&[-1_i32, 1, 2], &[-3_i64]).unwrap(), [-1, 1, 0]);
        // The sign is the base's own.
        assert_eq!(power(&[u64::MAX, 1, 1 << 63, u64::MAX], &[-1_i64, -1, -3, 2]).unwrap(), [0, 1, 0, 1]);
        assert_eq!(power(&[u64::MAX - 1, 3], &[-2_i8, 3]).unwrap(), [0, 27]);
        assert!(power(&[0_u64], &[-1_i32]).unwrap_err().contains("zero to a negative power"));
        // Odd, beyond what a float holds, and beyond the range of the base.
        assert_eq!(power(&[-1_i8], &[(1_i64 << 53) + 1]).unwrap(), [-1]);
        assert_eq!(power(&[0_i32], &[-1_i64]).unwrap_err(), "Pow: pow of int64: zero to a negative power");
        assert_eq!(power(&[2_i32, 9], &[0.5_f32]).unwrap(), [1, 3]);
    }

    #[test]
    fn exponents_keep_their_digits() {
        assert_eq!(power(&[-1.0_f32, 2.0], &[(1_i64 << 24) + 1, 3]).unwrap(), [-1.0, 8.0]);
        assert_eq!(power(&[-1.0_f32, 1.5], &[2_i64]).unwrap(), [1.0, 2.25]);
        assert_eq!(power(&[-1.0_f32], &[(1_u64 << 24) + 1]).unwrap(), [-1.0]);
        let half = |value: f32| f16::from_f32(value);
        assert_eq!(power(&[half(4.0)], &[0.5_f32]).unwrap(), [half(2.0)]);
        assert_eq!(power(&[f32::NAN], &[0_u8]).unwrap(), [1.0]);
    }

    #[test]
    fn elements_of_shapes_have_powers() {
        let x = Fact::of_extents(DType::I64, vec![Extent::symbol("n"), 3.into()]);
        let two = Fact::of_extents(DType::I64, vec![2.into()]);
        let facts = crate::infer(&Pow, "pow", &[Some(&x), Some(&two)]).unwrap();
        assert_eq!(format!("{:?}", facts[0].integers().unwrap()), "[n*n, 9]");
    }
}
