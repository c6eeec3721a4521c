//! `Seen`: which keys each query sees, and what is added to its scores.

use stratal_tensor::Tensor;
use stratal_tensor_base::{Bool, DType};

use super::scaled_dot_product::extent;
use crate::{EagerError, Var};

/// What restricts queries by their place in the sequence.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// Whether a query sees no key behind it.
    pub(super) is_causal: bool,
    /// How many keys before it a query sees.
    pub(super) left: Option<usize>,
    /// How many keys behind it a query sees.
    pub(super) right: Option<usize>,
    /// How many keys stand before that of the first query.
    pub(super) past: i64,
    /// How many keys each batch has; the last query stands at the last one.
    pub(super) lengths: Option<Vec<i64>>,
}

/// Which keys each query sees, and what is added to its scores.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Truths that broadcast to scores; nothing if all is seen.
    truths: Option<Var>,
    /// Numbers that broadcast to scores, zero where a key is not seen.
    numbers: Option<Var>,
    /// Which queries see a key at all, with 1 in the place of keys.
    is_any: Option<Var>,
}

impl Seen {
    /// Of a mask that broadcasts to scores of a dtype, but may have fewer keys, and of places.
    pub(super) fn new(
        mask: Option<&Var>,
        places: &Places,
        [batch, queries, keys]: [i64; 3],
        dtype: DType,
    ) -> Result<Self, EagerError> {
        let mut truths = places.truths(batch, queries, keys)?;
        let mut numbers = None;
        if let Some(mask) = mask {
            let (seen, added) = continued(mask, keys, dtype)?;
            if let Some(added) = added {
                numbers = Some(seen.select_by(&added, &added.number(0.0)?)?);
            }
            truths = Some(match truths {
                Some(truths) => both(&truths, &seen)?,
                None => seen,
            });
        }
        let is_any = truths.as_ref().map(any).transpose()?;
        Ok(Self { truths, numbers, is_any })
    }

    /// Scores with what is added to them; negative infinity where a key is not seen, whatever the score is.
    pub(super) fn mask(&self, scores: &Var) -> Result<Var, EagerError> {
        let scores = match &self.numbers {
            Some(numbers) => scores.add(numbers)?,
            None => scores.clone(),
        };
        match &self.truths {
            Some(truths) => truths.select_by(&scores, &scores.number(f64::NEG_INFINITY)?),
            None => Ok(scores),
        }
    }

    /// Zeros for queries that see no key.
    pub(super) fn or_zero(&self, rows: &Var) -> Result<Var, EagerError> {
        match &self.is_any {
            Some(is_any) => is_any.select_by(rows, &rows.number(0.0)?),
            None => Ok(rows.clone()),
        }
    }
}

impl Places {
    /// Which keys of each batch there are, `[batch, 1, keys, 1]`; nothing if all batches have all.
    pub(super) fn keys(&self, keys: i64) -> Result<Option<Var>, EagerError> {
        let Some(lengths) = &self.lengths else { return Ok(None) };
        let is_there = lengths.iter().flat_map(|&length| (0..keys).map(move |key| Bool::from(key < length))).collect();
        Ok(Some(Tensor::from_vec::<Bool>(is_there, &[lengths.len() as i64, 1, keys, 1])?.into()))
    }

    /// Which keys each query sees, `[batch or 1, 1, queries, keys]`; nothing if it sees all.
    fn truths(&self, batch: i64, queries: i64, keys: i64) -> Result<Option<Var>, EagerError> {
        if !self.is_causal && self.left.is_none() && self.right.is_none() && self.lengths.is_none() {
            return Ok(None);
        }
        let batches = if self.lengths.is_some() { batch } else { 1 };
        let mut truths = Vec::new();
        for batch in 0..batches as usize {
            let length = self.lengths.as_ref().and_then(|lengths| lengths.get(batch)).copied();
            // The last query stands at the last key.
            let before = length.map_or(self.past, |length| length - queries);
            for place in before..before + queries {
                truths.extend(
                    (0..keys).map(|key| Bool::from(self.sees(place, key) && length.is_none_or(|end| key < end))),
                );
            }
        }
        Ok(Some(Tensor::from_vec(truths, &[batches, 1, queries, keys])?.into()))
    }

    fn sees(&self, place: i64, key: i64) -> bool {
        let is_within = |distance: i64, limit: Option<usize>| {
            limit.is_none_or(|limit| usize::try_from(distance).map_or(true, |distance| distance <= limit))
        };
        (!self.is_causal || key <= place) && is_within(place - key, self.left) && is_within(key - place, self.right)
    }
}

/// Which keys a mask lets be seen, and the numbers that it adds, if it holds numbers. Behind its end no key is seen.
fn continued(mask: &Var, keys: i64, dtype: DType) -> Result<(Var, Option<Var>), EagerError> {
    let mut behind = crate::views::extents(mask.shape());
    let length = behind.last_mut().map_or(keys, |last| std::mem::replace(last, keys - *last));
    let longer = |mask: &Var, value: f64| match keys - length {
        0 => Ok(mask.clone()),
        _ => Var::concat(&[mask, &mask.number(value)?.expand(&behind)?], -1),
    };
    if mask.dtype() == DType::Bool {
        return Ok((longer(mask, 0.0)?, None));
    }
    let mask = mask.cast(dtype)?;
    let is_excluded = longer(&mask.detach(), f64::NEG_INFINITY)?.equal(f64::NEG_INFINITY)?;
    Ok((not(&is_excluded)?, Some(longer(&mask, 0.0)?)))
}

fn not(truths: &Var) -> Result<Var, EagerError> {
    crate::apply(&stratal_ops::Not, &[Some(truths)])
}

fn both(a: &Var, b: &Var) -> Result<Var, EagerError> {
    crate::apply(&stratal_ops::And, &[Some(a), Some(b)])
}

/// Whether there is a truth along the last axis, which stays with an extent of 1.
fn any(truths: &Var) -> Result<Var, EagerError> {
    if extent(truths, truths.rank().saturating_sub(1)) == 0 {
        let mut shape = crate::views::extents(truths.shape());
        shape.last_mut().into_iter().for_each(|last| *last = 1);
        return Var::full(&shape, false, DType::Bool);
    }
    truths.cast(DType::U8)?.max(&[-1], true)?.cast(DType::Bool)
}
