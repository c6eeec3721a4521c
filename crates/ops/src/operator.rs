//! `Operator`: a rule for dtypes and shapes, and a computation into given outputs.

use std::{any::Any, fmt::Debug};

use stratal_kernels::{AnyView, AnyViewMut};
use stratal_tensor::Allocator;

use crate::{Cause, Context, Definition, Fact, Facts, Inputs, OperatorError, Outputs, Slot};

/// An operator with its attributes.
///
/// [`infer`], [`compute`] and [`Context::run`] call it: they check the number of inputs and outputs, and name the operator
/// in errors.
pub trait Operator: Any + Debug + Send + Sync {
    /// What is known of it beside its attributes.
    fn definition(&self) -> &'static Definition;

    /// The inputs from whose elements shapes are computed.
    fn shape_inputs(&self) -> &'static [usize] {
        &[]
    }

    /// The inputs whose memory the first output may take, if it has their dtype and shape.
    fn in_place_inputs(&self) -> &'static [usize] {
        &[]
    }

    /// The rule: what is known of each output, all of them, from what is known of the inputs. No data is needed.
    ///
    /// # Errors
    /// A [`Cause`] when the inputs do not fit the operator or each other, or too little is known.
    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause>;

    /// Computes the outputs that are wanted. Inputs and outputs must keep the rule: [`compute`] sees to that.
    ///
    /// # Panics
    /// May panic when they do not.
    ///
    /// # Errors
    /// A [`Cause`]; outputs have unspecified elements then.
    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause>;

    /// Replaces an input, one of [`in_place_inputs`](Self::in_place_inputs), by the first output. It is missing among `inputs`,
    /// which must keep the rule with it.
    ///
    /// # Panics
    /// May panic when they do not.
    ///
    /// # Errors
    /// Those of [`compute`](Self::compute).
    fn compute_in_place(
        &self,
        _context: &Context<'_>,
        input: usize,
        _x: &mut AnyViewMut<'_>,
        _inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        Err(Cause::Unsupported { what: format!("input {input} in place") })
    }
}

/// What is known of an operator's outputs. New symbols get the node's name.
///
/// ```
/// use stratal_ops::{Concat, Extent, Fact, infer};
/// use stratal_tensor_base::DType;
///
/// let past = Fact::new(DType::F32, stratal_ops::SymbolicShape::new([Extent::symbol("past"), 64.into()]));
/// let new = Fact::new(DType::F32, [1, 64]);
/// let joined = infer(&Concat { axis: 0 }, "cache", &[Some(&past), Some(&new)])?;
/// assert_eq!(joined[0].shape.as_ref().unwrap().to_string(), "[past + 1, 64]");
/// # Ok::<(), stratal_ops::OperatorError>(())
/// ```
///
/// # Errors
/// [`OperatorError`] when the inputs do not fit.
pub fn infer(operator: &dyn Operator, node: &str, inputs: &[Option<&Fact>]) -> Result<Vec<Fact>, OperatorError> {
    let definition = operator.definition();
    let check = check_inputs(definition, inputs.len(), |input| inputs[input].is_some());
    check.and_then(|()| operator.infer(&Facts::new(node, inputs))).map_err(|cause| cause.of(definition.name))
}

