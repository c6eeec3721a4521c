//! Optimisers: what turns gradients into steps.

mod adam;
mod formulas;
mod sgd;

pub use adam::{Adam, AdamW};
pub use sgd::Sgd;

use stratal_kernels::AnyView;
use stratal_kernels::map::Binary;
use stratal_ops::{read, write};
use stratal_tensor::{Tensor, TensorOptions};

use crate::engine::with_context;
use crate::{EagerError, Parameters, Var};

/// What turns gradients into steps.
///
/// A step writes the parameters in place, so a graph that saved them before can no longer go backward. Parameters without a
/// gradient stay as they are, with whatever is kept for them. States have the dtype of their parameter; all is computed in it,
/// 16-bit floats in f32.
pub trait Optimizer {
    /// Makes one step along the gradients that were collected. They stay: [`clear_gradients`](Self::clear_gradients) forgets them.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] for a parameter in use. Parameters before it have been stepped then.
    fn step(&mut self) -> Result<(), EagerError>;

    /// The parameters.
    fn parameters(&self) -> &Parameters;

    /// The rate of learning.
    fn rate(&self) -> f64;

    /// Sets the rate of learning, as schedules do.
    fn set_rate(&mut self, rate: f64);

    /// Forgets all gradients, before the next ones are collected.
    fn clear_gradients(&self) {
        self.parameters().clear_gradients();
    }
}

/// Zeros like a parameter: a state at the start.
fn zeros_like(parameter: &Var) -> Result<Tensor, EagerError> {
    Ok(TensorOptions::new(parameter.dtype()).zeroed(true).empty_of(*parameter.shape())?)
}

/// `target = formula(target, other)`.
fn update(target: &Tensor, formula: &dyn Binary, other: &Tensor) -> Result<(), EagerError> {
    with_context(|context| {
        let held = read(other)?;
        let other: AnyView<'_> = held.view()?;
        write(target, |target| context.kernels().binary_in_place(formula, target, &other))?;
        Ok(())
    })
}

/// `formula(a, b)`, in memory of its own.
fn combined(formula: &dyn Binary, a: &Tensor, b: &Tensor) -> Result<Tensor, EagerError> {
    let result = TensorOptions::new(a.dtype()).empty_of(*a.shape())?;
    with_context(|context| {
        let (a, b) = (read(a)?, read(b)?);
        let (a, b) = (a.view()?, b.view()?);
        write(&result, |result| context.kernels().binary(formula, &a, &b, result))?;
        Ok(())
    })?;
    Ok(result)
}
