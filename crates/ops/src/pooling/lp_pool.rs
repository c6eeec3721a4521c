//! `LpPool`: the norm of each window.

use super::Windows;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, attribute, dtypes};

/// The norm of each window: the root of the sum of powers of magnitudes. Padding adds nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LpPool {
    /// The windows.
    pub windows: Windows,
    /// The power, 1 or more.
    pub power: i64,
}

impl LpPool {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "LpPool",
        since: 22,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &["auto_pad", "ceil_mode", "dilations", "kernel_shape", "p", "pads", "strides"],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { windows: Windows::of_node(node)?, power: power(node)? })),
    };
}

/// The attribute `p`.
pub(super) fn power(node: &Node<'_>) -> Result<i64, Cause> {
    match node.int_or("p", 2)? {
        power @ 1.. => Ok(power),
        other => Err(attribute("p", other, "1 or more")),
    }
}

impl Operator for LpPool {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        Ok(vec![Fact::new(dtype, self.windows.infer(inputs.shape(0)?)?)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let window = self.windows.on(x.shape())?;
        outputs.write(0, |result| context.kernels().lp_pool(&window, self.power, x, result))
    }
}
