//! Whatever takes the place of an operand is what it would be elsewhere.

use stratal_kernels::AnyView;
use stratal_tensor::Tensor;
use stratal_tensor_base::{Bool, DType, Scalar, match_dtype};

use super::DEFINITIONS;
use crate::{Attributes, Context, Inputs, Node, Operator, read, write};

/// An operator with the attributes that it needs, and how many operands it gets.
fn operator(definition: &crate::Definition) -> (Box<dyn Operator>, usize) {
    let mut attributes = Attributes::new();
    match definition.name {
        "BitShift" => attributes.insert("direction", "LEFT"),
        "Cast" | "BitCast" => attributes.insert("to", i64::from(DType::F32.onnx_code())),
        _ => {}
    }
    let inputs = (*definition.inputs.end()).min(3);
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

/// Elements that tell NaN apart from numbers alone.
fn bytes<T: stratal_tensor_base::Element>(elements: &[T]) -> Vec<String> {
    elements.iter().map(|element| format!("{element:?}")).collect()
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
    assert_eq!(error.to_string(), format!("Max: takes 1 to {} inputs, not 0", usize::MAX));
    let zero = Tensor::scalar(0_i32).unwrap();
    let error = context.run(&crate::Div, &[Some(&zero), Some(&zero)]).unwrap_err();
    assert_eq!(error.to_string(), "Div: div of int32: division by zero");
}
