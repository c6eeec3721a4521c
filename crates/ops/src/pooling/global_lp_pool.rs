//! `GlobalLpPool`: the norm of each image.

use stratal_kernels::pool::Window;
use stratal_kernels::reduce;

use super::{global, lp_pool};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs};

/// The norm of each image: the root of the sum of powers of magnitudes.
///
/// For powers above 2 images have one to three axes, and an element at least.
#[derive(Debug, Clone, Copy)]
pub struct GlobalLpPool {
    /// The power, 1 or more.
    pub power: i64,
}

impl GlobalLpPool {
    /// What is known of it.
    pub const DEFINITION: Definition =
        global::definition("GlobalLpPool", &["p"], |node| Ok(Box::new(Self { power: lp_pool::power(node)? })));
}

impl Operator for GlobalLpPool {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        global::infer(inputs)
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        match self.power {
            1 => global::compute(&reduce::L1Norm, context, inputs, outputs),
            2 => global::compute(&reduce::L2Norm, context, inputs, outputs),
            power => {
                let x = inputs.required(0)?;
                let window = Window::global(x.shape())?;
                outputs.write(0, |result| context.kernels().lp_pool(&window, power, x, result))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::{Attributes, build, infer};

    #[test]
    fn powers_of_each_kind() {
        let x = Tensor::from_slice(&[-3.0_f32, 4.0, 0.0, -0.0], &[1, 2, 1, 2]).unwrap();
        for (power, norm) in [(1, 7.0), (2, 5.0), (3, 91.0_f32.cbrt())] {
            let pooled = Context::new().unwrap().run(&GlobalLpPool { power }, &[Some(&x)]).unwrap().remove(0);
            assert_eq!(pooled.shape().extents(), [1, 2, 1, 1]);
            let norms = pooled.to_vec::<f32>().unwrap();
            assert!((norms[0] - norm).abs() < 1e-6 && norms[1] == 0.0, "{norms:?}");
        }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let fault = build("", "GlobalLpPool", &Attributes::new().with("p", 0), 1, 1).unwrap_err();
        assert_eq!(fault.to_string(), "GlobalLpPool: attribute p is 0: expected 1 or more");
        let flat = Fact::new(stratal_tensor_base::DType::F32, [2, 3]);
        let fault = infer(&GlobalLpPool { power: 2 }, "pool", &[Some(&flat)]).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "GlobalLpPool: input 0 has shape [2, 3]: expected a batch, channels and one axis or more"
        );
    }
}
