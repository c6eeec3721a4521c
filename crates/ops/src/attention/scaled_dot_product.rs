//! Scaled dot-product attention: the computation that all operators of attention share.
//!
//! Some heads at a time, so that the scores of one step stay within a limit; the bits do not depend on it.

use stratal_kernels::{AnyView, AnyViewMut, Epilogue, Softmax, map};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Geometry, Shape};

use super::masking::{Masking, Score};
use crate::operands::{in_dtype, unfit, with_number};
use crate::{AttentionScores, Cause, Context, read, write};

/// Scores that are in memory at once, at most, if a head has no more.
const SCORES: usize = 1 << 22;

/// How scores become shares.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScaledDotProduct {
    /// What products are multiplied by, if not by one over the root of the size of a head.
    pub(super) scale: Option<f32>,
    /// How large scores may become, if not 0.
    pub(super) softcap: f32,
    /// What softmax is computed in, if not in the dtype of scores.
    pub(super) softmax: Option<DType>,
}

/// Where the scores of all heads go, and those of which stage.
pub(super) struct Shown<'a, 'b> {
    pub(super) stage: AttentionScores,
    /// Of shape `[batch, heads, queries, keys]`.
    pub(super) place: &'a mut AnyViewMut<'b>,
}

/// The operands, of shape `[batch, heads, sequence, size]`. The heads of queries are a multiple of those of keys and values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operands<'a> {
    pub(super) queries: AnyView<'a>,
    pub(super) keys: AnyView<'a>,
    pub(super) values: AnyView<'a>,
}

/// Some heads of keys and values in one batch, with those of the queries.
#[derive(Debug, Clone, Copy)]
struct Part {
    batch: usize,
    /// The first head of keys.
    first: usize,
    /// Heads of keys.
    count: usize,
    /// Heads of queries for each head of keys.
    group: usize,
    queries: usize,
    keys: usize,
}

impl ScaledDotProduct {
    /// Computes the result, of shape `[batch, heads, queries, size]`, and shows scores.
    ///
    /// Scores and shares are of f32, or f64 for operands of f64, and only the result is rounded to the operands' dtype. A query
    /// that sees no key has shares and a result of zero.
    pub(super) fn compute(
        &self,
        context: &Context<'_>,
        operands: &Operands<'_>,
        masking: &Masking<'_>,
        result: &mut AnyViewMut<'_>,
        mut shown: Option<Shown<'_, '_>>,
    ) -> Result<(), Cause> {
        let is_unwanted = shown.as_ref().is_none_or(|shown| shown.place.shape().is_empty());
        if result.shape().is_empty() && is_unwanted {
            return Ok(());
        }
        let &[batches, heads, queries, _] = operands.queries.shape().extents() else {
            return Err(unfit(operands.queries.dtype(), operands.queries.shape()));
        };
        let &[_, heads_of_keys, all_keys, _] = operands.keys.shape().extents() else {
            return Err(unfit(operands.keys.dtype(), operands.keys.shape()));
        };
        let (queries, all_keys, heads_of_keys) = (queries as usize, all_keys as usize, heads_of_keys as usize);
        let Some(group) = (heads as usize).checked_div(heads_of_keys) else {
            return Err(unfit(operands.keys.dtype(), operands.keys.shape()));
        };
        for batch in 0..batches as usize {
            // What is shown is there for all keys.
            let keys = if shown.is_some() { all_keys } else { masking.length(batch, all_keys) };
            let scores_of_head = (group * queries).saturating_mul(keys).max(1);
            let at_once = (SCORES / scores_of_head).clamp(1, heads_of_keys.max(1));
            for first in (0..heads_of_keys).step_by(at_once) {
                let count = at_once.min(heads_of_keys - first);
                let part = Part { batch, first, count, group, queries, keys };
                self.compute_part(context, operands, masking, part, result, shown.as_mut())?;
            }
        }
        Ok(())
    }

