//! The four forms of a cast, with the element types behind patterns.

use stratal_tensor_base::{
    CastError, CastFrom, DType, Element, cast, cast_slice, match_dtype, try_cast, try_cast_slice,
};

use crate::{
    pattern::{self, Pattern},
    reference::cast::Refusal,
};

/// One pair of dtypes and its casts, from patterns to patterns.
#[derive(Clone, Copy)]
pub(crate) struct CastForms {
    pub(crate) cast: fn(&[u64]) -> Vec<u64>,
    pub(crate) cast_slice: fn(&[u64]) -> Vec<u64>,
    pub(crate) try_cast: fn(&[u64]) -> Vec<Outcome>,
    pub(crate) try_cast_slice: fn(&[u64]) -> Vec<Outcome>,
}

/// What a strict cast answers about one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Value(u64),
    Refused(Refusal),
    /// An error that names another value, place or dtype, or that comes after something was written.
    Misreported,
}

impl CastForms {
    /// The library's casts between two dtypes.
    pub(crate) fn of(source: DType, target: DType) -> Self {
        match_dtype!(source, S => match_dtype!(target, T => Self {
            cast: elements::<S, T>,
            cast_slice: slice::<S, T>,
            try_cast: strict_elements::<S, T>,
            try_cast_slice: strict_slice::<S, T>,
        }))
    }
}

fn elements<S: Element + Pattern, T: CastFrom<S> + Pattern>(patterns: &[u64]) -> Vec<u64> {
    let results = patterns.iter().map(|pattern| cast::<S, T>(S::from_pattern(*pattern)));
    results.map(T::pattern).collect()
}

fn slice<S: Element + Pattern, T: CastFrom<S> + Pattern>(patterns: &[u64]) -> Vec<u64> {
    let source: Vec<S> = patterns.iter().copied().map(S::from_pattern).collect();
    let mut target = vec![T::from_pattern(0); source.len()];
    cast_slice(&source, &mut target).expect("both slices have the same length");
    target.into_iter().map(T::pattern).collect()
}

fn strict_elements<S: Element + Pattern, T: CastFrom<S> + Pattern>(patterns: &[u64]) -> Vec<Outcome> {
    let strict = |pattern: &u64| match try_cast::<S, T>(S::from_pattern(*pattern)) {
        Ok(value) => Outcome::Value(value.pattern()),
        Err(error) => outcome::<S, T>(error, *pattern, 0),
    };
    patterns.iter().map(strict).collect()
}

/// Elements that are cast in one call of the strict form for slices: few, since each refusal looks at all of them.
const RUN: usize = 64;

/// What stands in a target before anything is written.
const UNWRITTEN: u64 = 0xA5A5_A5A5_A5A5_A5A5;

/// The strict form for slices names the first element that it refuses and writes nothing. It is called again for the
/// elements before that one, which must pass, and for those after it.
fn strict_slice<S: Element + Pattern, T: CastFrom<S> + Pattern>(patterns: &[u64]) -> Vec<Outcome> {
    let mut outcomes = Vec::with_capacity(patterns.len());
    for run in patterns.chunks(RUN) {
        let mut rest = run;
        while !rest.is_empty() {
            match strict_run::<S, T>(rest) {
                Answer::Values(values) => {
                    outcomes.extend(values);
                    break;
                }
                Answer::Refusal(index, outcome) => {
                    let (before, after) = rest.split_at(index);
                    match strict_run::<S, T>(before) {
                        Answer::Values(values) => outcomes.extend(values),
                        _ => outcomes.extend(before.iter().map(|_| Outcome::Misreported)),
                    }
                    outcomes.push(outcome);
                    rest = &after[1..];
                }
            }
        }
    }
    outcomes
}

/// What the strict form for slices answers about a run.
enum Answer {
    Values(Vec<Outcome>),
    /// Which element is refused, and how.
    Refusal(usize, Outcome),
}

fn strict_run<S: Element + Pattern, T: CastFrom<S> + Pattern>(patterns: &[u64]) -> Answer {
    if patterns.is_empty() {
        // A cast of bool refuses even this.
        return Answer::Values(Vec::new());
    }
    let source: Vec<S> = patterns.iter().copied().map(S::from_pattern).collect();
    let unwritten = T::from_pattern(UNWRITTEN).pattern();
    let mut target = vec![T::from_pattern(UNWRITTEN); source.len()];
    match try_cast_slice(&source, &mut target) {
        Ok(()) => {
            let values = target.into_iter().map(|value| Outcome::Value(value.pattern()));
            Answer::Values(values.collect())
        }
        Err(error) => {
            let index = index(error).unwrap_or(0).min(patterns.len() - 1);
            let outcome = if target.into_iter().all(|value| value.pattern() == unwritten) {
                outcome::<S, T>(error, patterns[index], index)
            } else {
                Outcome::Misreported
            };
            Answer::Refusal(index, outcome)
        }
    }
}

/// Where the refused element stands, if the error says so.
fn index(error: CastError) -> Option<usize> {
    match error {
        CastError::NotANumber { index, .. } | CastError::OutOfRange { index, .. } => Some(index),
        _ => None,
    }
}

/// What an error says, if it names the element with this pattern and place.
fn outcome<S: Element, T: Element>(error: CastError, pattern: u64, place: usize) -> Outcome {
    let (scalar, index, named_target, refusal) = match error {
        CastError::NotANumber { value, index, target } => (value, index, target, Refusal::NotANumber),
        CastError::OutOfRange { value, index, target } => (value, index, target, Refusal::OutOfRange),
        CastError::Bool { source_dtype, target } if (source_dtype, target) == (S::DTYPE, T::DTYPE) => {
            return Outcome::Refused(Refusal::Bool);
        }
        _ => return Outcome::Misreported,
    };
    let is_named = scalar.dtype() == S::DTYPE
        && pattern::of_scalar(scalar) == pattern
        && index == place
        && named_target == T::DTYPE;
    if is_named { Outcome::Refused(refusal) } else { Outcome::Misreported }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_slices_go_on_after_each_refusal() {
        let nan = f32::NAN.to_bits();
        let patterns = [2_f32.to_bits(), nan, nan, 3_f32.to_bits(), 300_f32.to_bits()].map(u64::from);
        let expected = [
            Outcome::Value(2),
            Outcome::Refused(Refusal::NotANumber),
            Outcome::Refused(Refusal::NotANumber),
            Outcome::Value(3),
            Outcome::Refused(Refusal::OutOfRange),
        ];
        let forms = CastForms::of(DType::F32, DType::U8);
        assert_eq!((forms.try_cast_slice)(&patterns), expected);
        assert_eq!((forms.try_cast)(&patterns), expected);
    }

    #[test]
    fn an_error_about_another_element_is_misreported() {
        let error = try_cast::<i32, u8>(300).unwrap_err();
        let range = Outcome::Refused(Refusal::OutOfRange);
        assert_eq!(outcome::<i32, u8>(error, 300, 0), range);
        assert_eq!(outcome::<i32, u8>(error, 301, 0), Outcome::Misreported);
        assert_eq!(outcome::<i32, u8>(error, 300, 1), Outcome::Misreported);
        assert_eq!(outcome::<i32, i8>(error, 300, 0), Outcome::Misreported);
        assert_eq!(outcome::<u32, u8>(error, 300, 0), Outcome::Misreported);
    }
}
