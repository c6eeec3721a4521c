//! Whether an operator gives what a case expects of it.
#![expect(clippy::result_large_err, reason = "causes are passed on a few times a case")]

use stratal_ops::{Cause, Context, Fact, Inputs, Operator, Reading, build, infer, read, write};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Element, Scalar, match_dtype};

use crate::case::Case;

/// Computes a case, and compares dtypes, shapes and elements with what is expected; the rule's answers too, and what comes of
/// computing in place.
pub(crate) fn judge(case: &Case, context: &Context<'_>) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let (inputs, outputs) = (case.inputs.len(), case.outputs.len());
    let operator =
        build(&case.domain, &case.operator, &case.attributes(), inputs, outputs).map_err(|error| text(&error))?;
    let tensors: Vec<_> = case.inputs.iter().map(|array| array.as_ref().map(|array| array.tensor())).collect();
    let inputs: Vec<_> = tensors.iter().map(Option::as_ref).collect();
    let is_wanted = |output| case.outputs.get(output).is_some_and(Option::is_some);
    let outputs = context.run_wanted(&*operator, &inputs, is_wanted).map_err(|error| text(&error))?;

    let facts = facts(&inputs).map_err(|error| text(&error))?;
    let facts: Vec<_> = facts.iter().map(Option::as_ref).collect();
    let inferred = infer(&*operator, "node", &facts).map_err(|error| text(&error))?;
    for (output, expected) in case.outputs.iter().enumerate() {
        let Some(expected) = expected else { continue };
        let computed = outputs.get(output).and_then(Option::as_ref).ok_or(format!("output {output} is missing"))?;
        let fault = |what: String| format!("output {output}: {what}");
        compare(computed, &expected.tensor(), case.relative, case.absolute).map_err(fault)?;
        check_fact(&inferred[output], computed).map_err(fault)?;
    }
    let Some(Some(first)) = outputs.first() else { return Ok(()) };
    for &input in operator.in_place_inputs() {
        let Some(Some(x)) = inputs.get(input) else { continue };
        if (x.dtype(), x.shape()) == (first.dtype(), first.shape()) {
            let computed = in_place(&*operator, context, &inputs, input).map_err(|error| text(&error))?;
            compare(&computed, first, 0.0, 0.0).map_err(|what| format!("input {input} in place: {what}"))?;
        }
    }
    Ok(())
}

fn facts(inputs: &[Option<&Tensor>]) -> Result<Vec<Option<Fact>>, Cause> {
    let fact = |tensor: &Option<&Tensor>| {
        tensor.map(|tensor| Ok::<_, Cause>(Fact::of_view(&read(tensor)?.view()?))).transpose()
    };
    inputs.iter().map(fact).collect()
}

/// The first output, computed in the place of a copy of an input.
fn in_place(
    operator: &dyn Operator,
    context: &Context<'_>,
    inputs: &[Option<&Tensor>],
    input: usize,
) -> Result<Tensor, Cause> {
    let held = inputs.iter().map(|tensor| tensor.map(read).transpose()).collect::<Result<Vec<_>, _>>()?;
    let views = held.iter().map(|held| held.as_ref().map(Reading::view).transpose());
    let mut views = views.collect::<Result<Vec<_>, _>>()?;
    let x = views[input].take().ok_or(Cause::MissingInput { input })?;
    let copy = context.converted(&x, x.dtype())?;
    write(&copy, |x| operator.compute_in_place(context, input, x, &Inputs::new(&views)))?;
    Ok(copy)
}

/// What the rule said must be true of the output.
fn check_fact(fact: &Fact, computed: &Tensor) -> Result<(), String> {
    let shape = fact.shape.as_ref().ok_or("the rule gives no shape")?;
    let extents = computed.shape().extents();
    let agrees = shape.rank() == extents.len()
        && shape.iter().zip(extents).all(|(said, &is)| said.known().is_none_or(|said| said == i64::from(is)));
    if fact.dtype != computed.dtype() || !agrees {
        let (dtype, is) = (computed.dtype(), computed.shape());
        return Err(format!("the rule says {} {shape}, the output is {dtype} {is}", fact.dtype));
    }
    let Some(said) = fact.known_numbers() else { return Ok(()) };
    let is = numbers(computed);
    let is_same = said.len() == is.len() && said.iter().zip(&is).all(|(a, b)| a == b || a.is_nan() && b.is_nan());
    if is_same { Ok(()) } else { Err(format!("the rule says {said:?}, the output is {is:?}")) }
}

fn compare(computed: &Tensor, expected: &Tensor, relative: f64, absolute: f64) -> Result<(), String> {
    if computed.dtype() != expected.dtype() || computed.shape() != expected.shape() {
        let (dtype, shape) = (expected.dtype(), expected.shape());
        return Err(format!("expected {dtype} {shape}, not {} {}", computed.dtype(), computed.shape()));
    }
    let is_close = |computed: f64, expected: f64| {
        if computed.is_nan() || expected.is_nan() {
            computed.is_nan() && expected.is_nan()
        } else {
            computed == expected || (computed - expected).abs() <= absolute + relative * expected.abs()
        }
    };
    let is_exact = !expected.dtype().is_float();
    let (is, should) = (numbers(computed), numbers(expected));
    let fault = (0..is.len()).find(|&i| if is_exact { is[i] != should[i] } else { !is_close(is[i], should[i]) });
    match fault {
        // Integers of 64 bits are not told apart as floats.
        None if expected.dtype() == DType::I64 && bits::<i64>(computed) != bits::<i64>(expected) => {
            Err("other bits".into())
        }
        None if expected.dtype() == DType::U64 && bits::<u64>(computed) != bits::<u64>(expected) => {
            Err("other bits".into())
        }
        None => Ok(()),
        Some(i) => Err(format!("element {i} is {}, not {}", is[i], should[i])),
    }
}

fn bits<T: Element>(tensor: &Tensor) -> Vec<T> {
    tensor.to_vec().unwrap()
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    match_dtype!(tensor.dtype(), T => bits::<T>(tensor).into_iter().map(|x| Scalar::from(x).cast()).collect())
}
