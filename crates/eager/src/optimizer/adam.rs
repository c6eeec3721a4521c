//! `Adam` and `AdamW`: steps along averages of gradients over the root of averages of squares.

use stratal_kernels::map::Formula;
use stratal_tensor::Tensor;

use super::formulas::{AverageSquare, Combination, Direction};
use super::{Optimizer, combined, update, zeros_like};
use crate::{EagerError, Parameters};

/// Adam, as Kingma and Ba describe it: bias-corrected averages `m` of gradients and `v` of their squares; the step is
/// `rate * m / (sqrt(v) + epsilon)`. `weight_decay * x` is added to the gradient first.
///
/// Each parameter counts its own steps, so one that gets a gradient late is corrected for as if it began then.
#[derive(Debug)]
pub struct Adam(Moments);

/// Adam whose decay of weights is no part of the gradient, as Loshchilov and Hutter describe it: parameters shrink by
/// `rate * weight_decay` of themselves before the step.
#[derive(Debug)]
pub struct AdamW(Moments);

/// What the two have in common.
#[derive(Debug)]
struct Moments {
    parameters: Parameters,
    rate: f64,
    /// What is kept of the averages of gradients and of squares.
    betas: (f64, f64),
    epsilon: f64,
    weight_decay: f64,
    states: Vec<Option<State>>,
}

/// What is kept for one parameter.
#[derive(Debug)]
struct State {
    steps: i32,
    average: Tensor,
    squares: Tensor,
}

macro_rules! optimizer {
    ($optimizer:ident, $weight_decay:literal, $is_decoupled:literal) => {
        impl $optimizer {
            #[doc = concat!("With averages that keep 0.9 and 0.999, an epsilon of 1e-8 and a decay of ", stringify!($weight_decay), ".")]
            pub fn new(parameters: Parameters, rate: f64) -> Self {
                let states = parameters.iter().map(|_| None).collect();
                Self(Moments {
                    parameters,
                    rate,
                    betas: (0.9, 0.999),
                    epsilon: 1e-8,
                    weight_decay: $weight_decay,
                    states,
                })
            }

            /// With other shares that are kept of the average gradient and of the average square.
            #[must_use]
            pub fn betas(self, of_gradients: f64, of_squares: f64) -> Self {
                Self(Moments { betas: (of_gradients, of_squares), ..self.0 })
            }

            /// With another number added to the divisor.
            #[must_use]
            pub fn epsilon(self, epsilon: f64) -> Self {
                Self(Moments { epsilon, ..self.0 })
            }

            /// With another decay of weights.
            #[must_use]
            pub fn weight_decay(self, weight_decay: f64) -> Self {
                Self(Moments { weight_decay, ..self.0 })
            }
        }

        impl Optimizer for $optimizer {
            fn step(&mut self) -> Result<(), EagerError> {
                self.0.step($is_decoupled)
            }

            fn parameters(&self) -> &Parameters {
                &self.0.parameters
            }

            fn rate(&self) -> f64 {
                self.0.rate
            }

            fn set_rate(&mut self, rate: f64) {
                self.0.rate = rate;
            }
        }
    };
}

optimizer!(Adam, 0.0, false);
optimizer!(AdamW, 0.01, true);

impl Moments {
    fn step(&mut self, is_decoupled: bool) -> Result<(), EagerError> {
        let Self { parameters, rate, betas, epsilon, weight_decay, states } = self;
        let (rate, (beta, beta_squares)) = (*rate, *betas);
        for ((_, parameter), state) in parameters.iter().zip(states) {
            let Some(mut gradient) = parameter.gradient() else { continue };
            let target = parameter.tensor();
            if *weight_decay != 0.0 && !is_decoupled {
                gradient = combined(&Formula(Combination { of_a: *weight_decay, of_b: 1.0 }), target, &gradient)?;
            }
            let state = match state {
                Some(state) => state,
                empty => {
                    empty.insert(State { steps: 0, average: zeros_like(parameter)?, squares: zeros_like(parameter)? })
                }
            };
            state.steps = state.steps.saturating_add(1);
            update(&state.average, &Formula(Combination { of_a: beta, of_b: 1.0 - beta }), &gradient)?;
            update(&state.squares, &Formula(AverageSquare { kept: beta_squares }), &gradient)?;
            let direction = Direction {
                of_a: 1.0 / (1.0 - beta.powi(state.steps)),
                of_b: 1.0 / (1.0 - beta_squares.powi(state.steps)),
                epsilon: *epsilon,
            };
            let direction = combined(&Formula(direction), &state.average, &state.squares)?;
            let kept = if is_decoupled { 1.0 - rate * *weight_decay } else { 1.0 };
            update(target, &Formula(Combination { of_a: kept, of_b: -rate }), &direction)?;
        }
        Ok(())
    }
}
