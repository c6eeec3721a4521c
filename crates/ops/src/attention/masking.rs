//! `Masking`: which keys each query sees, and what is added to its scores.

use std::ops::Range;

use stratal_kernels::AnyView;
use stratal_tensor::View;
use stratal_tensor_base::{Bool, Element, Shape};

use crate::Cause;

/// What restricts queries: their place in the sequence, and a mask.
#[derive(Debug, Clone, Default)]
pub(super) struct Masking<'a> {
    /// Truths, or numbers of the dtype of scores. Its last axis may be shorter than there are keys.
    pub(super) mask: Option<AnyView<'a>>,
    /// Whether a query sees no key behind it.
    pub(super) is_causal: bool,
    /// How many keys before it a query sees.
    pub(super) left: Option<usize>,
    /// How many keys behind it a query sees.
    pub(super) right: Option<usize>,
    /// How many keys stand before that of the first query.
    pub(super) past: usize,
    /// How many keys each batch has; those behind are nobody's.
    pub(super) lengths: Option<Vec<usize>>,
}

/// A mask over the scores of all heads.
#[derive(Debug, Clone, Copy)]
pub(super) enum Mask<'a, T: Element> {
    None,
    Truths(View<'a, Bool>),
    Numbers(View<'a, T>),
}

/// Scores are of f32 or f64.
pub(super) trait Score: Element + std::ops::AddAssign + PartialEq {
    const EXCLUDED: Self;
}

impl Score for f32 {
    const EXCLUDED: Self = Self::NEG_INFINITY;
}

impl Score for f64 {
    const EXCLUDED: Self = Self::NEG_INFINITY;
}

impl<'a> Masking<'a> {
    /// Whether every query sees all keys, and nothing is added.
    pub(super) fn is_nothing(&self) -> bool {
        self.mask.is_none() && !self.is_causal && self.left.is_none() && self.right.is_none() && self.lengths.is_none()
    }

    /// The keys of a batch.
    pub(super) fn length(&self, batch: usize, keys: usize) -> usize {
        self.lengths.as_ref().and_then(|lengths| lengths.get(batch)).map_or(keys, |&length| length.min(keys))
    }

    /// The keys that a query sees by its place alone, of a batch with so many queries and keys.
    pub(super) fn keys(&self, batch: usize, query: usize, queries: usize, keys: usize) -> Range<usize> {
        let length = self.length(batch, keys);
        // The last query stands at the last key.
        let before = if self.lengths.is_some() { length as i64 - queries as i64 } else { self.past as i64 };
        let place = before + query as i64;
        let until = |behind: usize| place.saturating_add(behind as i64).saturating_add(1).max(0) as usize;
        let causal = if self.is_causal { until(0) } else { keys };
        let end = length.min(causal).min(self.right.map_or(keys, until));
        let start = self.left.map_or(0, |before| place.saturating_sub(before as i64).max(0) as usize);
        start.min(end)..end
    }

    /// The mask, expanded to the scores of `[batch, heads, queries]`.
    pub(super) fn mask<T: Element>(&self, [batch, heads, queries]: [usize; 3]) -> Result<Mask<'a, T>, Cause> {
        let Some(mask) = &self.mask else { return Ok(Mask::None) };
        let length = mask.shape().extents().last().map_or(1, |&extent| i64::from(extent));
        let shape = Shape::new(&[batch as i64, heads as i64, queries as i64, length])?;
        let mask = mask.seen(|geometry| Ok::<_, Cause>(geometry.broadcast_to(&shape)?))?;
        let numbers = || mask.typed().map(Mask::Numbers);
        Ok(mask.typed().map(Mask::Truths).or_else(numbers).unwrap_or(Mask::None))
    }
}