/// Computes an operator's outputs from views, into whatever memory the outputs say.
///
/// The rule is asked first, so that inputs and memory that do not fit are errors. Whoever has asked it already, of inputs of
/// these very shapes, may call [`Operator::compute`] instead.
///
/// ```
/// use stratal_kernels::{AnyView, AnyViewMut};
/// use stratal_ops::{Context, Outputs, Slot, Softmax, compute};
/// use stratal_tensor::memory::{Arena, Pool};
/// use stratal_tensor::{View, ViewMut};
/// use stratal_tensor_base::{Geometry, Shape};
///
/// let geometry = Geometry::contiguous(Shape::new(&[1, 2])?);
/// let scores: AnyView<'_> = View::new(&[0.0_f32, 0.0], geometry)?.into();
/// let mut shares = [0.0_f32; 2];
/// let given: AnyViewMut<'_> = ViewMut::new(&mut shares, geometry)?.into();
/// // Scratch space, and outputs that are not given, come from an arena.
/// let arena = Arena::new(&Pool::new());
/// let context = Context::new()?.allocator(&arena);
/// compute(&Softmax { axis: 1 }, &context, &[Some(scores)], &mut Outputs::new(&arena, vec![Slot::Given(given)]))?;
/// assert_eq!(shares, [0.5, 0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`OperatorError`] when inputs or outputs do not fit, or a kernel fails.
pub fn compute(
    operator: &dyn Operator,
    context: &Context<'_>,
    inputs: &[Option<AnyView<'_>>],
    outputs: &mut Outputs<'_>,
) -> Result<(), OperatorError> {
    let name = operator.definition().name;
    let facts = facts_of(operator, inputs);
    let facts: Vec<_> = facts.iter().map(Option::as_ref).collect();
    let said = infer(operator, name, &facts)?;
    let computed = outputs.keep(&said).and_then(|()| operator.compute(context, &Inputs::new(inputs), outputs));
    computed.map_err(|cause| cause.of(name))
}

/// Computes an operator's first output in the place of an input, which is missing among `inputs`.
///
/// The rule is asked first, as by [`compute`].
///
/// ```
/// use stratal_kernels::AnyViewMut;
/// use stratal_ops::{Context, Softmax, compute_in_place};
/// use stratal_tensor::ViewMut;
/// use stratal_tensor_base::{Geometry, Shape};
///
/// let mut scores = [0.0_f32, 0.0];
/// let mut x: AnyViewMut<'_> = ViewMut::new(&mut scores, Geometry::contiguous(Shape::new(&[1, 2])?))?.into();
/// compute_in_place(&Softmax { axis: 1 }, &Context::new()?, 0, &mut x, &[None])?;
/// assert_eq!(scores, [0.5, 0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`OperatorError`] when the operator cannot take the place of this input, inputs do not fit, or a kernel fails.
pub fn compute_in_place(
    operator: &dyn Operator,
    context: &Context<'_>,
    input: usize,
    x: &mut AnyViewMut<'_>,
    inputs: &[Option<AnyView<'_>>],
) -> Result<(), OperatorError> {
    let name = operator.definition().name;
    let mut facts = facts_of(operator, inputs);
    if !operator.in_place_inputs().contains(&input) || !matches!(facts.get(input), Some(None)) {
        return Err(Cause::Unsupported { what: format!("input {input} in place") }.of(name));
    }
    facts[input] = Some(Fact::of_view(&x.as_view()));
    let facts: Vec<_> = facts.iter().map(Option::as_ref).collect();
    let said = infer(operator, name, &facts)?;
    let kept = Outputs::new(Allocator::Shared, vec![Slot::Given(x.reborrow())]).keep(&said);
    let computed = kept.and_then(|()| operator.compute_in_place(context, input, x, &Inputs::new(inputs)));
    computed.map_err(|cause| cause.of(name))
}

/// What the rule needs to know of operands.
pub(crate) fn facts_of(operator: &dyn Operator, views: &[Option<AnyView<'_>>]) -> Vec<Option<Fact>> {
    let reads = |input: usize| operator.shape_inputs().contains(&input);
    let fact = |input, view: &AnyView<'_>| {
        if reads(input) { Fact::of_view(view) } else { Fact::of_shape(view.dtype(), view.shape()) }
    };
    views.iter().enumerate().map(|(input, view)| view.as_ref().map(|view| fact(input, view))).collect()
}

fn check_inputs(definition: &Definition, given: usize, is_there: impl Fn(usize) -> bool) -> Result<(), Cause> {
    let (least, most) = definition.inputs.clone().into_inner();
    if given < least || given > most {
        return Err(Cause::InputCount { least, most, given });
    }
    match (0..least).find(|&input| !is_there(input)) {
        Some(input) => Err(Cause::MissingInput { input }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::{DType, Shape};

    use super::*;
    use crate::{Add, GroupNormalization, MatMul, read, write};

    #[test]
    fn what_does_not_keep_the_rule_is_refused() {
        let tensor = |shape: &[i64]| Tensor::zeros(shape, DType::F32).unwrap();
        let context = Context::new().unwrap();
        let run = |operator: &dyn Operator, inputs: &[&Tensor], slots: Vec<Slot<'_>>| {
            let held: Vec<_> = inputs.iter().map(|tensor| read(tensor).unwrap()).collect();
            let views: Vec<_> = held.iter().map(|held| Some(held.view().unwrap())).collect();
            let mut outputs = Outputs::new(Allocator::Shared, slots);
            let result = compute(operator, &context, &views, &mut outputs).map_err(|error| error.to_string());
            result.map(|()| outputs.into_tensors().remove(0).unwrap().shape().to_string())
        };
        let (a, b) = (tensor(&[2, 3]), tensor(&[3, 4]));
        let new =
            |dtype, shape: Option<[i64; 2]>| vec![Slot::New(dtype, shape.map(|shape| Shape::new(&shape).unwrap()))];
        assert_eq!(run(&MatMul, &[&a, &b], new(DType::F32, None)).unwrap(), "[2, 4]");
        let fault = |inputs: &[&Tensor], slots| run(&MatMul, inputs, slots).unwrap_err();
        let dtype = fault(&[&a, &b], new(DType::F64, None));
        assert_eq!(dtype, "MatMul: output 0 is to be float64, but is float32");
        let shape = fault(&[&a, &b], new(DType::F32, Some([4, 2])));
        assert_eq!(shape, "MatMul: output 0 is to have shape [4, 2], but has shape [2, 4]");
        let count = fault(&[&a, &b], vec![Slot::Unwanted, Slot::Unwanted]);
        assert_eq!(count, "MatMul: has 0 to 1 outputs, not 2");
        // What the rule leaves open is chosen, but not the rank.
        let nonzero = run(&crate::NonZero, &[&a], new(DType::I64, Some([3, 0]))).unwrap_err();
        assert_eq!(nonzero, "NonZero: output 0 is to have shape [3, 0], but has shape [2, NonZero.count]");
        let normalization = GroupNormalization { num_groups: 2, epsilon: 1e-5, stash_dtype: DType::F32 };
        let vector = tensor(&[2]);
        assert!(run(&normalization, &[&vector, &vector, &vector], new(DType::F32, None)).is_err());
    }

    #[test]
    fn a_place_must_fit_the_first_output() {
        let (context, ones) = (Context::new().unwrap(), Tensor::ones(&[2, 3], DType::F32).unwrap());
        let held = read(&ones).unwrap();
        let in_place = |operator: &dyn Operator, shape: &[i64], input: usize| {
            let x = Tensor::ones(shape, DType::F32).unwrap();
            let mut inputs = [None, None].map(|_: Option<()>| Some(held.view().unwrap()));
            inputs[input] = None;
            let result = write(&x, |x| {
                compute_in_place(operator, &context, input, x, &inputs).map_err(|error| Cause::Unfit(error.to_string()))
            });
            result.map(|()| x.to_vec::<f32>().unwrap()).map_err(|cause| cause.to_string())
        };
        assert_eq!(in_place(&Add, &[2, 3], 1).unwrap(), [2.0; 6]);
        let small = in_place(&Add, &[1, 3], 0).unwrap_err();
        assert_eq!(small, "Add: output 0 is to have shape [1, 3], but has shape [2, 3]");
        assert_eq!(in_place(&MatMul, &[3, 3], 1).unwrap_err(), "MatMul: is not supported with input 1 in place");
    }
}