    fn compute_part(
        &self,
        context: &Context<'_>,
        operands: &Operands<'_>,
        masking: &Masking<'_>,
        part: Part,
        result: &mut AnyViewMut<'_>,
        mut shown: Option<&mut Shown<'_, '_>>,
    ) -> Result<(), Cause> {
        let kernels = context.kernels();
        let stage = shown.as_ref().map(|shown| shown.stage);
        let mut show = |of: AttentionScores, scores: &Tensor| match &mut shown {
            Some(shown) if shown.stage == of => {
                let mut place = shown.place.seen(|geometry| part.of_queries(geometry))?;
                let scores = read(scores)?;
                let scores = scores.view()?.seen(|geometry| part.by_head(geometry))?;
                Ok::<_, Cause>(kernels.cast(&scores, &mut place)?)
            }
            _ => Ok(()),
        };

        let scores = self.products(context, operands, part)?;
        show(AttentionScores::Products, &scores)?;
        self.cap(context, &scores)?;
        show(AttentionScores::Capped, &scores)?;
        let blind = if masking.is_nothing() && part.keys > 0 {
            Vec::new()
        } else {
            let shape = operands.queries.shape();
            let heads = [shape.extent(0), shape.extent(1), part.queries];
            match scores.dtype() {
                DType::F64 => mask::<f64>(masking, heads, part, &scores)?,
                _ => mask::<f32>(masking, heads, part, &scores)?,
            }
        };
        show(AttentionScores::Masked, &scores)?;

        let shares = self.shares(context, &scores)?;
        write(&shares, |shares| zero(context, shares, part, &blind))?;
        show(AttentionScores::Shares, &shares)?;
        if result.shape().is_empty() && stage.is_none() {
            return Ok(());
        }

        let mut result = result.seen(|geometry| part.of_queries(geometry))?;
        part.add_up(context, &shares, masking, &operands.values, &mut result)?;
        // Zeros even where values are NaN or infinite.
        for &row in &blind {
            let (head, query) = (row / part.queries, row % part.queries);
            let mut row =
                result.seen(|geometry| Ok::<_, Cause>(geometry.select(0, head as i64)?.select(0, query as i64)?))?;
            fill_zero(context, &mut row)?;
        }
        Ok(())
    }

    /// The scaled products of queries and keys.
    fn products(&self, context: &Context<'_>, operands: &Operands<'_>, part: Part) -> Result<Tensor, Cause> {
        let kernels = context.kernels();
        let dtype = if operands.queries.dtype() == DType::F64 { DType::F64 } else { DType::F32 };
        let size = operands.queries.shape().extent(3);
        let queries = operands.queries.seen(|geometry| part.of_queries(geometry))?;
        let scale = self.scale.map_or_else(|| 1.0 / (size as f64).sqrt(), f64::from);
        let scaled = context.converted(&queries, dtype)?;
        with_number(dtype, scale, scaled.shape(), |scale| {
            write(&scaled, |scaled| kernels.binary_in_place(&map::Mul, scaled, scale))
        })?;
        let scaled = read(&scaled)?;
        let rows = Shape::new(&[part.count as i64, part.rows() as i64, size as i64])?;
        let scaled = scaled.view()?.seen(|geometry| super::heads::reshaped(geometry, &rows))?;
        let keys = operands.keys.seen(|geometry| part.of_keys(geometry))?;
        let scores = Shape::new(&[part.count as i64, part.rows() as i64, part.keys as i64])?;
        let scores = context.scratch(dtype, &scores)?;
        in_dtype(context, &keys, dtype, |keys| {
            let keys = keys.seen(Geometry::t)?;
            write(&scores, |scores| kernels.matmul(&scaled, &keys, &Epilogue::default(), scores))
        })?;
        Ok(scores)
    }

    /// Bounds scores smoothly.
    fn cap(&self, context: &Context<'_>, scores: &Tensor) -> Result<(), Cause> {
        if self.softcap == 0.0 {
            return Ok(());
        }
        with_number(scores.dtype(), self.softcap.into(), scores.shape(), |cap| {
            write(scores, |scores| {
                context.kernels().binary_in_place(&map::Div, scores, cap)?;
                context.kernels().unary_in_place(&map::Tanh, scores)?;
                context.kernels().binary_in_place(&map::Mul, scores, cap)
            })
        })
    }

    /// The shares that scores become, of their dtype. The scores may be overwritten.
    fn shares(&self, context: &Context<'_>, scores: &Tensor) -> Result<Tensor, Cause> {
        let along = Softmax::along(2);
        let softmax = |shares: &Tensor| write(shares, |shares| context.kernels().softmax_in_place(&along, shares));
        let Some(dtype) = self.softmax.filter(|&dtype| dtype != scores.dtype()) else {
            softmax(scores)?;
            return Ok(scores.clone());
        };
        let shares = context.converted(&read(scores)?.view()?, dtype)?;
        softmax(&shares)?;
        context.converted(&read(&shares)?.view()?, scores.dtype())
    }
}

impl Part {
    /// Heads of queries.
    const fn heads(&self) -> usize {
        self.count * self.group
    }

    /// Queries of all heads that share one head of keys.
    const fn rows(&self) -> usize {
        self.group * self.queries
    }

    /// `[heads, queries, ..]` of what has a head for each head of queries.
    fn of_queries(&self, geometry: &Geometry) -> Result<Geometry, Cause> {
        let of_batch = geometry.select(0, self.batch as i64)?;
        Ok(of_batch.narrow(0, (self.first * self.group) as i64, self.heads() as i64)?)
    }

