//! `Slice`: parts of axes, forward or backward.

mod extent;

use stratal_tensor_base::{Geometry, Scalar};

use super::axes::{check_list, listed};
use super::elements;
use crate::{Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// The elements of some axes from `starts` up to `ends`, which is excluded, every `step`; inputs are the operand, starts,
/// ends, axes and steps. Without axes the first ones are meant, and without steps each is 1.
///
/// Bounds count from the end where they are negative, and are clamped then; a negative step walks backward. So an end of
/// the greatest integer with a negative step takes nothing, one of the least integer takes all to the first element.
/// Bounds and steps may be any integers; a step of 0 is an error.
#[derive(Debug, Clone, Copy, Default)]
pub struct Slice;

impl Slice {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Slice",
        since: 13,
        inputs: 3..=5,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::ALL,
        build: |_| Ok(Box::new(Self)),
    };
}

impl Operator for Slice {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1, 2, 3, 4]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        let Some(count) = count(inputs)? else {
            return Ok(vec![Fact::new(x.dtype, inputs.unknown_shape(shape.rank()))]);
        };
        (1..5).try_for_each(|input| check_list(inputs, input, count))?;
        let Some(axes) = axes(inputs, count, shape.rank())? else {
            return Ok(vec![Fact::new(x.dtype, inputs.unknown_shape(shape.rank()))]);
        };
        let steps = match inputs.get(4) {
            None => Some(vec![1; count]),
            Some(_) => inputs.integers(4),
        };
        if steps.as_ref().is_some_and(|steps| steps.contains(&0)) {
            return Err(Cause::Element { input: 4, value: Scalar::from(0_i64), expected: "steps other than 0".into() });
        }
        let bounds = |input: usize| Some(inputs.get(input)?.integers()?.to_vec());
        let (starts, ends) = (bounds(1), bounds(2));
        let mut sliced = shape.clone();
        for (position, axis) in axes.iter().enumerate() {
            let known = starts.as_ref().zip(ends.as_ref()).zip(steps.as_ref());
            let extent = known.and_then(|((starts, ends), steps)| {
                extent::sliced(&shape[*axis], &starts[position], &ends[position], steps[position])
            });
            sliced.extents_mut()[*axis] = extent.unwrap_or_else(|| inputs.unknown(&axis.to_string()));
        }
        let known = |bounds: Option<Vec<Extent>>| bounds?.iter().map(Extent::known).collect::<Option<Vec<_>>>();
        let elements = known(starts).zip(known(ends)).zip(steps).and_then(|((starts, ends), steps)| {
            elements::seen(x, |geometry| view(geometry, &axes, [&starts, &ends, &steps]))
        });
        Ok(vec![Fact::new(x.dtype, sliced).with_elements(elements)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let list = |input| inputs.integers(input)?.ok_or(Cause::MissingInput { input });
        let (starts, ends) = (list(1)?, list(2)?);
        let axes = inputs.integers(3)?.unwrap_or_else(|| (0..starts.len() as i64).collect());
        let axes = listed(Some(&axes), x.shape().rank())?;
        let steps = inputs.integers(4)?.unwrap_or_else(|| vec![1; starts.len()]);
        let sliced = x.seen(|geometry| view(geometry, &axes, [&starts, &ends, &steps]))?;
        outputs.write(0, |result| context.kernels().copy(&sliced, result))
    }
}

/// How many axes are sliced, if it is known.
fn count(inputs: &Facts<'_>) -> Result<Option<usize>, Cause> {
    for input in 1..5 {
        let Some(fact) = inputs.get(input) else { continue };
        let count = if fact.shape.is_some() { inputs.vector_length(input)? } else { None };
        if let Some(count) = count.or_else(|| Some(fact.elements.as_ref()?.len())) {
            return Ok(Some(count));
        }
    }
    Ok(None)
}

/// The axes that are sliced, if they are known.
fn axes(inputs: &Facts<'_>, count: usize, rank: usize) -> Result<Option<Vec<usize>>, Cause> {
    let axes = match inputs.get(3) {
        None => Some((0..count as i64).collect()),
        Some(_) => inputs.integers(3),
    };
    axes.map(|axes| listed(Some(&axes), rank)).transpose()
}

