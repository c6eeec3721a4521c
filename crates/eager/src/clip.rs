//! Clipping of gradients, before a step.

use stratal_ops::ReduceSumSquare;
use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

use crate::{EagerError, Parameters, Var, apply};

/// The norm of all gradients together: the root of the sum of all squares, in f64.
///
/// # Errors
/// [`EagerError::Tensor`] for a gradient that cannot be read.
pub fn gradient_norm(parameters: &Parameters) -> Result<f64, EagerError> {
    let mut sum = 0.0;
    for (_, parameter) in parameters.iter() {
        if let Some(gradient) = parameter.gradient() {
            sum += sum_of_squares(&gradient)?;
        }
    }
    Ok(sum.sqrt())
}

/// Scales all gradients by one number, so that their [norm](gradient_norm) is at most `greatest`. Returns the norm before.
///
/// A norm that is no number leaves the gradients as they are: no scale would mend them.
///
/// # Errors
/// [`EagerError::Unfit`] for a bound that is negative or NaN, [`EagerError::Tensor`] for a gradient that cannot be read.
pub fn clip_gradient_norm(parameters: &Parameters, greatest: f64) -> Result<f64, EagerError> {
    check(greatest)?;
    let norm = gradient_norm(parameters)?;
    if norm.is_finite() && norm > greatest {
        replace_gradients(parameters, |gradient| gradient.mul(greatest / norm))?;
    }
    Ok(norm)
}

/// Brings each element of all gradients between `-greatest` and `greatest`. NaN stays.
///
/// # Errors
/// [`EagerError::Unfit`] for a bound that is negative or NaN, [`EagerError::Tensor`] for a gradient that cannot be read.
pub fn clip_gradient_value(parameters: &Parameters, greatest: f64) -> Result<(), EagerError> {
    check(greatest)?;
    replace_gradients(parameters, |gradient| gradient.clip(-greatest, greatest))
}

fn check(greatest: f64) -> Result<(), EagerError> {
    if greatest >= 0.0 { Ok(()) } else { Err(EagerError::Unfit(format!("cannot clip gradients to {greatest}"))) }
}

/// Gradients may share memory with others, so new ones take their places.
fn replace_gradients(parameters: &Parameters, of: impl Fn(&Var) -> Result<Var, EagerError>) -> Result<(), EagerError> {
    for (_, parameter) in parameters.iter() {
        if let Some(gradient) = parameter.gradient() {
            parameter.set_gradient(of(&Var::constant(gradient))?.tensor().clone())?;
        }
    }
    Ok(())
}

fn sum_of_squares(gradient: &Tensor) -> Result<f64, EagerError> {
    // In f64, so that no square overflows.
    let wide = Var::constant(gradient.cast(DType::F64)?);
    apply(&ReduceSumSquare { keep_dims: false, noop_with_empty_axes: false }, &[Some(&wide)])?.item()
}
