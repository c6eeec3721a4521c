//! The extents of what is resized.

use stratal_kernels::resize::Scale;

use super::Aspect;
use crate::{Cause, Extent};

/// How much longer an axis becomes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Factor {
    pub(super) factor: f64,
    /// The part of the axis that becomes longer.
    pub(super) region: [f64; 2],
}

impl Factor {
    /// The factor, if it is a positive number.
    pub(super) fn check(self) -> Result<Self, Cause> {
        Scale::output_extent(self.factor, 0)?;
        Ok(self)
    }

    /// The extent of the result; none if it cannot be said.
    pub(super) fn extent(self, extent: &Extent) -> Result<Option<Extent>, Cause> {
        let [start, end] = self.region;
        let is_whole = self.region == [0.0, 1.0];
        if let Some(extent) = extent.known().and_then(|extent| u32::try_from(extent).ok()) {
            let factor = if is_whole { self.factor } else { self.factor * (end - start) };
            return Ok(Some(i64::from(Scale::output_extent(factor, extent)?).into()));
        }
        let fraction = if is_whole { fraction(self.factor) } else { None };
        let Some((numerator, denominator)) = fraction else { return Ok(None) };
        Ok(Some(extent.multiply(&numerator.into())?.divide_floor(&denominator.into())?))
    }
}

/// A positive number as a fraction in lowest terms, if that is small enough to multiply extents with.
fn fraction(number: f64) -> Option<(i64, i64)> {
    let mut denominator = 1_i64;
    let mut numerator = number;
    // Doubling is exact, so what is whole then is the number times a power of two.
    while numerator.fract() != 0.0 {
        if denominator >= 1 << 30 {
            return None;
        }
        (numerator, denominator) = (numerator * 2.0, denominator * 2);
    }
    (numerator < (1_i64 << 31) as f64).then_some((numerator as i64, denominator))
}

/// The extents of axes that keep their aspect; none if they cannot be said.
pub(super) fn kept(aspect: Aspect, from: &[Extent], to: &[Extent]) -> Result<Option<Vec<Extent>>, Cause> {
    let known = |extents: &[Extent]| extents.iter().map(Extent::known).collect::<Option<Vec<_>>>();
    let (Some(from), Some(to)) = (known(from), known(to)) else { return Ok(None) };
    let pairs = from.iter().zip(&to).map(|(from, to)| (i128::from(*to), i128::from(*from)));
    if let Some(empty) = from.iter().position(|extent| *extent == 0) {
        return Err(Cause::Unfit(format!("extents {from:?} have no aspect: number {empty} is 0")));
    }
    // The ratio that all axes have, as a fraction.
    let by_ratio = |a: &(i128, i128), b: &(i128, i128)| (a.0 * b.1).cmp(&(b.0 * a.1));
    let ratio = match aspect {
        Aspect::NotSmaller => pairs.max_by(by_ratio),
        _ => pairs.min_by(by_ratio),
    };
    let Some((numerator, denominator)) = ratio else { return Ok(Some(Vec::new())) };
    let extent = |from: &i64| {
        let rounded = (2 * i128::from(*from) * numerator + denominator) / (2 * denominator);
        i64::try_from(rounded).unwrap_or(i64::MAX).into()
    };
    Ok(Some(from.iter().map(extent).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_few_bits_are_fractions() {
        assert_eq!(fraction(2.5), Some((5, 2)));
        assert_eq!(fraction(f64::from(0.8_f32)), Some((13_421_773, 1 << 24)));
        assert_eq!(fraction(0.8), None);
        assert_eq!(fraction(1e30), None);
        assert_eq!(fraction(1e-30), None);
    }

    #[test]
    fn symbols_become_what_their_values_become() {
        let symbol = Extent::symbol("n");
        for factor in [0.3_f32, 0.5, 0.8, 1.0, 1.1, 1.5, 3.0, 7.3] {
            let factor = Factor { factor: factor.into(), region: [0.0, 1.0] };
            let symbolic = factor.extent(&symbol).unwrap().unwrap();
            for extent in 0..100 {
                let known = factor.extent(&extent.into()).unwrap().unwrap();
                assert_eq!(symbolic.evaluate(&|_| Some(extent)).ok(), known.known(), "{symbolic}");
            }
        }
    }

    #[test]
    fn halves_are_rounded_up() {
        let kept = |aspect, from: [i64; 2], to: [i64; 2]| {
            let kept =
                kept(aspect, &from.map(Extent::from), &to.map(Extent::from)).map_err(|error| error.to_string())?;
            Ok::<_, String>(kept.unwrap().iter().filter_map(Extent::known).collect::<Vec<_>>())
        };
        assert_eq!(kept(Aspect::NotSmaller, [2, 4], [1, 3]).unwrap(), [2, 3]);
        assert_eq!(kept(Aspect::NotLarger, [2, 4], [1, 3]).unwrap(), [1, 2]);
        assert_eq!(kept(Aspect::NotLarger, [3, 5], [1, 9]).unwrap(), [1, 2]);
        assert_eq!(
            kept(Aspect::NotLarger, [3, 0], [1, 9]).unwrap_err(),
            "extents [3, 0] have no aspect: number 1 is 0"
        );
    }
}