fn view(geometry: &Geometry, axes: &[usize], [starts, ends, steps]: [&[i64]; 3]) -> Result<Geometry, Cause> {
    let bounds = starts.iter().zip(ends).zip(steps);
    axes.iter().zip(bounds).try_fold(*geometry, |geometry, (axis, ((start, end), step))| {
        // Backward from before the first element is from the first one, as ONNX clamps; Python takes nothing then.
        let first = -i64::from(geometry.shape().extents()[*axis]);
        let start = if *step < 0 { (*start).max(first) } else { *start };
        Ok(geometry.slice(*axis as i64, Some(start), Some(*end), *step)?)
    })
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{SymbolicShape, infer};

    fn sliced(start: i64, end: i64, step: i64) -> Vec<i32> {
        let ten = Tensor::arange(0, 10, 1, DType::I32).unwrap();
        let [start, end, axis, step] = [start, end, 0, step].map(|number| Tensor::from_slice(&[number], &[1]).unwrap());
        let context = Context::new().unwrap();
        let inputs = [Some(&ten), Some(&start), Some(&end), Some(&axis), Some(&step)];
        context.run(&Slice, &inputs).unwrap()[0].to_vec().unwrap()
    }

    #[test]
    fn bounds_and_steps_of_any_size_are_clamped() {
        assert!(sliced(-1, i64::MAX, -1).is_empty());
        assert_eq!(sliced(-1, i64::MIN, -1), [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(sliced(9, 0, -1), [9, 8, 7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(sliced(9, 0, -3), [9, 6, 3]);
        assert!(sliced(0, 5, -1).is_empty());
        assert_eq!(sliced(100, i64::MIN, -4), [9, 5, 1]);
        assert_eq!(sliced(2, 9, 1 << 62), [2]);
        assert_eq!(sliced(7, 0, -(1 << 62)), [7]);
        assert_eq!(sliced(i64::MIN, i64::MAX, i64::MAX), [0]);
        assert_eq!(sliced(i64::MAX, i64::MIN, i64::MIN), [9]);
        // Before the first element is at it for a step backward too.
        assert_eq!(sliced(-100, i64::MIN, -1), [0]);
        assert_eq!(sliced(i64::MIN, i64::MIN, -1), [0]);
    }

    fn fact(elements: &[Extent]) -> Fact {
        Fact::of_extents(DType::I64, elements.to_vec())
    }

    fn shape(x: &SymbolicShape, starts: &Fact, ends: &Fact, axes: &Fact, steps: &Fact) -> Result<String, String> {
        let x = Fact::new(DType::F32, x.clone());
        let inputs = [Some(&x), Some(starts), Some(ends), Some(axes), Some(steps)];
        let facts = infer(&Slice, "node", &inputs).map_err(|error| error.to_string())?;
        Ok(facts[0].shape.as_ref().unwrap().to_string())
    }

    #[test]
    fn what_is_not_known_is_new_and_the_rest_stays() {
        let x = SymbolicShape::new([Extent::symbol("batch"), 3.into(), Extent::symbol("seq")]);
        let (zero, one, two) = (fact(&[0.into()]), fact(&[1.into()]), fact(&[2.into()]));
        assert_eq!(shape(&x, &zero, &one, &two, &one).unwrap(), "[batch, 3, min(1, seq)]");
        assert_eq!(shape(&x, &zero, &Fact::new(DType::I64, [1]), &one, &one).unwrap(), "[batch, node.1, seq]");
        let some = Fact::new(DType::I64, SymbolicShape::new([Extent::symbol("count")]));
        assert_eq!(shape(&x, &some, &some, &some, &some).unwrap(), "[node.0, node.1, node.2]");
    }

    #[test]
    fn lists_must_fit() {
        let x = SymbolicShape::from([2, 3]);
        let (one, two) = (fact(&[1.into()]), fact(&[0.into(), 1.into()]));
        let error =
            |starts: &Fact, ends: &Fact, axes: &Fact, steps: &Fact| shape(&x, starts, ends, axes, steps).unwrap_err();
        assert_eq!(error(&one, &two, &one, &one), "Slice: input 2 has shape [2]: expected [1]");
        assert_eq!(error(&one, &one, &one, &fact(&[0.into()])), "Slice: input 4 holds 0: expected steps other than 0");
        assert_eq!(error(&one, &one, &fact(&[2.into()]), &one), "Slice: axis 2 does not exist at rank 2");
        let twice = fact(&[1.into(), (-1).into()]);
        let ones = fact(&[1.into(), 1.into()]);
        assert_eq!(error(&two, &two, &twice, &ones), "Slice: axis 1 is listed twice in [1, -1]");
    }
}
