//! `Split`: an axis cut into parts.

use stratal_tensor_base::Shape;

use super::axes::{check_extents, check_list};
use super::elements;
use crate::{
    ANY_NUMBER, Cause, Context, Definition, Extent, Fact, Facts, Inputs, ONNX, Operator, Outputs, attribute, axis,
    dtypes,
};

/// Cuts an axis into parts, one an output, which follow each other. The second input says how long each is; without it
/// all are as long, but for the last ones, which are shorter or empty where the extent does not divide.
#[derive(Debug, Clone, Copy)]
pub struct Split {
    /// The axis; it may count from the end.
    pub axis: i64,
    /// The number of parts, and of outputs.
    pub parts: usize,
}

impl Split {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Split",
        since: 18,
        inputs: 1..=2,
        outputs: 1..=ANY_NUMBER,
        attributes: &["axis", "num_outputs"],
        dtypes: dtypes::ALL,
        build: |node| {
            let parts = node.size_or("num_outputs", node.outputs)?;
            if parts != node.outputs {
                return Err(attribute("num_outputs", parts, "the number of outputs"));
            }
            Ok(Box::new(Self { axis: node.int_or("axis", 0)?, parts }))
        },
    };

    /// The lengths of parts that are equal, as far as they can be.
    fn equal(&self, extent: &Extent) -> Result<Vec<Extent>, Cause> {
        let parts = Extent::from(self.parts as i64);
        let length = extent.divide_ceil(&parts)?;
        if extent == &length.multiply(&parts)? {
            return Ok(vec![length; self.parts]);
        }
        let mut lengths = Vec::with_capacity(self.parts);
        let mut left = extent.clone();
        for _ in 0..self.parts {
            lengths.push(left.larger(&0.into())?.smaller(&length)?);
            left = left.subtract(&length)?;
        }
        Ok(lengths)
    }

    /// The lengths that are given, checked as far as they are known.
    fn given(&self, lengths: &[Extent], extent: &Extent) -> Result<Vec<Extent>, Cause> {
        check_extents(1, lengths)?;
        let sum = lengths.iter().try_fold(Extent::from(0), |sum, length| sum.add(length))?;
        if sum.known().zip(extent.known()).is_some_and(|(sum, extent)| sum != extent) {
            return Err(Cause::Unfit(format!("parts {lengths:?} do not make up an axis of extent {extent}")));
        }
        Ok(lengths.to_vec())
    }
}

impl Operator for Split {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        let along = axis(self.axis, shape.rank())?;
        check_list(inputs, 1, self.parts)?;
        let lengths = match inputs.get(1).map(Fact::integers) {
            None => self.equal(&shape[along])?,
            Some(Some(lengths)) => self.given(lengths, &shape[along])?,
            Some(None) => (0..self.parts).map(|part| inputs.unknown(&part.to_string())).collect(),
        };
        let mut start = Some(0_i64);
        let part = |length: Extent| {
            let elements = start.zip(length.known()).and_then(|(start, length)| {
                elements::seen(x, |geometry| Ok(geometry.narrow(along as i64, start, length)?))
            });
            start = start.zip(length.known()).and_then(|(start, length)| start.checked_add(length));
            let mut part = shape.clone();
            part.extents_mut()[along] = length;
            Fact::new(x.dtype, part).with_elements(elements)
        };
        Ok(lengths.into_iter().map(part).collect())
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let along = axis(self.axis, x.shape().rank())?;
        let extent = x.shape().extent(along) as i64;
        let lengths = match inputs.integers(1)? {
            Some(lengths) => {
                if lengths.len() != self.parts {
                    let (shape, expected) = (format!("[{}]", lengths.len()), format!("[{}]", self.parts));
                    return Err(Cause::Shape { input: 1, shape, expected });
                }
                let known: Vec<Extent> = lengths.iter().map(|length| (*length).into()).collect();
                self.given(&known, &extent.into())?;
                lengths
            }
            None => self.equal(&extent.into())?.iter().filter_map(Extent::known).collect(),
        };
        let mut start = 0;
        for (output, length) in lengths.into_iter().enumerate() {
            let part = x.seen(|geometry| Ok::<_, Cause>(geometry.narrow(along as i64, start, length)?))?;
            let shape: Shape = *part.shape();
            outputs.write_shaped(output, &shape, |result| context.kernels().copy(&part, result))?;
            start += length;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Attributes, SymbolicShape, build, infer};

