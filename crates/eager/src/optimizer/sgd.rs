//! `Sgd`: steps down the gradient, with momentum if asked for.

use stratal_kernels::map::Formula;
use stratal_tensor::Tensor;

use super::formulas::Combination;
use super::{Optimizer, combined, gradient_of, update, update_opened, zeros_like};
use crate::{EagerError, Parameters};

/// Steps down the gradient.
///
/// With momentum a velocity `v = momentum * v + g` is kept, which begins with the first gradient, and the step is `rate * v`, or
/// `rate * (g + momentum * v)` in Nesterov's form. `weight_decay * x` is added to the gradient first.
///
/// ```
/// use stratal_eager::{Optimizer, Parameters, Sgd, Var};
///
/// let mut parameters = Parameters::new();
/// let x = parameters.add("x", Var::leaf(&[3.0_f64], &[1])?)?;
/// let mut optimizer = Sgd::new(parameters, 0.25);
/// for _ in 0..20 {
///     optimizer.clear_gradients();
///     x.square()?.sum(&[], false)?.backward()?;
///     optimizer.step()?;
/// }
/// assert!(x.to_vec::<f64>()?[0].abs() < 1e-5);
/// # Ok::<(), stratal_eager::EagerError>(())
/// ```
#[derive(Debug)]
pub struct Sgd {
    parameters: Parameters,
    rate: f64,
    momentum: f64,
    weight_decay: f64,
    is_nesterov: bool,
    velocities: Vec<Option<Tensor>>,
}

impl Sgd {
    /// Without momentum and decay.
    pub fn new(parameters: Parameters, rate: f64) -> Self {
        let velocities = vec![None; parameters.len()];
        Self { parameters, rate, momentum: 0.0, weight_decay: 0.0, is_nesterov: false, velocities }
    }

    /// With a share of the last step's velocity.
    #[must_use]
    pub fn momentum(self, momentum: f64) -> Self {
        Self { momentum, ..self }
    }

    /// With momentum in Nesterov's form: the gradient as it will be after the step.
    #[must_use]
    pub fn nesterov(self, momentum: f64) -> Self {
        Self { momentum, is_nesterov: true, ..self }
    }

    /// With a share of each parameter added to its gradient.
    #[must_use]
    pub fn weight_decay(self, weight_decay: f64) -> Self {
        Self { weight_decay, ..self }
    }
}

impl Optimizer for Sgd {
    fn step(&mut self) -> Result<(), EagerError> {
        let Self { parameters, rate, momentum, weight_decay, is_nesterov, velocities } = self;
        let (rate, momentum) = (*rate, *momentum);
        for ((_, parameter), velocity) in parameters.iter().zip(velocities) {
            let Some(mut gradient) = gradient_of(parameter, *weight_decay)? else { continue };
            let target = parameter.tensor();
            let mut opened = target.storage_mut()?;
            if momentum != 0.0 {
                let velocity = match velocity {
                    Some(velocity) => velocity,
                    empty => empty.insert(zeros_like(parameter)?),
                };
                update(velocity, &Formula(Combination { of_a: momentum, of_b: 1.0 }), &gradient)?;
                gradient = if *is_nesterov {
                    combined(&Formula(Combination { of_a: momentum, of_b: 1.0 }), velocity, &gradient)?
                } else {
                    velocity.clone()
                };
            }
            update_opened(target, &mut opened, &Formula(Combination { of_a: 1.0, of_b: -rate }), &gradient)?;
        }
        Ok(())
    }

    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn rate(&self) -> f64 {
        self.rate
    }

    fn set_rate(&mut self, rate: f64) {
        self.rate = rate;
    }
}
