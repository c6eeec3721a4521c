//! What tests of operators, element by element, have in common.

use stratal_kernels::{Backend, Selection};
use stratal_tensor::Tensor;

use crate::{Context, Operator};

/// The result of an operator of vectors.
pub(crate) fn floats(operator: &dyn Operator, inputs: &[&[f32]]) -> Vec<f32> {
    compute(&Context::new().unwrap(), operator, inputs)
}

fn compute(context: &Context<'_>, operator: &dyn Operator, inputs: &[&[f32]]) -> Vec<f32> {
    let tensors: Vec<_> = inputs.iter().map(|x| Tensor::from_slice(x, &[x.len() as i64]).unwrap()).collect();
    let inputs: Vec<_> = tensors.iter().map(Some).collect();
    context.run(operator, &inputs).unwrap().remove(0).to_vec().unwrap()
}

/// Checks an operator on f32 all over their range: its error in units of the last place, and that all kernels agree.
pub(crate) fn assert_accurate(operator: &dyn Operator, exact: impl Fn(f64) -> f64, ulps: f64) {
    let x: Vec<f32> = (0..=u32::MAX).step_by(49_999).map(f32::from_bits).filter(|x| x.is_finite()).collect();
    let reference = Selection::new().backend(Backend::Reference).kernels().unwrap();
    let reference = compute(&Context::with_kernels(reference), operator, &[&x]);
    let result = floats(operator, &[&x]);
    for ((x, result), reference) in x.iter().zip(result).zip(reference) {
        assert_eq!(result.to_bits(), reference.to_bits(), "{operator:?} of {x}");
        let exact = exact((*x).into());
        let nearest = (exact as f32).abs();
        let ulp = f64::from(nearest.next_up()) - f64::from(nearest);
        let error = (f64::from(result) - exact).abs();
        assert!(error <= ulps * ulp, "{operator:?} of {x} is {result}, not {exact}: {} ulp", error / ulp);
    }
}
