//! `TensorScatter`: new entries written to a cache.

use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor_base::Scalar;

use super::axes::{check_at_most, check_extent};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, axis, dtypes};

/// Writes new entries to a cache, from a place on along an axis that each entry of the batch, axis 0, has of its own.
/// Inputs are the cache, the entries and the places, which are 0 if there are none.
///
/// Entries that would go past the end of the cache go to its beginning if it is circular, and are an error if not. A
/// negative place is an error. The cache is changed where it is, if nobody else needs it.
#[derive(Debug, Clone, Copy)]
pub struct TensorScatter {
    /// The axis of entries, not the first one; it may count from the end.
    pub axis: i64,
    /// Whether the beginning of the cache follows its end.
    pub is_circular: bool,
}

impl TensorScatter {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "TensorScatter",
        since: 24,
        inputs: 2..=3,
        outputs: 1..=1,
        attributes: &["axis", "mode"],
        dtypes: dtypes::ALL,
        build: |node| {
            let is_circular = node.word("mode", "linear or circular", &[("linear", false), ("circular", true)])?;
            Ok(Box::new(Self { axis: node.int_or("axis", -2)?, is_circular }))
        },
    };

    /// Where the entries of each batch begin, checked.
    fn places(&self, inputs: &Inputs<'_>, batch: usize, length: i64, capacity: i64) -> Result<Vec<i64>, Cause> {
        let mut places = inputs.integers(2)?.unwrap_or_else(|| vec![0; batch]);
        for place in &mut places {
            let is_within =
                *place >= 0 && (self.is_circular || place.checked_add(length).is_some_and(|end| end <= capacity));
            if !is_within {
                let expected = match self.is_circular {
                    true => "no negative number".into(),
                    false => format!("0 to {} for {length} entries in a cache of {capacity}", capacity - length),
                };
                return Err(Cause::Element { input: 2, value: Scalar::from(*place), expected });
            }
            *place = if self.is_circular { place.checked_rem(capacity).unwrap_or(0) } else { *place };
        }
        Ok(places)
    }

    fn update(&self, context: &Context<'_>, cache: &mut AnyViewMut<'_>, inputs: &Inputs<'_>) -> Result<(), Cause> {
        let entries = inputs.required(1)?;
        let along = axis(self.axis, cache.shape().rank())? as i64;
        let [length, capacity] = [entries.shape(), cache.shape()].map(|shape| shape.extent(along as usize) as i64);
        if entries.shape().is_empty() {
            return Ok(());
        }
        let places = self.places(inputs, cache.shape().extent(0), length, capacity)?;
        for (batch, place) in places.into_iter().enumerate() {
            let until_end = length.min(capacity - place);
            for (to, from, length) in [(place, 0, until_end), (0, until_end, length - until_end)] {
                copy_part(context, cache, entries, batch as i64, along, [to, from, length])?;
            }
        }
        Ok(())
    }
}

/// Copies some entries of one batch.
fn copy_part(
    context: &Context<'_>,
    cache: &mut AnyViewMut<'_>,
    entries: &AnyView<'_>,
    batch: i64,
    along: i64,
    [to, from, length]: [i64; 3],
) -> Result<(), Cause> {
    if length == 0 {
        return Ok(());
    }
    let entries =
        entries.seen(|geometry| Ok::<_, Cause>(geometry.narrow(0, batch, 1)?.narrow(along, from, length)?))?;
    let mut place = cache.seen(|geometry| Ok::<_, Cause>(geometry.narrow(0, batch, 1)?.narrow(along, to, length)?))?;
    Ok(context.kernels().copy(&entries, &mut place)?)
}

