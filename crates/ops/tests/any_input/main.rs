//! Any input to any operator: what is bad gets an error that names the operator, and what is good keeps the rule.
//!
//! Each operator is built with attributes drawn at random, is told facts and is run on tensors. What is drawn is mended after
//! each error, as the error says, so that errors of all depths are met and many uses are good in the end. All of it is the
//! same in each run. `STRATAL_ANY_INPUT_ONLY=Softmax` looks at one operator,
//! `STRATAL_ANY_INPUT_CASES=1000` longer, and `STRATAL_ANY_INPUT_TRACE=1` says how far it is.
#![expect(clippy::result_large_err, reason = "a cause is passed on once a use")]

mod draw;

use std::panic::{AssertUnwindSafe, catch_unwind};

use draw::{Draw, Operand};
use stratal_kernels::{AnyView, AnyViewMut};
use stratal_ops::{
    Attributes, Context, Definition, Elements, Extent, Fact, Operator, OperatorError, Outputs, Reading, Slot,
    SymbolicShape, build, compute, compute_in_place, definitions, infer, read, write,
};
use stratal_tensor::{Allocator, Tensor};
use stratal_tensor_base::{DType, Scalar, Shape, match_dtype};

/// How often an operator is used, by default.
const CASES: usize = 100;

/// How often a use is mended after an error.
const MENDED: usize = 8;

/// What is good only by rare luck; the operators' own tests have to do. With more cases, there are fewer.
const SELDOM_GOOD: [&str; 13] = [
    "Adagrad",
    "Adam",
    "BatchNormalization",
    "ConvTranspose",
    "DeformConv",
    "DynamicQuantizeLSTM",
    "MaxRoiPool",
    "Momentum",
    "NonMaxSuppression",
    "QLinearConv",
    "TfIdfVectorizer",
    "MelWeightMatrix",
    "Einsum",
];

/// More elements than operands as small as these have reason to give, unless they ask for it in numbers.
const MANY: i64 = 1 << 20;

