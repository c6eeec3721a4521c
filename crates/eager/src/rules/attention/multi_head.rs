//! `Attention`: the gradient of `softmax(scale * queries * keys^T + mask) * values`.

use stratal_ops::{Attention, AttentionScores};

use super::scaled_dot_product::{ScaledDotProduct, extent, join_heads, split_heads};
use super::seen::{Places, Seen};
use crate::composed::{Composed, given, integers, required};
use crate::{EagerError, Var};

impl Composed for Attention {
    fn compose(&self, inputs: &[Option<Var>]) -> Result<Vec<Var>, EagerError> {
        let rank = required(inputs, 0)?.rank();
        let queries = split_heads(required(inputs, 0)?, self.q_num_heads)?;
        let behind_past = |input: usize, past: usize| {
            let new = split_heads(required(inputs, input)?, self.kv_num_heads)?;
            given(inputs, past).map_or(Ok(new.clone()), |past| Var::concat(&[past, &new], 2))
        };
        let (keys, values) = (behind_past(1, 4)?, behind_past(2, 5)?);
        let places = Places {
            is_causal: self.is_causal,
            left: self.left_window_size,
            right: self.right_window_size,
            past: given(inputs, 4).map_or(0, |past| extent(past, 2)),
            lengths: given(inputs, 6).map(integers).transpose()?,
        };
        let scores = [extent(&queries, 0), extent(&queries, 2), extent(&keys, 2)];
        let seen = Seen::new(given(inputs, 3), &places, scores, queries.dtype())?;
        let attention = ScaledDotProduct { scale: self.scale, softcap: self.softcap, softmax: self.softmax_precision };
        // What a batch does not have may be anything: it must not reach gradients, be it multiplied by zero.
        let there = places.keys(extent(&keys, 2))?;
        let only_there = |x: &Var| match &there {
            Some(there) => there.select_by(x, &x.number(0.0)?),
            None => Ok(x.clone()),
        };
        let stages = attention.compose(&queries, &only_there(&keys)?, &only_there(&values)?, &seen)?;
        let shown = match self.scores {
            // These are shown for all keys.
            AttentionScores::Products if there.is_some() => attention.products(&queries, &keys)?,
            AttentionScores::Capped if there.is_some() => attention.cap(&attention.products(&queries, &keys)?)?,
            AttentionScores::Products => stages.products,
            AttentionScores::Capped => stages.capped,
            AttentionScores::Masked => stages.masked,
            AttentionScores::Shares => stages.shares,
        };
        Ok(vec![join_heads(&stages.result, rank)?, keys, values, shown])
    }
}
