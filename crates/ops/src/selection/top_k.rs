//! `TopK`: the largest or smallest elements along an axis.

use stratal_kernels::AnyViewMut;
use stratal_kernels::sort;
use stratal_tensor_base::{DType, Scalar, Shape};

use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, Place, axis, dtypes, write};

/// The largest or smallest elements along an axis, as many as the second input says, and their indices as int64.
///
/// NaN is the largest of all; equal elements stand in the order of their indices. What is not to be sorted stands in the
/// order of its indices. More than there are, or fewer than none, is an error.
#[derive(Debug, Clone, Copy)]
pub struct TopK {
    /// The axis; it may count from the end.
    pub axis: i64,
    /// Whether the largest are wanted, else the smallest.
    pub is_largest: bool,
    /// Whether they stand in order.
    pub is_sorted: bool,
}

impl TopK {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "TopK",
        since: 24,
        inputs: 2..=2,
        outputs: 1..=2,
        attributes: &["axis", "largest", "sorted"],
        dtypes: dtypes::NUMBERS,
        build: |node| {
            let (is_largest, is_sorted) = (node.flag("largest", true)?, node.flag("sorted", true)?);
            Ok(Box::new(Self { axis: node.int_or("axis", -1)?, is_largest, is_sorted }))
        },
    };
}

impl Operator for TopK {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::NUMBERS)?;
        let mut shape = inputs.shape(0)?.clone();
        let along = axis(self.axis, shape.rank())?;
        inputs.required(1)?;
        crate::movement::axes::check_single(inputs, 1, dtypes::INDICES)?;
        let k = inputs.required(1)?.integers().and_then(|k| k.first().cloned());
        let k = k.unwrap_or_else(|| inputs.unknown("k"));
        if let Some(value) = k.known().filter(|k| *k < 0 || shape[along].known().is_some_and(|most| *k > most)) {
            let expected = format!("0 to {} elements of axis {along}", shape[along]);
            return Err(Cause::Element { input: 1, value: Scalar::from(value), expected });
        }
        shape.extents_mut()[along] = k;
        Ok(vec![Fact::new(dtype, shape.clone()), Fact::new(DType::I64, shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let k = inputs.integer(1)?.ok_or(Cause::MissingInput { input: 1 })?;
        let top = sort::TopK { axis: self.axis, k, largest: self.is_largest, sorted: self.is_sorted };
        let shape = top.output_shape(x.shape())?;
        let [values, indices] = outputs.places([0, 1])?;
        let with = |values: &mut AnyViewMut<'_>, indices: &mut AnyViewMut<'_>| {
            Ok::<_, Cause>(context.kernels().top_k(&top, x, values, indices)?)
        };
        in_place_or_scratch(context, values, x.dtype(), &shape, |values| {
            in_place_or_scratch(context, indices, DType::I64, &shape, |indices| with(values, indices))
        })
    }
}

/// Writes an output, or scratch space if it is not wanted.
fn in_place_or_scratch(
    context: &Context<'_>,
    place: Option<Place<'_>>,
    dtype: DType,
    shape: &Shape,
    compute: impl FnOnce(&mut AnyViewMut<'_>) -> Result<(), Cause>,
) -> Result<(), Cause> {
    match place {
        Some(mut place) => compute(&mut place.view()?),
        None => write(&context.scratch(dtype, shape)?, compute),
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::{Extent, SymbolicShape, infer};

    #[test]
    fn one_of_both_outputs_may_be_unwanted() {
        let x = Tensor::from_slice(&[1.0, f32::NAN, 3.0, 2.0], &[4]).unwrap();
        let k = Tensor::from_slice(&[2_i64], &[1]).unwrap();
        let context = Context::new().unwrap();
        let top = TopK { axis: 0, is_largest: true, is_sorted: true };
        let indices = context.run_wanted(&top, &[Some(&x), Some(&k)], |output| output == 1).unwrap();
        assert!(indices[0].is_none());
        assert_eq!(indices[1].as_ref().unwrap().to_vec::<i64>().unwrap(), [1, 2]);
        let values = context.run_wanted(&top, &[Some(&x), Some(&k)], |output| output == 0).unwrap();
        let values = values[0].as_ref().unwrap().to_vec::<f32>().unwrap();
        assert!(values[0].is_nan() && values[1] == 3.0);
    }

    #[test]
    fn the_count_is_an_extent() {
        let x = Fact::new(DType::F32, SymbolicShape::new([3.into(), Extent::symbol("n")]));
        let shape = |axis, k: &Fact| {
            let top = TopK { axis, is_largest: true, is_sorted: true };
            let facts = infer(&top, "node", &[Some(&x), Some(k)]).map_err(|error| error.to_string())?;
            Ok::<_, String>(facts[1].shape.as_ref().unwrap().to_string())
        };
        let k = |k: Extent| Fact::of_extents(DType::I64, vec![k]);
        assert_eq!(shape(-1, &k(5.into())).unwrap(), "[3, 5]");
        assert_eq!(shape(0, &k(Extent::symbol("k"))).unwrap(), "[k, n]");
        assert_eq!(shape(0, &Fact::new(DType::I64, [1])).unwrap(), "[node.k, n]");
        assert_eq!(shape(0, &k(4.into())).unwrap_err(), "TopK: input 1 holds 4: expected 0 to 3 elements of axis 0");
        assert!(shape(1, &k((-1).into())).is_err());
        assert!(shape(0, &Fact::new(DType::I64, [2])).unwrap_err().contains("expected a single element"));
    }
}
