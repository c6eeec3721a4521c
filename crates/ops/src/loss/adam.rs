//! `Adam`: a step along a running average of gradients over the root of one of squares.

use stratal_kernels::map::{BinaryFormula, Pow};

use super::step;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs};

/// One step of Adam for any number of tensors.
///
/// Inputs are a rate, the number of steps before, all tensors, their gradients, their average gradients and their average
/// squared gradients. Outputs are the next tensors and averages. With `g = gradient + norm_coefficient * x`, the next averages
/// are `v = alpha * average + (1 - alpha) * g` and `h = beta * squares + (1 - beta) * g^2`; the next tensor is
/// `(1 - norm_coefficient_post) * (x - r * v / (sqrt(h) + epsilon))`, where `r` is the rate, times
/// `sqrt(1 - beta^count) / (1 - alpha^count)` behind the first step. All is computed in f64 and rounded once.
#[derive(Debug, Clone, Copy)]
pub struct Adam {
    /// How much of the average gradient is kept.
    pub alpha: f32,
    /// How much of the average squared gradient is kept.
    pub beta: f32,
    /// What is added to the divisor.
    pub epsilon: f32,
    /// How much of the tensor is added to its gradient.
    pub norm_coefficient: f32,
    /// How much of the next tensor is taken away.
    pub norm_coefficient_post: f32,
}

impl Adam {
    /// What is known of it.
    pub const DEFINITION: Definition = step::definition(
        "Adam",
        6,
        &["alpha", "beta", "epsilon", "norm_coefficient", "norm_coefficient_post"],
        |node| {
            Ok(Box::new(Self {
                alpha: node.float_or("alpha", 0.9)?,
                beta: node.float_or("beta", 0.999)?,
                epsilon: node.float_or("epsilon", 1e-6)?,
                norm_coefficient: node.float_or("norm_coefficient", 0.0)?,
                norm_coefficient_post: node.float_or("norm_coefficient_post", 0.0)?,
            }))
        },
    );
}

impl Operator for Adam {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        step::infer(inputs, 2)
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let [alpha, beta, epsilon] = [self.alpha, self.beta, self.epsilon].map(f64::from);
        let [before, behind] = [self.norm_coefficient, self.norm_coefficient_post].map(f64::from);
        step::compute(context, inputs, outputs, |rate, count, [x, gradient, average, squares]| {
            let gradient = before * x + gradient;
            let average = alpha * average + (1.0 - alpha) * gradient;
            let squares = beta * squares + (1.0 - beta) * gradient * gradient;
            let rate = if count > 0 {
                let count = count as f64;
                // The kernels' power has the same bits on every platform; that of std has not.
                rate * (1.0 - Pow.f64(beta, count)).sqrt() / (1.0 - Pow.f64(alpha, count))
            } else {
                rate
            };
            let next = x - rate * average / (squares.sqrt() + epsilon);
            [(1.0 - behind) * next, gradient, average, squares]
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;

    #[test]
    fn the_rate_follows_the_count_of_steps() {
        let operator =
            Adam { alpha: 0.5, beta: 0.9375, epsilon: 0.0, norm_coefficient: 0.0, norm_coefficient_post: 0.5 };
        let [rate, x, gradient, average, squares] =
            [1.0, 8.0, 4.0, 0.0, 0.0].map(|x| Tensor::from_slice(&[x], &[1]).unwrap());
        let run = |count: i64| {
            let count = Tensor::scalar(count).unwrap();
            let inputs = [&rate, &count, &x, &gradient, &average, &squares].map(Some);
            let results = Context::new().unwrap().run(&operator, &inputs).unwrap();
            results.iter().map(|result| result.item::<f64>(&[0]).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(run(0), [0.5 * (8.0 - 2.0), 2.0, 1.0]);
        // The rate is times sqrt(1 - beta) / (1 - alpha).
        assert_eq!(run(1), [0.5 * (8.0 - 0.5 * 2.0), 2.0, 1.0]);
        assert_eq!(run(100_000), run(0));
    }
}