#[test]
fn any_input_is_computed_or_refused() {
    let only = std::env::var("STRATAL_ANY_INPUT_ONLY").ok();
    let cases = std::env::var("STRATAL_ANY_INPUT_CASES").map_or(CASES, |cases| cases.parse().unwrap());
    let context = Context::new().unwrap();
    let mut faults = Vec::new();
    let mut never = Vec::new();
    for (number, definition) in definitions().enumerate() {
        if only.as_ref().is_some_and(|only| only != definition.name) {
            continue;
        }
        let mut good = 0;
        for case in 0..cases {
            trace(|| format!("TRACE {} {case}", definition.name));
            let before = faults.len();
            let outcome =
                catch_unwind(AssertUnwindSafe(|| use_once(definition, &mut Draw::new(number, case), &context)));
            match outcome {
                Ok(Ok(is_good)) => good += usize::from(is_good),
                Ok(Err(fault)) => faults.push(format!("{} {case}: {fault}", definition.name)),
                Err(panic) => {
                    let text = panic.downcast_ref::<String>().cloned();
                    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
                    faults.push(format!("{} {case}: panics: {}", definition.name, text.unwrap_or_default()));
                }
            }
            faults[before..].iter().for_each(|fault| trace(|| format!("FAULT {fault}")));
        }
        trace(|| format!("GOOD {} {good}", definition.name));
        if good == 0 {
            never.push(definition.name);
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
    // Of others, good uses are found.
    never.retain(|name| !SELDOM_GOOD.contains(name));
    assert!(cases < CASES || never.is_empty(), "no good use was found of {never:?}");
}

/// Says how far the test is, where it is asked to: of a process that hangs or is killed, the last line says by what.
fn trace(line: impl FnOnce() -> String) {
    if std::env::var_os("STRATAL_ANY_INPUT_TRACE").is_some() {
        eprintln!("{}", line());
    }
}

/// Uses an operator once, and says whether it could be used so.
fn use_once(definition: &Definition, draw: &mut Draw, context: &Context<'_>) -> Result<bool, String> {
    let (inputs, outputs) = (draw.count(&definition.inputs), draw.count(&definition.outputs));
    let Some((operator, attributes)) = built(definition, draw, (inputs, outputs))? else { return Ok(false) };
    let mut operands: Vec<Option<Operand>> = Vec::new();
    for input in 0..inputs {
        let first = operands.first().and_then(Option::as_ref);
        let operand = draw.operand(definition.dtypes, first);
        operands.push((!draw.chance(if input < *definition.inputs.start() { 1 } else { 25 })).then_some(operand));
    }
    for _ in 0..=MENDED {
        let tensors: Vec<_> =
            operands.iter().map(|operand| operand.as_ref().map(|operand| draw.tensor(operand))).collect();
        let tensors: Vec<_> = tensors.iter().map(Option::as_ref).collect();
        let told = |fault: String| {
            format!(
                "{fault}\n    {attributes:?}\n    {operands:?} {:?}",
                tensors.iter().map(|t| t.map(numbers)).collect::<Vec<_>>()
            )
        };
        match used(&*operator, draw, &tensors, context).map_err(told)? {
            None => return Ok(true),
            Some(error) => {
                check_error(definition, &error)?;
                if !draw.mend_operands(&mut operands, &error.cause) {
                    return Ok(false);
                }
            }
        }
    }
    Ok(false)
}

/// An operator, and what it was built with.
type Built = (Box<dyn Operator>, Attributes);

fn built(definition: &Definition, draw: &mut Draw, node: (usize, usize)) -> Result<Option<Built>, String> {
    let mut attributes = draw.attributes(definition, node);
    for _ in 0..=MENDED {
        match build(definition.domain, definition.name, &attributes, node.0, node.1) {
            Ok(operator) => return Ok(Some((operator, attributes))),
            Err(error) => {
                check_error(definition, &error)?;
                if !draw.mend_attributes(&mut attributes, &error.cause, definition, node) {
                    return Ok(None);
                }
            }
        }
    }
    Ok(None)
}

fn check_error(definition: &Definition, error: &OperatorError) -> Result<(), String> {
    let text = error.to_string();
    let is_said = text.strip_prefix(definition.name).is_some_and(|cause| cause.len() > 3);
    if is_said && text.len() < 30_000 { Ok(()) } else { Err(format!("the error says {text:?}")) }
}

/// Infers and computes, and gives the error of what cannot be.
fn used(
    operator: &dyn Operator,
    draw: &mut Draw,
    tensors: &[Option<&Tensor>],
    context: &Context<'_>,
) -> Result<Option<OperatorError>, String> {
    let facts: Vec<_> = tensors.iter().map(|tensor| tensor.map(fact)).collect();
    let symbolic: Vec<_> =
        (0..).zip(&facts).map(|(input, fact)| fact.as_ref().map(|fact| symbolic(input, fact, draw))).collect();
    let said = infer(operator, "node", &by_reference(&facts));
    let said_of_symbols = infer(operator, "node", &by_reference(&symbolic));
    if let Err(error) = &said_of_symbols {
        check_error(operator.definition(), error)?;
    }
    misused(operator, draw, tensors, context)?;
    let said = match said {
        Ok(said) => said,
        Err(error) => {
            return match context.run(operator, tensors) {
                Ok(_) => Err(format!("it is computed, though the rule says {error}")),
                Err(_) => Ok(Some(error)),
            };
        }
    };
    if said.iter().any(is_large) {
        return Ok(None);
    }
    let computed = match context.run(operator, tensors) {
        Ok(computed) => computed,
        Err(error) => return Ok(Some(error)),
    };
    check_facts("the rule", &said, &computed, &|_| None)?;
    // Of less, less is known.
    if let Ok(said) = said_of_symbols {
        check_facts("the rule for symbols", &said, &computed, &|name| value(name, &facts))?;
    }
    let numbered = draws(operator);
    if !numbered {
        check_given(operator, tensors, &computed, context)?;
        check_in_place(operator, tensors, &computed, context)?;
    }
    Ok(None)
}

/// Into outputs of any number, dtype and shape, it is computed, or an error names it.
fn misused(
    operator: &dyn Operator,
    draw: &mut Draw,
    tensors: &[Option<&Tensor>],
    context: &Context<'_>,
) -> Result<(), String> {
    let held: Vec<_> = tensors.iter().map(|tensor| tensor.map(|tensor| read(tensor).unwrap())).collect();
    let views: Vec<_> = held.iter().map(|held| held.as_ref().map(|held| held.view().unwrap())).collect();
    let first = tensors.iter().flatten().next();
    let count = draw.number(0..=3);
    let slot = |_| {
        let dtype = first.filter(|_| draw.chance(60)).map_or_else(|| draw.one(&DType::ALL), |first| first.dtype());
        // Of operands that ask for much, nothing is computed here.
        Slot::New(dtype, Some(first.filter(|_| draw.chance(70)).map_or(Shape::SCALAR, |first| *first.shape())))
    };
    let slots = (0..count).map(slot).collect();
    match compute(operator, context, &views, &mut Outputs::new(Allocator::Shared, slots)) {
        Ok(()) => Ok(()),
        Err(error) => check_error(operator.definition(), &error),
    }
}

/// Whether it gives other numbers each time.
fn draws(operator: &dyn Operator) -> bool {
    ["Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"]
        .contains(&operator.definition().name)
}

fn by_reference(facts: &[Option<Fact>]) -> Vec<Option<&Fact>> {
    facts.iter().map(Option::as_ref).collect()
}

fn fact(tensor: &Tensor) -> Fact {
    Fact::of_view(&read(tensor).unwrap().view().unwrap())
}

/// Of a fact, what is known with symbols for extents and some elements.
fn symbolic(input: usize, fact: &Fact, draw: &mut Draw) -> Fact {
    let keeps = draw.chance(30);
    let shape = fact.shape.as_ref().unwrap();
    let extents = (0..).zip(shape.iter()).map(|(axis, extent)| {
        if keeps && draw.chance(50) { extent.clone() } else { Extent::symbol(format!("extent {input} {axis}")) }
    });
    let shape: SymbolicShape = extents.collect();
    if draw.chance(5) {
        return Fact::of_dtype(fact.dtype);
    }
    let shape = if keeps { shape.clone() } else { shape };
    let elements = match &fact.elements {
        // Extents have 31 bits, and what is computed from them is taken to have as many.
        Some(Elements::Integers(integers))
            if draw.chance(60) && integers.iter().all(|e| (-4..=4).contains(&e.known().unwrap())) =>
        {
            let element = |(i, element): (usize, &Extent)| {
                let is_symbol = element.known() > Some(0) && draw.chance(40);
                if is_symbol { Extent::symbol(format!("element {input} {i}")) } else { element.clone() }
            };
            Some(Elements::Integers(integers.iter().enumerate().map(element).collect()))
        }
        _ => None,
    };
    // Elements are of a shape that is known.
    let shape = if elements.is_some() { fact.shape.clone().unwrap() } else { shape };
    Fact::new(fact.dtype, shape).with_elements(elements)
}

/// The value of a symbol.
fn value(name: &str, facts: &[Option<Fact>]) -> Option<i64> {
    let mut words = name.split(' ');
    let (kind, input, position) =
        (words.next()?, words.next()?.parse::<usize>().ok()?, words.next()?.parse::<usize>().ok()?);
    let fact = facts[input].as_ref()?;
    match kind {
        "extent" => fact.shape.as_ref()?[position].known(),
        _ => fact.integers()?[position].known(),
    }
}

/// Whether more is asked for than a test should take the time to compute.
fn is_large(fact: &Fact) -> bool {
    let extents = fact.shape.as_ref().and_then(SymbolicShape::known_extents).unwrap_or_default();
    extents.iter().try_fold(1_i64, |count, extent| count.checked_mul(*extent)).is_none_or(|count| count > MANY)
}

/// What the rule said must be true of the outputs.
fn check_facts(
    who: &str,
    said: &[Fact],
    computed: &[Tensor],
    symbols: &dyn Fn(&str) -> Option<i64>,
) -> Result<(), String> {
    if said.len() != computed.len() {
        return Err(format!("{who} says {} outputs, there are {}", said.len(), computed.len()));
    }
    for (output, (said, computed)) in said.iter().zip(computed).enumerate() {
        let (dtype, shape) = (computed.dtype(), computed.shape());
        let fault =
            || Err(format!("{who} says of output {output} {} {:?}, but it is {dtype} {shape}", said.dtype, said.shape));
        if said.dtype != dtype {
            return fault();
        }
        let Some(extents) = &said.shape else { continue };
        let is_right = |(said, &is): (&Extent, &u32)| {
            said.evaluate(symbols).map_or(said.known().is_none(), |said| said == i64::from(is))
        };
        let extents_are = shape.extents().to_vec();
        if extents.rank() != extents_are.len() || !extents.iter().zip(&extents_are).all(is_right) {
            return fault();
        }
        let Some(elements) = &said.elements else { continue };
        let elements: Vec<_> = match elements {
            Elements::Integers(integers) => {
                integers.iter().map(|e| e.evaluate(symbols).ok().map(|e| e as f64)).collect()
            }
            Elements::Floats(floats) => floats.iter().copied().map(Some).collect(),
        };
        let is = numbers(computed);
        let is_right =
            |(said, is): (&Option<f64>, &f64)| said.is_none_or(|said| said == *is || said.is_nan() && is.is_nan());
        if elements.len() != is.len() || !elements.iter().zip(&is).all(is_right) {
            return Err(format!("{who} says that output {output} holds {elements:?}, but it is {is:?}"));
        }
    }
    Ok(())
}

/// Memory that is given gets the same elements, whatever its strides.
fn check_given(
    operator: &dyn Operator,
    tensors: &[Option<&Tensor>],
    computed: &[Tensor],
    context: &Context<'_>,
) -> Result<(), String> {
    let transposed = |tensor: &Tensor| {
        let axes: Vec<_> = (0..tensor.rank() as i64).rev().collect();
        let extents: Vec<_> = tensor.shape().extents().iter().rev().map(|&extent| i64::from(extent)).collect();
        let given = Tensor::zeros(&extents, tensor.dtype()).and_then(|given| given.permute(&axes));
        // Where no element is there, extents may be large, and in this order beyond the limits.
        given.unwrap_or_else(|_| tensor.copied().unwrap())
    };
    let given: Vec<_> = computed.iter().map(transposed).collect();
    let held: Vec<_> = tensors.iter().map(|tensor| tensor.map(|tensor| read(tensor).unwrap())).collect();
    let views: Vec<_> = held.iter().map(|held| held.as_ref().map(|held| held.view().unwrap())).collect();
    let mut guards: Vec<_> = given.iter().map(|tensor| tensor.storage_mut().unwrap()).collect();
    let slots = guards.iter_mut().zip(&given).map(|(guard, tensor)| {
        Slot::Given(AnyViewMut::new(guard, tensor.dtype(), *tensor.geometry().unwrap()).unwrap())
    });
    let mut outputs = Outputs::new(Allocator::Shared, slots.collect());
    compute(operator, context, &views, &mut outputs).map_err(|error| format!("into memory that is given: {error}"))?;
    drop(outputs);
    drop(guards);
    given.iter().zip(computed).try_for_each(|(given, new)| same("memory that is given", given, new))
}

/// The first output in the place of an input has the same elements.
fn check_in_place(
    operator: &dyn Operator,
    tensors: &[Option<&Tensor>],
    computed: &[Tensor],
    context: &Context<'_>,
) -> Result<(), String> {
    let Some(first) = computed.first() else { return Ok(()) };
    for &input in operator.in_place_inputs() {
        let Some(Some(x)) = tensors.get(input) else { continue };
        if (x.dtype(), x.shape()) != (first.dtype(), first.shape()) {
            continue;
        }
        let held: Vec<_> = tensors.iter().map(|tensor| tensor.map(|tensor| read(tensor).unwrap())).collect();
        let mut views: Vec<Option<AnyView<'_>>> =
            held.iter().map(|held| held.as_ref().map(|held| Reading::view(held).unwrap())).collect();
        let x = views[input].take().unwrap();
        let copy = context.converted(&x, x.dtype()).unwrap();
        write(&copy, |x| compute_in_place(operator, context, input, x, &views).map_err(|error| *error.cause))
            .map_err(|cause| format!("input {input} in place: {cause}"))?;
        same("in place", &copy, first)?;
    }
    Ok(())
}

fn same(what: &str, is: &Tensor, should: &Tensor) -> Result<(), String> {
    let (is, should) = (numbers(is), numbers(should));
    let is_same = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan();
    if is.iter().zip(&should).all(is_same) { Ok(()) } else { Err(format!("{what}: {is:?}, not {should:?}")) }
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    match_dtype!(tensor.dtype(), T => tensor.to_vec::<T>().unwrap().into_iter().map(|x| Scalar::from(x).cast()).collect())
}
