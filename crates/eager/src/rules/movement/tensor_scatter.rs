//! `TensorScatter`: the cache has the gradient but where entries were written; the entries have it from there.

use stratal_ops::TensorScatter;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::views::extents;
use crate::{EagerError, Var, apply};

impl Derivative for TensorScatter {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(2)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let gradient = call.gradient()?;
        let cache = call.wanted(0, || {
            let nothing = gradient.number(0.0)?.expand_to(call.shape(1))?;
            let places = call.is_given(2).then(|| call.input(2)).transpose()?;
            apply(self, &[Some(&gradient), Some(&nothing), places.as_ref()])
        })?;
        let entries = call.wanted(1, || {
            if call.shape(1).is_empty() {
                return call.zeros_like(1);
            }
            gradient.gather_elements(self.axis, &self.rows(call)?.expand_to(call.shape(1))?)
        })?;
        Ok([cache, entries].into())
    }
}

trait Rows {
    fn rows(&self, call: &Call<'_>) -> Result<Var, EagerError>;
}

impl Rows for TensorScatter {
    /// Where in the cache each entry is, by batch, with extent 1 along all axes but that of entries.
    fn rows(&self, call: &Call<'_>) -> Result<Var, EagerError> {
        let (cache, entries) = (call.shape(0), call.shape(1));
        let along = cache.axis(self.axis)?;
        let (batch, length) = (entries.extent(0), entries.extent(along) as i64);
        let capacity = cache.extent(along) as i64;
        let starts = call.integers(2)?.unwrap_or_else(|| vec![0; batch]);
        // The end was checked to lie within, unless the beginning follows it.
        let of_batch = |start: i64| (0..length).map(move |entry| (start % capacity + entry) % capacity);
        let rows: Vec<i64> = starts.into_iter().flat_map(of_batch).collect();
        let mut shape = extents(entries);
        shape[1..].fill(1);
        shape[along] = length;
        Var::from_slice(&rows, &shape)
    }
}
