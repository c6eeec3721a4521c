//! Running an operator every way there is: by the reference and the fastest kernels, from operands in three layouts,
//! and in the place of an operand.
#![expect(clippy::result_large_err, reason = "causes are passed on a few times a case")]

use stratal_kernels::{Backend, Selection};
use stratal_ops::{Attributes, Cause, Context, Inputs, Operator, Reading, build, definition, read, write};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Element, Scalar, match_dtype};

/// The floating-point dtypes.
pub(crate) const FLOATS: [DType; 4] = [DType::F16, DType::BF16, DType::F32, DType::F64];

/// The dtypes of integers with a sign.
pub(crate) const SIGNED: [DType; 4] = [DType::I8, DType::I16, DType::I32, DType::I64];

/// The dtypes of integers without a sign.
pub(crate) const UNSIGNED: [DType; 4] = [DType::U8, DType::U16, DType::U32, DType::U64];

/// No attributes.
pub(crate) fn plain() -> Attributes {
    Attributes::new()
}

/// A tensor of the elements' dtype.
pub(crate) fn tensor<T: Element>(elements: &[T], extents: &[i64]) -> Tensor {
    Tensor::from_slice(elements, extents).unwrap()
}

/// A tensor with one axis.
pub(crate) fn row<T: Element>(elements: &[T]) -> Tensor {
    tensor(elements, &[elements.len() as i64])
}

/// A tensor of any dtype from numbers that it holds exactly.
pub(crate) fn typed(dtype: DType, elements: &[f64], extents: &[i64]) -> Tensor {
    tensor(elements, extents).cast(dtype).unwrap()
}

/// The elements as f64.
pub(crate) fn numbers(tensor: &Tensor) -> Vec<f64> {
    match_dtype!(tensor.dtype(), T => {
        let elements = tensor.to_vec::<T>().unwrap();
        elements.into_iter().map(|element| Scalar::from(element).cast()).collect()
    })
}

/// The outputs of an operator, which all kernels and layouts agree about.
pub(crate) fn run(operator: &str, attributes: &Attributes, inputs: &[&Tensor]) -> Vec<Tensor> {
    every_way(operator, attributes, inputs).unwrap_or_else(|error| panic!("{error}"))
}

/// What an operator says against its operands, the same with all kernels and layouts.
pub(crate) fn refusal(operator: &str, attributes: &Attributes, inputs: &[&Tensor]) -> String {
    match every_way(operator, attributes, inputs) {
        Ok(outputs) => panic!("{operator} of {} gives {}", of(inputs), of(&outputs.iter().collect::<Vec<_>>())),
        Err(error) => error,
    }
}

/// Asserts what the first output of an operator is: dtype, shape and elements. NaNs are all alike.
#[track_caller]
pub(crate) fn gives(operator: &str, attributes: &Attributes, inputs: &[&Tensor], expected: &Tensor) {
    let output = run(operator, attributes, inputs).remove(0);
    assert!(is_same(&output, expected), "{operator} of {} is {}, not {}", of(inputs), of(&[&output]), of(&[expected]));
}

/// Asserts that the first output is within a relative error of what is expected.
#[track_caller]
pub(crate) fn gives_nearly(
    operator: &str,
    attributes: &Attributes,
    inputs: &[&Tensor],
    expected: &[f64],
    relative: f64,
) {
    let output = numbers(&run(operator, attributes, inputs)[0]);
    let is_near = |(is, should): (&f64, &f64)| (is - should).abs() <= relative * should.abs();
    assert!(
        output.len() == expected.len() && output.iter().zip(expected).all(is_near),
        "{operator} of {} is {output:?}, not {expected:?}",
        of(inputs)
    );
}

/// Whether tensors have one dtype, one shape and the same elements. NaNs are all alike.
pub(crate) fn is_same(a: &Tensor, b: &Tensor) -> bool {
    if (a.dtype(), a.shape()) != (b.dtype(), b.shape()) {
        return false;
    }
    let is_nan = |(a, b): (f64, f64)| a.is_nan() && b.is_nan();
    let nans: Vec<_> = numbers(a).into_iter().zip(numbers(b)).map(is_nan).collect();
    match_dtype!(a.dtype(), T => {
        let pairs = a.to_vec::<T>().unwrap().into_iter().zip(b.to_vec::<T>().unwrap());
        pairs.zip(nans).all(|((a, b), nans)| nans || a == b)
    })
}