impl Operator for TensorScatter {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (cache, shape) = (inputs.required(0)?, inputs.shape(0)?);
        inputs.required(1)?;
        inputs.check_dtype(1, cache.dtype)?;
        let along = axis(self.axis, shape.rank())?;
        if along == 0 {
            return Err(Cause::Unfit(format!("axis {} of a cache of shape {shape} is that of the batch", self.axis)));
        }
        inputs.shape_of_rank(1, shape.rank())?;
        check_at_most(inputs, 1, shape, |axis| axis == along)?;
        (0..shape.rank())
            .filter(|axis| *axis != along)
            .try_for_each(|axis| check_extent(inputs, 1, axis, &shape[axis]))?;
        if inputs.get(2).is_some() {
            inputs.dtype(2, dtypes::INDICES)?;
            inputs.shape_of_rank(2, 1)?;
            check_extent(inputs, 2, 0, &shape[0])?;
        }
        Ok(vec![Fact::new(cache.dtype, shape.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let cache = inputs.required(0)?;
        outputs.write(0, |result| {
            context.kernels().copy(cache, result)?;
            self.update(context, result, inputs)
        })
    }

    fn compute_in_place(
        &self,
        context: &Context<'_>,
        _input: usize,
        cache: &mut AnyViewMut<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        self.update(context, cache, inputs)
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::infer;

    fn updated(is_circular: bool, places: Option<&[i64]>) -> Result<Vec<i32>, String> {
        let cache = Tensor::from_slice(&[1, 2, 3, 4, 5, 6], &[2, 3]).unwrap();
        let entries = Tensor::from_slice(&[-1, -2, -3, -4], &[2, 2]).unwrap();
        let places = places.map(|places| Tensor::from_slice(places, &[2]).unwrap());
        let scatter = TensorScatter { axis: -1, is_circular };
        let context = Context::new().unwrap();
        let updated = context.run(&scatter, &[Some(&cache), Some(&entries), places.as_ref()]);
        Ok(updated.map_err(|error| error.to_string())?[0].to_vec().unwrap())
    }

    #[test]
    fn entries_go_past_the_end_of_circular_caches_only() {
        assert_eq!(updated(false, None).unwrap(), [-1, -2, 3, -3, -4, 6]);
        assert_eq!(updated(false, Some(&[1, 0])).unwrap(), [1, -1, -2, -3, -4, 6]);
        assert_eq!(updated(true, Some(&[2, 3])).unwrap(), [-2, 2, -1, -3, -4, 6]);
        assert_eq!(updated(true, Some(&[i64::MAX, 4])).unwrap(), updated(true, Some(&[1, 1])).unwrap());
        let error = updated(false, Some(&[0, 2])).unwrap_err();
        assert_eq!(error, "TensorScatter: input 2 holds 2: expected 0 to 1 for 2 entries in a cache of 3");
        assert!(updated(false, Some(&[0, i64::MAX])).is_err());
        assert_eq!(
            updated(true, Some(&[0, -1])).unwrap_err(),
            "TensorScatter: input 2 holds -1: expected no negative number"
        );
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let error = |axis, entries: [i64; 3]| {
            let (cache, entries) = (Fact::new(DType::F16, [2, 8, 4]), Fact::new(DType::F16, entries));
            let scatter = TensorScatter { axis, is_circular: true };
            infer(&scatter, "node", &[Some(&cache), Some(&entries)]).unwrap_err().cause.to_string()
        };
        assert_eq!(error(0, [2, 1, 4]), "axis 0 of a cache of shape [2, 8, 4] is that of the batch");
        assert_eq!(error(-2, [2, 9, 4]), "input 1 has shape [2, 9, 4]: expected an extent of at most 8 at axis 1");
        assert_eq!(error(-2, [2, 1, 5]), "input 1 has shape [2, 1, 5]: expected extent 4 at axis 2");
    }

    #[test]
    fn a_cache_is_changed_in_place() {
        let cache = Tensor::from_slice(&[1, 2, 3, 4], &[1, 4]).unwrap();
        let (entries, places) =
            (Tensor::from_slice(&[9], &[1, 1]).unwrap(), Tensor::from_slice(&[2_i64], &[1]).unwrap());
        let (entries, places) = (crate::read(&entries).unwrap(), crate::read(&places).unwrap());
        let views = [None, Some(entries.view().unwrap()), Some(places.view().unwrap())];
        let scatter = TensorScatter { axis: 1, is_circular: false };
        let context = Context::new().unwrap();
        crate::write(&cache, |cache| scatter.compute_in_place(&context, 0, cache, &Inputs::new(&views))).unwrap();
        assert_eq!(cache.to_vec::<i32>().unwrap(), [1, 2, 9, 4]);
    }
}
