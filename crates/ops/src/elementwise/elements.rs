//! Elements of shapes, computed like all others, but from symbols.

use stratal_tensor_base::{DType, Scalar, match_dtype};

use crate::{Elements, Extent, ExtentError, Fact, Facts};

/// The element that follows from some, if it can be expressed.
pub(crate) type OfOne = fn(&Extent) -> Option<Result<Extent, ExtentError>>;

/// The element that follows from two, if it can be expressed.
pub(crate) type OfTwo = fn(&Extent, &Extent) -> Option<Result<Extent, ExtentError>>;

/// Each element of an input, as another one of a dtype.
pub(crate) fn map(input: &Fact, dtype: DType, rule: OfOne) -> Option<Elements> {
    let element = |extent| rule(extent)?.ok().filter(|result| fits(result, dtype));
    input.integers()?.iter().map(element).collect::<Option<_>>().map(Elements::Integers)
}

/// The elements of a dtype that follow from two scalars or vectors, which broadcast.
pub(crate) fn zip(
    inputs: &Facts<'_>,
    dtype: DType,
    rule: impl Fn(&Extent, &Extent) -> Option<Result<Extent, ExtentError>>,
) -> Option<Elements> {
    let [a, b] = broadcast(inputs)?;
    // What cannot be expressed is not known.
    let element = |(a, b): (&Extent, &Extent)| rule(a, b)?.ok().filter(|result| fits(result, dtype));
    a.into_iter().zip(b).map(element).collect::<Option<_>>().map(Elements::Integers)
}

/// The elements of inputs that are scalars or vectors of integers, all of one length.
pub(crate) fn broadcast<'a, const N: usize>(inputs: &Facts<'a>) -> Option<[Vec<&'a Extent>; N]> {
    let mut operands: [&[Extent]; N] = [&[]; N];
    for (input, operand) in operands.iter_mut().enumerate() {
        let fact = inputs.get(input)?;
        if fact.shape.as_ref()?.rank() > 1 {
            return None;
        }
        *operand = fact.integers()?;
    }
    // Those of one element are repeated, be it never.
    let count = operands.iter().map(|operand| operand.len()).find(|&count| count != 1).unwrap_or(1);
    let at = |operand: &'a [Extent], index| operand.get(if operand.len() == 1 { 0 } else { index });
    let mut result = [const { Vec::new() }; N];
    for (operand, result) in operands.into_iter().zip(&mut result) {
        *result = (0..count).map(|index| at(operand, index)).collect::<Option<_>>()?;
    }
    Some(result)
}

/// Whether a dtype holds an element as it is: one that wraps is not expressed. What is computed from extents is taken to stay
/// within 31 bits, as they do.
pub(crate) fn fits(extent: &Extent, dtype: DType) -> bool {
    match extent.known() {
        None => match dtype {
            DType::I32 | DType::I64 => true,
            DType::U32 | DType::U64 => extent.is_never_negative(),
            _ => false,
        },
        Some(value) if dtype == DType::Bool => value == 0 || value == 1,
        Some(value) => match_dtype!(dtype, T => Scalar::from(value).try_cast::<T>().is_ok()),
    }
}

/// Whether two elements are equal, if that is known.
pub(crate) fn are_equal(a: &Extent, b: &Extent) -> Option<bool> {
    match (is_less(a, b), is_less(b, a)) {
        (Some(true), _) | (_, Some(true)) => Some(false),
        (Some(false), Some(false)) => Some(true),
        _ => None,
    }
}

/// Whether an element is less than another, if that is known.
pub(crate) fn is_less(a: &Extent, b: &Extent) -> Option<bool> {
    let is_less = b.subtract(a).ok()?.subtract(&1.into()).ok()?.is_never_negative();
    let is_not = a.subtract(b).ok()?.is_never_negative();
    (is_less || is_not).then_some(is_less)
}

/// Whether an element is true, if that is known.
pub(crate) fn truth(element: &Extent) -> Option<bool> {
    element.known().map(|value| value != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_known_where_no_symbol_can_change_it() {
        let seq = Extent::symbol("seq");
        let longer = seq.add(&2.into()).unwrap();
        assert_eq!(is_less(&seq, &longer), Some(true));
        assert_eq!(is_less(&longer, &seq), Some(false));
        assert_eq!(is_less(&seq, &seq), Some(false));
        assert_eq!(is_less(&seq, &1.into()), None);
        assert_eq!(are_equal(&seq, &seq), Some(true));
        assert_eq!(are_equal(&seq, &(-1).into()), Some(false));
        assert_eq!(are_equal(&seq, &0.into()), None);
        assert_eq!(is_less(&i64::MIN.into(), &i64::MAX.into()), None);
        assert_eq!(seq.larger(&longer), Ok(longer.clone()));
        assert_eq!(seq.smaller(&longer), Ok(seq.clone()));
        assert_eq!(seq.larger(&0.into()), Ok(seq));
    }

    #[test]
    fn what_wraps_is_not_expressed() {
        assert!(fits(&255.into(), DType::U8) && !fits(&256.into(), DType::U8) && !fits(&(-1).into(), DType::U8));
        assert!(fits(&Extent::symbol("n"), DType::I64) && !fits(&Extent::symbol("n"), DType::Bool));
        assert!(fits(&1.into(), DType::Bool) && !fits(&2.into(), DType::Bool));
        let shorter = Extent::symbol("n").add(&(-1).into()).unwrap();
        assert!(!fits(&Extent::symbol("n"), DType::U8) && !fits(&Extent::symbol("n"), DType::I16));
        assert!(fits(&Extent::symbol("n"), DType::U32) && !fits(&shorter, DType::U32) && fits(&shorter, DType::I32));
    }
}
