//! `com.microsoft.FastGelu`: the Gaussian error linear unit, approximated.

use stratal_kernels::AnyViewMut;
use stratal_kernels::map::{self, Formula};

use super::of_sum::OfSum;
use super::{binary, unary};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, MICROSOFT, Operator, Outputs, dtypes};

/// The [`Gelu`](crate::Gelu), approximated by the hyperbolic tangent, of an operand, or of its sum with a bias that
/// broadcasts to it.
#[derive(Debug, Clone, Copy, Default)]
pub struct FastGelu;

impl FastGelu {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: MICROSOFT,
        name: "FastGelu",
        since: 1,
        inputs: 1..=2,
        outputs: 1..=1,
        attributes: &[],
        dtypes: dtypes::FLOATS,
        build: |_| Ok(Box::new(Self)),
    };
}

const OF_SUM: Formula<OfSum<map::GeluTanh>> = Formula(OfSum(map::GeluTanh));

impl Operator for FastGelu {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.check_dtypes(dtype)?;
        Ok(vec![Fact::new(dtype, binary::first_shape(inputs)?)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        match inputs.get(1) {
            None => unary::compute(&map::GeluTanh, context, inputs, outputs),
            Some(_) => binary::compute(&OF_SUM, context, inputs, outputs),
        }
    }

    fn compute_in_place(
        &self,
        context: &Context<'_>,
        input: usize,
        x: &mut AnyViewMut<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        match inputs.get(1) {
            None => unary::compute_in_place(&map::GeluTanh, context, x),
            Some(_) => binary::compute_in_place(&OF_SUM, context, input, x, inputs),
        }
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::f16;

    use crate::{BiasGelu, Context, FastGelu, Operator};

    #[test]
    fn a_bias_is_added_before_anything_is_rounded() {
        // 2049 is no f16, half of it is not rounded up from 2048.
        let half = |values: &[f32]| values.iter().map(|&x| f16::from_f32(x)).collect::<Vec<_>>();
        let x = Tensor::from_slice(&half(&[2048.0, -2.0]), &[1, 2]).unwrap();
        let bias = Tensor::from_slice(&half(&[1.0, 2.0]), &[2]).unwrap();
        let operators: [&dyn Operator; 2] = [&FastGelu, &BiasGelu];
        for operator in operators {
            let result = Context::new().unwrap().run(operator, &[Some(&x), Some(&bias)]).unwrap().remove(0);
            assert_eq!(result.to_vec::<f16>().unwrap(), half(&[2048.0, 0.0]), "{operator:?}");
        }
        let result = Context::new().unwrap().run(&FastGelu, &[Some(&x)]).unwrap().remove(0);
        assert_eq!(result.to_vec::<f16>().unwrap(), half(&[2048.0, -0.045_403_06]));
    }
}
