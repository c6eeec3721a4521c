//! `PRelu`: the rectified linear unit with a slope for each negative element.

use stratal_kernels::map::{BinaryFormula, Formula};
use stratal_kernels::simd::{Float, Simd};
use stratal_kernels::{AnyViewMut, Integer};

use super::binary;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs, dtypes};

/// `x`, times its slope where it is negative. Slopes broadcast to the operand. NaN stays NaN; integers wrap.
#[derive(Debug, Clone, Copy, Default)]
pub struct PRelu;

impl PRelu {
    /// What is known of it.
    pub const DEFINITION: Definition = binary::definition("PRelu", 16, dtypes::NUMBERS, &[], |_| Ok(Box::new(Self)));
}

impl Operator for PRelu {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::NUMBERS)?;
        inputs.check_dtypes(dtype)?;
        Ok(vec![Fact::new(dtype, binary::first_shape(inputs)?)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        binary::compute(&Formula(*self), context, inputs, outputs)
    }

    fn compute_in_place(
        &self,
        context: &Context<'_>,
        input: usize,
        x: &mut AnyViewMut<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        binary::compute_in_place(&Formula(*self), context, input, x, inputs)
    }
}

impl BinaryFormula for PRelu {
    const NAME: &'static str = "p_relu";

    const HAS_INTEGERS: bool = true;

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32, slope: S::F32) -> S::F32 {
        simd.select(x.lt(simd.f32(0.0)), x * slope, x)
    }

    fn f64(self, x: f64, slope: f64) -> f64 {
        if x < 0.0 { x * slope } else { x }
    }

    #[inline(always)]
    fn integer<T: Integer>(self, x: T, slope: T) -> T {
        if x < T::ZERO { x.mul(slope) } else { x }
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::elementwise::testing::floats;

    #[test]
    fn only_negative_elements_have_a_slope() {
        let result = floats(&PRelu, &[&[-2.0, 2.0, -0.0, f32::NAN], &[0.5, f32::NAN, f32::INFINITY, 1.0]]);
        assert_eq!(result[..3], [-1.0, 2.0, 0.0]);
        assert!(result[3].is_nan());
    }

    #[test]
    fn integers_wrap() {
        let (x, slope) =
            (Tensor::from_slice(&[i32::MIN, 7], &[2]).unwrap(), Tensor::from_slice(&[-1, 3], &[2]).unwrap());
        let result = Context::new().unwrap().run(&PRelu, &[Some(&x), Some(&slope)]).unwrap().remove(0);
        assert_eq!(result.to_vec::<i32>().unwrap(), [i32::MIN, 7]);
    }
}
