//! `Momentum`: a step along a running sum of gradients.

use super::step;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs};

/// One step of gradient descent with momentum for any number of tensors.
///
/// Inputs are a rate, the number of steps before, all tensors, their gradients and their momentums. Outputs are the next
/// tensors and momentums. With `g = gradient + norm_coefficient * x`, the next momentum is `v = alpha * momentum + beta * g`,
/// without `beta` in the first step. All is computed in f64 and rounded once.
#[derive(Debug, Clone, Copy)]
pub struct Momentum {
    /// How much of the momentum is kept.
    pub alpha: f32,
    /// How much of the gradient is added to it.
    pub beta: f32,
    /// Along what the step is.
    pub mode: MomentumMode,
    /// How much of the tensor is added to its gradient.
    pub norm_coefficient: f32,
}

/// Along what a step with momentum is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MomentumMode {
    /// The momentum: the next tensor is `x - rate * v`.
    Standard,
    /// The gradient and what is kept of the momentum: the next tensor is `x - rate * (g + alpha * v)`.
    Nesterov,
}

impl Momentum {
    /// What is known of it.
    pub const DEFINITION: Definition =
        step::definition("Momentum", 5, &["alpha", "beta", "mode", "norm_coefficient"], |node| {
            node.needed("mode", node.string("mode")?)?;
            let modes = [("standard", MomentumMode::Standard), ("nesterov", MomentumMode::Nesterov)];
            Ok(Box::new(Self {
                alpha: node.needed("alpha", node.float("alpha")?)?,
                beta: node.needed("beta", node.float("beta")?)?,
                mode: node.word("mode", "standard or nesterov", &modes)?,
                norm_coefficient: node.needed("norm_coefficient", node.float("norm_coefficient")?)?,
            }))
        });
}

impl Operator for Momentum {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        step::infer(inputs, 1)
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let [alpha, beta, norm] = [self.alpha, self.beta, self.norm_coefficient].map(f64::from);
        step::compute(context, inputs, outputs, |rate, count, [x, gradient, momentum]| {
            let gradient = norm * x + gradient;
            let beta = if count > 0 { beta } else { 1.0 };
            let momentum = alpha * momentum + beta * gradient;
            let along = match self.mode {
                MomentumMode::Standard => momentum,
                MomentumMode::Nesterov => gradient + alpha * momentum,
            };
            [x - rate * along, gradient, momentum]
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::{Attributes, build};

    #[test]
    fn steps_behind_the_first() {
        let [rate, x, gradient, momentum] = [0.5_f32, 8.0, 4.0, 2.0].map(|x| Tensor::from_slice(&[x], &[1]).unwrap());
        let run = |mode, count: i64| {
            let operator = Momentum { alpha: 0.5, beta: 0.25, mode, norm_coefficient: 0.5 };
            let count = Tensor::scalar(count).unwrap();
            let results = Context::new().unwrap().run(&operator, &[&rate, &count, &x, &gradient, &momentum].map(Some));
            results.unwrap().iter().map(|result| result.item::<f32>(&[0]).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(run(MomentumMode::Standard, 0), [3.5, 9.0]);
        assert_eq!(run(MomentumMode::Standard, 1), [6.5, 3.0]);
        assert_eq!(run(MomentumMode::Nesterov, 1), [8.0 - 0.5 * (8.0 + 1.5), 3.0]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let of = |attributes| build("ai.onnx.preview.training", "Momentum", &attributes, 5, 2).unwrap_err().to_string();
        let attributes = Attributes::new().with("alpha", 1.0).with("beta", 1.0).with("norm_coefficient", 0.0);
        assert_eq!(of(attributes.clone()), "Momentum: attribute mode is missing");
        let text = r#"Momentum: attribute mode is "fast": expected standard or nesterov"#;
        assert_eq!(of(attributes.with("mode", "fast")), text);
    }
}
