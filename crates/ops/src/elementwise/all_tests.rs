//! What holds for all operators of the family.

use stratal_kernels::{AnyView, Backend, Selection};
use stratal_tensor::Tensor;
use stratal_tensor_base::{Bool, DType, Scalar, match_dtype};

use super::DEFINITIONS;
use crate::{Attributes, Context, Fact, Inputs, Node, Operator, infer, read, write};

/// An operator with the attributes that it needs, and how many operands it gets.
fn operator(definition: &crate::Definition) -> (Box<dyn Operator>, usize) {
    let mut attributes = Attributes::new();
    match definition.name {
        "BitShift" => attributes.insert("direction", "LEFT"),
        "Cast" | "BitCast" => attributes.insert("to", i64::from(DType::F32.onnx_code())),
        _ => {}
    }
    // Those of Dropout are of different kinds.
    let inputs = if definition.name == "Dropout" { 1 } else { (*definition.inputs.end()).min(3) };
    let node = Node { attributes: &attributes, inputs, outputs: 1 };
    ((definition.build)(&node).unwrap(), inputs)
}

fn operand(dtype: DType, input: usize) -> Tensor {
    let value = |index: usize| 0.37 * (index * (input + 3) % 11) as f64 - 1.1;
    let tensor = Tensor::empty(&[5, 7], dtype).unwrap();
    match_dtype!(dtype, T => {
        for (index, element) in tensor.data_mut::<T>().unwrap().iter_mut().enumerate() {
            // No integer is zero: some are divisors.
            let value = if dtype.is_integer() { Scalar::from(index as f64 % 5.0 + 1.0) } else { Scalar::from(value(index)) };
            *element = value.cast();
        }
    });
    tensor
}

#[test]
fn results_do_not_depend_on_their_place() {
    let context = Context::new().unwrap();
    let mut checked = 0;
    for definition in DEFINITIONS {
        let (operator, count) = operator(definition);
        let dtypes: &[DType] =
            if matches!(definition.name, "Cast" | "BitCast") { &[DType::F32] } else { definition.dtypes };
        for (&dtype, &place) in
            dtypes.iter().flat_map(|dtype| operator.in_place_inputs().iter().map(move |p| (dtype, p)))
        {
            // Limits of Clip are single elements.
            let is_clip = definition.name == "Clip";
            let shape_of = |input: usize, tensor: Tensor| {
                if is_clip && input > 0 {
                    tensor.select(0, input as i64).unwrap().select(0, 0).unwrap()
                } else {
                    tensor
                }
            };
            let tensors: Vec<_> = (0..count).map(|input| shape_of(input, operand(dtype, input))).collect();
            let inputs: Vec<_> = tensors.iter().map(Some).collect();
            let expected = context.run(&*operator, &inputs).unwrap().remove(0);

            let target = tensors[place].copied().unwrap();
            let held: Vec<_> = tensors.iter().map(|tensor| read(tensor).unwrap()).collect();
            let view = |input: usize| (input != place).then(|| held[input].view().unwrap());
            let views: Vec<Option<AnyView<'_>>> = (0..count).map(view).collect();
            write(&target, |x| operator.compute_in_place(&context, place, x, &Inputs::new(&views))).unwrap();
            let same = match_dtype!(dtype, T => bytes(&expected.to_vec::<T>().unwrap()) == bytes(&target.to_vec::<T>().unwrap()));
            assert!(same, "{} of {dtype} in the place of {place}", definition.name);
            checked += 1;
        }
    }
    assert!(checked > 300, "{checked}");
}

#[test]
fn all_kernels_agree() {
    let reference = Selection::new().backend(Backend::Reference).kernels().unwrap();
    let (context, reference) = (Context::new().unwrap(), Context::with_kernels(reference));
    for definition in DEFINITIONS.iter().filter(|definition| definition.name != "Clip") {
        let (operator, count) = operator(definition);
        let dtypes = definition.dtypes.iter().filter(|&&dtype| definition.name != "BitCast" || dtype.size() == 4);
        for &dtype in dtypes {
            let tensors: Vec<_> = (0..count).map(|input| operand(dtype, input).t().unwrap()).collect();
            let inputs: Vec<_> = tensors.iter().map(Some).collect();
            let result = context.run(&*operator, &inputs).unwrap().remove(0);
            let expected = reference.run(&*operator, &inputs).unwrap().remove(0);
            let same = match_dtype!(result.dtype(), T => bytes(&expected.to_vec::<T>().unwrap()) == bytes(&result.to_vec::<T>().unwrap()));
            assert!(same, "{} of {dtype}", definition.name);
        }
    }
}

