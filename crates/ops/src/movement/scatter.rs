//! `Scatter`: the old name of `ScatterElements`.

use stratal_kernels::AnyViewMut;

use super::scatter_elements::ScatterElements;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs};

/// The old name of [`ScatterElements`] without a reduction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Scatter {
    /// The axis; it may count from the end.
    pub axis: i64,
}

impl Scatter {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Scatter",
        since: 11,
        attributes: &["axis"],
        build: |node| Ok(Box::new(Self { axis: node.int_or("axis", 0)? })),
        ..ScatterElements::DEFINITION
    };

    fn elements(self) -> ScatterElements {
        ScatterElements { axis: self.axis, ..ScatterElements::default() }
    }
}

impl Operator for Scatter {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        self.elements().infer(inputs)
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        self.elements().compute(context, inputs, outputs)
    }

    fn compute_in_place(
        &self,
        context: &Context<'_>,
        input: usize,
        x: &mut AnyViewMut<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        self.elements().compute_in_place(context, input, x, inputs)
    }
}
