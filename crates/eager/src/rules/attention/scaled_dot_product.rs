//! Scaled dot-product attention, by variables: what the operators of attention are composed of.

use stratal_tensor_base::DType;

use super::seen::Seen;
use crate::{EagerError, Var};

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

/// All that attention computes on its way, of shape `[batch, heads, queries, ..]`.
pub(super) struct Stages {
    /// The scaled products of queries and keys.
    pub(super) products: Var,
    /// With the soft cap.
    pub(super) capped: Var,
    /// With the mask.
    pub(super) masked: Var,
    /// After softmax.
    pub(super) shares: Var,
    /// Values, added up by their shares.
    pub(super) result: Var,
}

impl ScaledDotProduct {
    /// Composes all stages, of operands `[batch, heads, sequence, size]`. The heads of queries are a multiple of the others.
    pub(super) fn compose(&self, queries: &Var, keys: &Var, values: &Var, seen: &Seen) -> Result<Stages, EagerError> {
        let products = self.products(queries, keys)?;
        let capped = self.cap(&products)?;
        let masked = seen.mask(&capped)?;
        // A query that sees no key has no shares. Softmax of nothing would be NaN, and so would be its gradient.
        let shares = seen.or_zero(&self.softmax(&seen.or_zero(&masked)?)?)?;
        let dtype = if values.dtype() == DType::F64 { DType::F64 } else { shares.dtype() };
        let result = for_groups(&shares.cast(dtype)?, &values.cast(dtype)?, Var::matmul)?;
        let result = seen.or_zero(&result)?.cast(queries.dtype())?;
        Ok(Stages { products, capped, masked, shares, result })
    }

    /// The scaled products of queries and keys.
    pub(super) fn products(&self, queries: &Var, keys: &Var) -> Result<Var, EagerError> {
        let scale = self.scale.map_or_else(|| 1.0 / (extent(queries, 3) as f64).sqrt(), f64::from);
        for_groups(&queries.mul(scale)?, keys, |queries, keys| queries.matmul(&keys.t()?))
    }

    /// Scores, bounded smoothly.
    pub(super) fn cap(&self, products: &Var) -> Result<Var, EagerError> {
        match f64::from(self.softcap) {
            0.0 => Ok(products.clone()),
            cap => products.div(cap)?.tanh()?.mul(cap),
        }
    }

    fn softmax(&self, scores: &Var) -> Result<Var, EagerError> {
        match self.softmax {
            Some(dtype) => scores.cast(dtype)?.softmax(-1)?.cast(scores.dtype()),
            None => scores.softmax(-1),
        }
    }
}

/// A product with all heads of `rows` that share a head of the other side, which has as many heads or fewer.
fn for_groups(
    rows: &Var,
    shared: &Var,
    product: impl Fn(&Var, &Var) -> Result<Var, EagerError>,
) -> Result<Var, EagerError> {
    let [batch, heads, queries, size] = [0, 1, 2, 3].map(|axis| extent(rows, axis));
    let heads_of_shared = extent(shared, 1);
    if heads == heads_of_shared {
        return product(rows, shared);
    }
    let rows_of_shared = heads.checked_div(heads_of_shared).unwrap_or(0) * queries;
    let result = product(&rows.reshape(&[batch, heads_of_shared, rows_of_shared, size])?, shared)?;
    result.reshape(&[batch, heads, queries, extent(&result, 3)])
}

/// Sees `[batch, sequence, heads * size]` as `[batch, heads, sequence, size]`; what has four axes stays.
pub(super) fn split_heads(x: &Var, heads: Option<usize>) -> Result<Var, EagerError> {
    let (&[batch, sequence, features], Some(heads)) = (x.shape().extents(), heads) else { return Ok(x.clone()) };
    let size = (features as usize).checked_div(heads).unwrap_or(0);
    x.reshape(&[batch.into(), sequence.into(), heads as i64, size as i64])?.permute(&[0, 2, 1, 3])
}

/// The way back from [`split_heads`] to as many axes as there were.
pub(super) fn join_heads(x: &Var, rank: usize) -> Result<Var, EagerError> {
    if rank == 4 {
        return Ok(x.clone());
    }
    let [batch, heads, sequence, size] = [0, 1, 2, 3].map(|axis| extent(x, axis));
    x.permute(&[0, 2, 1, 3])?.reshape(&[batch, sequence, heads * size])
}

pub(super) fn extent(x: &Var, axis: usize) -> i64 {
    x.shape().extents().get(axis).map_or(0, |&extent| extent.into())
}