    /// `[heads, keys, size]` of keys or values.
    fn of_keys(&self, geometry: &Geometry) -> Result<Geometry, Cause> {
        let of_batch = geometry.select(0, self.batch as i64)?;
        Ok(of_batch.narrow(0, self.first as i64, self.count as i64)?.narrow(1, 0, self.keys as i64)?)
    }

    /// `[heads of queries, queries, ..]` of `[heads of keys, rows, ..]`.
    fn by_head(&self, geometry: &Geometry) -> Result<Geometry, Cause> {
        let last = geometry.shape().extent(2);
        super::heads::reshaped(geometry, &Shape::new(&[self.heads() as i64, self.queries as i64, last as i64])?)
    }

    /// Adds up values by their shares.
    fn add_up(
        &self,
        context: &Context<'_>,
        shares: &Tensor,
        masking: &Masking<'_>,
        values: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), Cause> {
        // Keys that the batch does not have bring nothing, whatever their values are.
        let keys = masking.length(self.batch, self.keys);
        let values = values.seen(|geometry| Ok::<_, Cause>(self.of_keys(geometry)?.narrow(1, 0, keys as i64)?))?;
        let size = values.shape().extent(2) as i64;
        let shares = read(shares)?;
        let shares = shares.view()?.seen(|geometry| Ok::<_, Cause>(geometry.narrow(2, 0, keys as i64)?))?;
        let dtype = if values.dtype() == DType::F64 { DType::F64 } else { shares.dtype() };
        let (count, rows) = (self.count as i64, self.rows() as i64);
        let product = |values: &AnyView<'_>, result: &mut AnyViewMut<'_>| {
            in_dtype(context, &shares, dtype, |shares| {
                // One product for all queries of a head of keys, where the result lies so.
                if let Some(geometry) = result.geometry().try_reshape(&Shape::new(&[count, rows, size])?) {
                    let mut result = result.seen(|_| Ok::<_, Cause>(geometry))?;
                    return Ok(context.kernels().matmul(shares, values, &Epilogue::default(), &mut result)?);
                }
                let (group, queries) = (self.group as i64, self.queries as i64);
                let grouped = |geometry: &Geometry, last: i64| {
                    super::heads::reshaped(geometry, &Shape::new(&[count, group, queries, last])?)
                };
                let shares = shares.seen(|geometry| grouped(geometry, keys as i64))?;
                let values = values.seen(|geometry| Ok::<_, Cause>(geometry.unsqueeze(1)?))?;
                let mut result = result.seen(|geometry| grouped(geometry, size))?;
                Ok(context.kernels().matmul(&shares, &values, &Epilogue::default(), &mut result)?)
            })
        };
        in_dtype(context, &values, dtype, |values| {
            if result.dtype() == dtype {
                return product(values, result);
            }
            let wide = context.scratch(dtype, result.shape())?;
            write(&wide, |wide| product(values, wide))?;
            Ok(context.kernels().cast(&read(&wide)?.view()?, result)?)
        })
    }
}

/// Masks the scores of a part, and lists the rows that see no key.
fn mask<T: Score>(masking: &Masking<'_>, heads: [usize; 3], part: Part, scores: &Tensor) -> Result<Vec<usize>, Cause> {
    let mask = masking.mask::<T>(heads)?;
    let mut blind = Vec::new();
    write(scores, |scores| {
        let unfit = unfit(scores.dtype(), scores.shape());
        let Some(mut scores) = scores.typed::<T>() else { return Err(unfit) };
        let Some(scores) = scores.as_mut_slice() else { return Err(unfit) };
        for row in 0..part.heads() * part.queries {
            let (head, query) = (part.first * part.group + row / part.queries, row % part.queries);
            let range = masking.keys(part.batch, query, part.queries, part.keys);
            let scores = &mut scores[row * part.keys..][..part.keys];
            if !mask.apply([part.batch, head, query], range, scores)? {
                blind.push(row);
            }
        }
        Ok::<_, Cause>(())
    })?;
    Ok(blind)
}

/// Zeroes rows of shares.
fn zero(context: &Context<'_>, shares: &mut AnyViewMut<'_>, part: Part, rows: &[usize]) -> Result<(), Cause> {
    let all = Shape::new(&[(part.heads() * part.queries) as i64, part.keys as i64])?;
    for &row in rows {
        let mut row =
            shares.seen(|geometry| Ok::<_, Cause>(super::heads::reshaped(geometry, &all)?.select(0, row as i64)?))?;
        fill_zero(context, &mut row)?;
    }
    Ok(())
}

fn fill_zero(context: &Context<'_>, view: &mut AnyViewMut<'_>) -> Result<(), Cause> {
    let shape = *view.shape();
    with_number(view.dtype(), 0.0, &shape, |zero| Ok(context.kernels().copy(zero, view)?))
}
