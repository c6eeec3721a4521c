//! `SwiGLU`: a gate, and what goes through it.

use stratal_kernels::AnyViewMut;
use stratal_kernels::map::{BinaryFormula, Formula, UnaryFormula};
use stratal_kernels::simd::Simd;

use super::binary;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs, Swish, dtypes};

/// The [`Swish`] of the first operand times the second one, which has the same shape. 16-bit floats are rounded once.
#[derive(Debug, Clone, Copy, Default)]
pub struct SwiGlu {
    /// What becomes of the gate.
    pub gate: Swish,
}

impl SwiGlu {
    /// What is known of it.
    pub const DEFINITION: Definition = binary::definition("SwiGLU", 28, dtypes::FLOATS, &["alpha"], |node| {
        Ok(Box::new(Self { gate: Swish { alpha: node.float_or("alpha", 1.0)? } }))
    });
}

impl Operator for SwiGlu {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.check_dtypes(dtype)?;
        Ok(vec![Fact::new(dtype, binary::same_shape(inputs)?)])
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

impl BinaryFormula for SwiGlu {
    const NAME: &'static str = "swi_glu";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, a: S::F32, b: S::F32) -> S::F32 {
        self.gate.f32(simd, a) * b
    }

    fn f64(self, a: f64, b: f64) -> f64 {
        self.gate.f64(a) * b
    }
}