    fn lengths(extent: Extent, parts: usize, given: Option<&[Extent]>) -> Result<String, String> {
        let x = Fact::new(DType::F32, SymbolicShape::new([extent]));
        let given = given.map(|given| Fact::of_extents(DType::I64, given.to_vec()));
        let split = Split { axis: -1, parts };
        let facts = infer(&split, "node", &[Some(&x), given.as_ref()]).map_err(|error| error.to_string())?;
        Ok(facts.iter().map(|fact| fact.shape.as_ref().unwrap()[0].to_string()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn parts_are_equal_as_far_as_they_can_be() {
        assert_eq!(lengths(7.into(), 4, None).unwrap(), "2 2 2 1");
        assert_eq!(lengths(5.into(), 4, None).unwrap(), "2 2 1 0");
        assert_eq!(lengths(0.into(), 2, None).unwrap(), "0 0");
        let hidden = Extent::symbol("hidden");
        assert_eq!(lengths(hidden.multiply(&3.into()).unwrap(), 3, None).unwrap(), "hidden hidden hidden");
        assert_eq!(lengths(hidden.clone(), 2, Some(&[hidden.clone(), 0.into()])).unwrap(), "hidden 0");
    }

    #[test]
    fn parts_of_an_unknown_extent_have_the_lengths_that_they_will_have() {
        let (x, split) = (Extent::symbol("x"), Split { axis: 0, parts: 4 });
        for extent in 0..20 {
            let known: Vec<_> = split.equal(&extent.into()).unwrap().iter().map(|part| part.known().unwrap()).collect();
            assert_eq!(known.iter().sum::<i64>(), extent);
            let symbolic = split.equal(&x).unwrap();
            let symbolic: Vec<_> = symbolic.iter().map(|part| part.evaluate(&|_| Some(extent)).unwrap()).collect();
            assert_eq!(symbolic, known);
        }
    }

    #[test]
    fn parts_that_do_not_fit_are_named() {
        let given = [2.into(), 3.into()];
        let error = lengths(4.into(), 2, Some(&given)).unwrap_err();
        assert_eq!(error, "Split: parts [2, 3] do not make up an axis of extent 4");
        assert_eq!(lengths(4.into(), 3, Some(&given)).unwrap_err(), "Split: input 1 has shape [2]: expected [3]");
        let negative = [5.into(), (-1).into()];
        let error = lengths(4.into(), 2, Some(&negative)).unwrap_err();
        assert_eq!(error, "Split: input 1 holds -1: expected no negative number");
        let attributes = Attributes::new().with("num_outputs", 3);
        let error = build("", "Split", &attributes, 1, 2).unwrap_err().to_string();
        assert_eq!(error, "Split: attribute num_outputs is 3: expected the number of outputs");
    }

    #[test]
    fn parts_that_are_known_only_to_computing_are_checked() {
        let x = Tensor::from_slice(&[1, 2, 3], &[3]).unwrap();
        let computed = |lengths: &[i64]| {
            let lengths = Tensor::from_slice(lengths, &[lengths.len() as i64]).unwrap();
            let (x, lengths) = (crate::read(&x).unwrap(), crate::read(&lengths).unwrap());
            let views = [Some(x.view().unwrap()), Some(lengths.view().unwrap())];
            let slots = vec![crate::Slot::New(DType::I32, None), crate::Slot::New(DType::I32, None)];
            let mut outputs = Outputs::new(stratal_tensor::Allocator::default(), slots);
            let split = Split { axis: 0, parts: 2 };
            split
                .compute(&Context::new().unwrap(), &Inputs::new(&views), &mut outputs)
                .map_err(|cause| cause.to_string())
        };
        assert_eq!(computed(&[1, 2]), Ok(()));
        assert_eq!(computed(&[1, 1]).unwrap_err(), "parts [1, 1] do not make up an axis of extent 3");
        assert_eq!(computed(&[1, 1, 1]).unwrap_err(), "input 1 has shape [3]: expected [2]");
        assert_eq!(computed(&[4, -1]).unwrap_err(), "input 1 holds -1: expected no negative number");
    }

    #[test]
    fn parts_that_are_not_wanted_are_skipped() {
        let x = Tensor::from_slice(&[1, 2, 3, 4, 5, 6], &[2, 3]).unwrap();
        let split = Split { axis: 1, parts: 3 };
        let parts = Context::new().unwrap().run_wanted(&split, &[Some(&x)], |part| part == 2).unwrap();
        assert!(parts[0].is_none() && parts[1].is_none());
        assert_eq!(parts[2].as_ref().unwrap().to_vec::<i32>().unwrap(), [3, 6]);
    }
}
