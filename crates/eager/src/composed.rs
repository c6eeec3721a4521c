//! `Composed`: operators that go backward as what they are composed of, and what compositions are made with.

use stratal_ops::Operator;
#[cfg(test)]
use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

#[cfg(test)]
use crate::apply_outputs;
use crate::derivative::{Call, Derivative, Gradients, Need, Saves, by_composition};
use crate::{EagerError, Var};

/// An operator that can be written in terms of others, and goes backward through those.
///
/// This is for operators that are rare or long: they are computed again on the way back.
pub(crate) trait Composed: Operator + Sized {
    /// The outputs, computed by variables. Floats of 16 bits are given as f32, as operators compute with them.
    fn compose(&self, inputs: &[Option<Var>]) -> Result<Vec<Var>, EagerError>;
}

impl<O: Composed> Derivative for O {
    fn saves(&self, need: &Need<'_>) -> Saves {
        Saves::inputs(0..need.count())
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        backward_through(call, |inputs| self.compose(inputs))
    }
}

/// The gradients of a composition, which is given floats of 16 bits as f32. It takes all inputs to be saved.
pub(crate) fn backward_through(
    call: &Call<'_>,
    compose: impl FnOnce(&[Option<Var>]) -> Result<Vec<Var>, EagerError>,
) -> Result<Gradients, EagerError> {
    by_composition(call, |inputs| {
        let outputs = compose(&wide(inputs)?)?;
        outputs.iter().zip(call.output_dtypes()).map(|(output, dtype)| output.cast(dtype)).collect()
    })
}

/// Floats of 16 bits as f32; everything else as it is.
fn wide(inputs: &[Option<Var>]) -> Result<Vec<Option<Var>>, EagerError> {
    let of = |var: &Var| match var.dtype() {
        DType::F16 | DType::BF16 => var.cast(DType::F32),
        _ => Ok(var.clone()),
    };
    inputs.iter().map(|input| input.as_ref().map(of).transpose()).collect()
}

/// An input that must be there.
pub(crate) fn required(inputs: &[Option<Var>], input: usize) -> Result<&Var, EagerError> {
    given(inputs, input).ok_or_else(|| EagerError::Unfit(format!("input {input} is missing")))
}

/// An input that may be left out.
pub(crate) fn given(inputs: &[Option<Var>], input: usize) -> Option<&Var> {
    inputs.get(input)?.as_ref()
}

/// Integers, which have no gradient.
pub(crate) fn integers(var: &Var) -> Result<Vec<i64>, EagerError> {
    Ok(var.tensor().cast(DType::I64)?.to_vec()?)
}

/// Each step of an axis that holds so many of them, one behind the other.
pub(crate) fn steps(var: &Var, axis: i64, count: i64) -> Result<Vec<Var>, EagerError> {
    if count == 0 { Ok(Vec::new()) } else { var.chunk(count as usize, axis) }
}

/// What an operator computes beside what its composition does, in f64.
#[cfg(test)]
pub(crate) fn check<O: Composed + Clone>(operator: &O, inputs: &[Option<Tensor>], outputs: usize) {
    let inputs: Vec<Option<Var>> = inputs.iter().map(|input| input.clone().map(Var::from)).collect();
    let given: Vec<Option<&Var>> = inputs.iter().map(Option::as_ref).collect();
    let computed = apply_outputs(operator, &given, outputs).unwrap();
    let composed = operator.compose(&inputs).unwrap();
    for (output, (computed, composed)) in computed.iter().zip(&composed).enumerate() {
        let what = format!("output {output} of {operator:?}");
        assert_eq!(computed.shape(), composed.shape(), "{what}");
        assert_eq!(computed.dtype(), composed.dtype(), "{what}");
        let elements = |var: &Var| var.cast(DType::F64).unwrap().to_vec::<f64>().unwrap();
        let tolerance = if computed.dtype() == DType::F64 { 1e-12 } else { 1e-5 };
        for (computed, composed) in elements(computed).into_iter().zip(elements(composed)) {
            let is_close = computed == composed || (computed - composed).abs() <= tolerance;
            assert!(is_close, "{what} is {computed}, composed it is {composed}");
        }
    }
}

/// Numbers between -1 and 1, other ones for each start.
#[cfg(test)]
pub(crate) fn random(start: usize, shape: &[i64]) -> Tensor {
    let count = shape.iter().product::<i64>() as usize;
    let at = |element: usize| 2.0 * ((element + 17 * start + 1) as f64 * 0.754_877_666_246_693).fract() - 1.0;
    Tensor::from_vec((0..count).map(at).collect::<Vec<f64>>(), shape).unwrap()
}