/// Writes a tensor anew, in another order in memory.
type Layout = fn(&Tensor) -> Tensor;

fn every_way(operator: &str, attributes: &Attributes, inputs: &[&Tensor]) -> Result<Vec<Tensor>, String> {
    let defined = definition("", operator).unwrap_or_else(|| panic!("there is no {operator}"));
    // Two outputs are enough, unless it has three always.
    let outputs = (*defined.outputs.end()).min(2).max(*defined.outputs.start());
    let built = build("", operator, attributes, inputs.len(), outputs);
    let built = built.map_err(|error| error.to_string())?;
    let mut first = None;
    let layouts: [(&str, Layout); 3] =
        [("row-major", Tensor::clone), ("backward", backward), ("interleaved", interleaved)];
    for (layout, lay_out) in layouts {
        let inputs: Vec<_> = inputs.iter().map(|input| lay_out(input)).collect();
        let inputs: Vec<_> = inputs.iter().map(Some).collect();
        for selection in [Selection::new().backend(Backend::Reference), Selection::new()] {
            let context = Context::with_kernels(selection.kernels().unwrap());
            let result = context.run(&*built, &inputs).map_err(|error| error.to_string());
            if let Ok(outputs) = &result {
                check_in_place(&*built, &context, &inputs, &outputs[0]);
            }
            let Some(first) = &first else {
                first = Some(result);
                continue;
            };
            let is_agreed = match (&result, first) {
                (Ok(a), Ok(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
                (Err(a), Err(b)) => a == b,
                _ => false,
            };
            assert!(is_agreed, "{operator} of {inputs:?}, {layout} by {selection:?}: {result:?}, not {first:?}");
        }
    }
    first.unwrap()
}

/// Asserts that each operand whose place the first output may take becomes the same.
fn check_in_place(operator: &dyn Operator, context: &Context<'_>, inputs: &[Option<&Tensor>], expected: &Tensor) {
    for &input in operator.in_place_inputs() {
        let Some(Some(x)) = inputs.get(input) else { continue };
        if (x.dtype(), x.shape()) == (expected.dtype(), expected.shape()) {
            let computed = in_place(operator, context, inputs, input).unwrap();
            let (given, is, should) = (of(&[x]), of(&[&computed]), of(&[expected]));
            assert!(is_same(&computed, expected), "{operator:?} in place of {given} is {is}, not {should}");
        }
    }
}

/// The first output, in the place of a copy of an operand.
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

/// Tensors as text, for what a failed test says.
fn of(tensors: &[&Tensor]) -> String {
    let text = |tensor: &&Tensor| format!("{} {} {:?}", tensor.dtype(), tensor.shape(), numbers(tensor));
    tensors.iter().map(text).collect::<Vec<_>>().join(", ")
}

/// The same tensor with negative strides.
fn backward(tensor: &Tensor) -> Tensor {
    let axes: Vec<_> = (0..tensor.rank() as i64).collect();
    let flipped = tensor.flip(&axes).unwrap();
    let copy = match_dtype!(tensor.dtype(), T => self::tensor(&flipped.to_vec::<T>().unwrap(), &extents(&flipped)));
    copy.flip(&axes).unwrap()
}

/// The same tensor with its axes in memory from last to first, and another element behind each.
fn interleaved(tensor: &Tensor) -> Tensor {
    let axes: Vec<_> = (0..tensor.rank() as i64).rev().collect();
    if axes.is_empty() {
        return tensor.clone();
    }
    let turned = tensor.permute(&axes).unwrap();
    let mut doubled = extents(&turned);
    *doubled.last_mut().unwrap() *= 2;
    let copy = match_dtype!(tensor.dtype(), T => {
        let elements = turned.to_vec::<T>().unwrap();
        let with_others: Vec<_> = elements.iter().zip(elements.iter().rev()).flat_map(|(&a, &b)| [b, a]).collect();
        self::tensor(&with_others, &doubled)
    });
    copy.slice(-1, Some(1), None, 2).unwrap().permute(&axes).unwrap()
}

fn extents(tensor: &Tensor) -> Vec<i64> {
    tensor.shape().extents().iter().map(|&extent| i64::from(extent)).collect()
}