impl<T: Score> Mask<'_, T> {
    /// Masks the scores of a query, of which it sees a range; false if it sees no key at all.
    ///
    /// What is excluded becomes negative infinity whatever the score is, so that NaN of keys that nobody sees stay there.
    pub(super) fn apply(&self, index: [usize; 3], range: Range<usize>, scores: &mut [T]) -> Result<bool, Cause> {
        scores[..range.start].fill(T::EXCLUDED);
        scores[range.end..].fill(T::EXCLUDED);
        let seen = &mut scores[range.clone()];
        match self {
            Self::None => Ok(!seen.is_empty()),
            Self::Truths(truths) => {
                let exclude = |truth: Option<Bool>, score: &mut T| {
                    let is_seen = truth.is_some_and(bool::from);
                    if !is_seen {
                        *score = T::EXCLUDED;
                    }
                    is_seen
                };
                each(truths, index, range.start, seen, exclude)
            }
            Self::Numbers(numbers) => {
                let add = |number: Option<T>, score: &mut T| match number {
                    Some(number) if number != T::EXCLUDED => {
                        *score += number;
                        true
                    }
                    _ => {
                        *score = T::EXCLUDED;
                        false
                    }
                };
                each(numbers, index, range.start, seen, add)
            }
        }
    }
}

/// Calls with each score from one on and its element of the mask, none behind its end. Whether one of the calls said true.
fn each<M: Element, T>(
    mask: &View<'_, M>,
    [batch, head, query]: [usize; 3],
    first: usize,
    scores: &mut [T],
    mut change: impl FnMut(Option<M>, &mut T) -> bool,
) -> Result<bool, Cause> {
    let row = mask.geometry().select(0, batch as i64)?.select(0, head as i64)?.select(0, query as i64)?;
    let (length, stride) = (row.shape().extent(0), row.strides()[0] as isize);
    let mut is_any = false;
    for (key, score) in (first..).zip(scores) {
        let place = row.offset().wrapping_add_signed(key as isize * stride);
        let element = (key < length).then(|| mask.elements().get(place).copied()).flatten();
        is_any |= change(element, score);
    }
    Ok(is_any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_restrict_keys() {
        let causal = Masking { is_causal: true, past: 2, ..Masking::default() };
        assert_eq!(causal.keys(0, 0, 2, 4), 0..3);
        assert_eq!(causal.keys(0, 1, 2, 4), 0..4);
        let window = Masking { left: Some(1), right: Some(2), ..Masking::default() };
        assert_eq!(window.keys(0, 0, 5, 5), 0..3);
        assert_eq!(window.keys(0, 4, 5, 5), 3..5);
        let endless = Masking { left: Some(usize::MAX >> 1), right: Some(usize::MAX >> 1), ..Masking::default() };
        assert_eq!(endless.keys(0, 4, 5, 5), 0..5);
    }

    #[test]
    fn queries_before_the_first_key_see_none() {
        let causal = Masking { is_causal: true, lengths: Some(vec![1, 6]), ..Masking::default() };
        assert_eq!(causal.keys(0, 0, 2, 6), 0..0);
        assert_eq!(causal.keys(0, 1, 2, 6), 0..1);
        assert_eq!(causal.keys(1, 0, 2, 6), 0..5);
        let window = Masking { left: Some(0), ..causal };
        assert_eq!(window.keys(0, 0, 2, 6), 0..0);
        assert_eq!(window.keys(1, 1, 2, 6), 5..6);
    }

    #[test]
    fn what_is_excluded_does_not_matter() {
        let numbers = [0.5_f32, f32::NEG_INFINITY];
        let mask = View::new(&numbers, stratal_tensor_base::Geometry::contiguous(Shape::new(&[1, 1, 1, 2]).unwrap()));
        let mask = Mask::Numbers(mask.unwrap());
        let mut scores = [1.0, f32::NAN, f32::NAN, f32::NAN];
        assert_eq!(mask.apply([0; 3], 0..3, &mut scores), Ok(true));
        assert_eq!(scores, [1.5, f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY]);
        assert_eq!(mask.apply([0; 3], 1..3, &mut scores), Ok(false));
    }
}
