//! `Softmax`: shares that add up to one.

use stratal_kernels::AnyViewMut;

use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, axis, dtypes};

/// `exp(x - m) / sum(exp(x - m))` along an axis, where `m` is the greatest element. A row of negative infinities is NaN.
#[derive(Debug, Clone, Copy)]
pub struct Softmax {
    /// The axis; it may count from the end.
    pub axis: i64,
}

impl Softmax {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Softmax",
        since: 13,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["axis"],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { axis: node.int_or("axis", -1)? })),
    };

    fn kernel(&self, rank: usize) -> Result<stratal_kernels::Softmax, Cause> {
        Ok(stratal_kernels::Softmax::along(axis(self.axis, rank)?))
    }
}

impl Operator for Softmax {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        let shape = inputs.shape(0)?;
        axis(self.axis, shape.rank())?;
        Ok(vec![Fact::new(dtype, shape.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let kernel = self.kernel(x.shape().rank())?;
        outputs.write(0, |result| context.kernels().softmax(&kernel, x, result))
    }

    fn compute_in_place(
        &self,
        context: &Context<'_>,
        _input: usize,
        x: &mut AnyViewMut<'_>,
        _inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        Ok(context.kernels().softmax_in_place(&self.kernel(x.shape().rank())?, x)?)
    }
}