/// Elements that tell NaN apart from numbers alone.
fn bytes<T: stratal_tensor_base::Element>(elements: &[T]) -> Vec<String> {
    elements.iter().map(|element| format!("{element:?}")).collect()
}

/// Integers of all sizes, with the ends of the dtype.
fn integers(dtype: DType, input: usize) -> Tensor {
    let values = [i64::MIN, -7, 3, 1, -1, i64::MAX, 2, 0, 5];
    let tensor = Tensor::empty(&[values.len() as i64], dtype).unwrap();
    match_dtype!(dtype, T => {
        for (index, element) in tensor.data_mut::<T>().unwrap().iter_mut().enumerate() {
            // By way of floats, numbers end where the dtype does.
            let value = values[(index * (input + 1) + input) % values.len()];
            *element = if dtype == DType::I64 { Scalar::from(value).cast() } else { Scalar::from(value as f64).cast() };
        }
    });
    tensor
}

#[test]
fn rules_say_what_comes_out() {
    let context = Context::new().unwrap();
    let mut checked = 0;
    for definition in DEFINITIONS {
        let (operator, count) = operator(definition);
        for &dtype in definition.dtypes.iter().filter(|dtype| !dtype.is_float()) {
            // Alone, since some elements have no result with some others.
            let tensors: Vec<_> = (0..count).map(|input| integers(dtype, input)).collect();
            for index in 0..tensors[0].count() as i64 {
                let tensors: Vec<_> = tensors.iter().map(|tensor| tensor.narrow(0, index, 1).unwrap()).collect();
                let inputs: Vec<_> = tensors.iter().map(Some).collect();
                let Ok(outputs) = context.run(&*operator, &inputs) else { continue };
                let held: Vec<_> = tensors.iter().map(|tensor| read(tensor).unwrap()).collect();
                let facts: Vec<_> = held.iter().map(|held| Fact::of_view(&held.view().unwrap())).collect();
                let facts: Vec<_> = facts.iter().map(Some).collect();
                let said = infer(&*operator, "node", &facts).unwrap().remove(0);
                let output = read(&outputs[0]).unwrap();
                let is = Fact::of_view(&output.view().unwrap());
                assert_eq!((&said.shape, said.dtype), (&is.shape, is.dtype), "{}", definition.name);
                if said.elements.is_some() {
                    assert_eq!(said.elements, is.elements, "{} of {facts:?}", definition.name);
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 1000, "{checked}");
}

#[test]
fn dtypes_are_checked() {
    let context = Context::new().unwrap();
    let truth = Tensor::scalar(Bool::TRUE).unwrap();
    let error = context.run(&crate::Exp, &[Some(&truth)]).unwrap_err();
    assert_eq!(error.to_string(), "Exp: input 0 is bool: expected one of float32, float64, float16, bfloat16");
    let (float, double) = (Tensor::scalar(1.0_f32).unwrap(), Tensor::scalar(1.0_f64).unwrap());
    let error = context.run(&crate::Add, &[Some(&float), Some(&double)]).unwrap_err();
    assert_eq!(error.to_string(), "Add: input 1 is float64: expected float32, as another input is");
    let error = context.run(&crate::Max, &[Some(&float), Some(&float), Some(&double)]).unwrap_err();
    assert_eq!(error.to_string(), "Max: input 2 is float64: expected float32, as another input is");
    let error = context.run(&crate::Max, &[]).unwrap_err();
    assert_eq!(error.to_string(), "Max: takes 1 or more inputs, not 0");
    let zero = Tensor::scalar(0_i32).unwrap();
    let error = context.run(&crate::Div, &[Some(&zero), Some(&zero)]).unwrap_err();
    assert_eq!(error.to_string(), "Div: div of int32: division by zero");
}
