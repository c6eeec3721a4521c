//! `Adagrad`: a step along a gradient over the root of all squares before it.

use super::step;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs};

/// One step of Adagrad for any number of tensors.
///
/// Inputs are a rate, the number of steps before, all tensors, their gradients, and their sums of squared gradients. Outputs
/// are the next tensors and sums. With `g = gradient + norm_coefficient * x`, the next sum is `h = sum + g^2` and the next
/// tensor `x - rate / (1 + count * decay_factor) * g / (sqrt(h) + epsilon)`. All is computed in f64 and rounded once.
#[derive(Debug, Clone, Copy)]
pub struct Adagrad {
    /// How fast the rate falls.
    pub decay_factor: f32,
    /// What is added to the divisor.
    pub epsilon: f32,
    /// How much of the tensor is added to its gradient.
    pub norm_coefficient: f32,
}

impl Adagrad {
    /// What is known of it.
    pub const DEFINITION: Definition =
        step::definition("Adagrad", 5, &["decay_factor", "epsilon", "norm_coefficient"], |node| {
            let (decay_factor, epsilon) = (node.float_or("decay_factor", 0.0)?, node.float_or("epsilon", 1e-6)?);
            Ok(Box::new(Self { decay_factor, epsilon, norm_coefficient: node.float_or("norm_coefficient", 0.0)? }))
        });
}

impl Operator for Adagrad {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        step::infer(inputs, 1)
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let [decay, epsilon, norm] = [self.decay_factor, self.epsilon, self.norm_coefficient].map(f64::from);
        step::compute(context, inputs, outputs, |rate, count, [x, gradient, squares]| {
            let gradient = norm * x + gradient;
            let squares = squares + gradient * gradient;
            let rate = rate / (1.0 + count as f64 * decay);
            [x - rate * gradient / (squares.sqrt() + epsilon), gradient, squares]
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::infer;

    #[test]
    fn tensors_of_several_dtypes() {
        let rate = Tensor::scalar(1.0_f32).unwrap();
        let count = Tensor::scalar(3_i64).unwrap();
        let tensor = |elements: &[f64], dtype| Tensor::from_slice(elements, &[1]).unwrap().cast(dtype).unwrap();
        let [x, gradient, squares] = [2.0, 4.0, 9.0].map(|x| tensor(&[x], DType::F32));
        let [y, other, others] = [1.0, -3.0, 16.0].map(|x| tensor(&[x], DType::F64));
        let operator = Adagrad { decay_factor: 1.0, epsilon: 0.0, norm_coefficient: 0.0 };
        let inputs = [&rate, &count, &x, &y, &gradient, &other, &squares, &others].map(Some);
        let results = Context::new().unwrap().run(&operator, &inputs).unwrap();
        assert_eq!(results[0].to_vec::<f32>().unwrap(), [2.0 - 0.25 * 4.0 / 5.0]);
        assert_eq!(results[1].to_vec::<f64>().unwrap(), [1.0 + 0.25 * 3.0 / 5.0]);
        assert_eq!(results[2].to_vec::<f32>().unwrap(), [25.0]);
        assert_eq!(results[3].to_vec::<f64>().unwrap(), [25.0]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let operator = Adagrad { decay_factor: 0.0, epsilon: 0.0, norm_coefficient: 0.0 };
        let (rate, count) = (Fact::new(DType::F32, []), Fact::new(DType::I64, []));
        let (two, three) = (Fact::new(DType::F32, [2]), Fact::new(DType::F32, [3]));
        let error = infer(&operator, "step", &[&rate, &count, &two, &two, &two, &two].map(Some)).unwrap_err();
        let text = "Adagrad: takes a rate, a count and 3 inputs for each tensor, not 6 inputs";
        assert_eq!(error.to_string(), text);
        let error = infer(&operator, "step", &[&rate, &count, &two, &two, &three].map(Some)).unwrap_err();
        assert_eq!(error.to_string(), "Adagrad: input 4 has shape [3]: expected [2], as input 2 has");
    }
}
