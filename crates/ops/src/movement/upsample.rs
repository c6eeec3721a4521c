//! `Upsample`: the old name of `Resize` by factors.

use stratal_kernels::resize::{Coordinates, Interpolation, Nearest};

use super::resize::Resize;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, dtypes};

/// The old form of [`Resize`]: by factors, which are the second input, from the coordinate `i / factor`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Upsample {
    /// Whether it interpolates between two neighbours along each axis, instead of taking the next at or below.
    pub is_linear: bool,
}

impl Upsample {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Upsample",
        since: 10,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &["mode"],
        dtypes: dtypes::ALL,
        build: |node| {
            let is_linear = node.word("mode", "nearest or linear", &[("nearest", false), ("linear", true)])?;
            Ok(Box::new(Self { is_linear }))
        },
    };

    fn resize(self) -> Resize {
        let interpolation = match self.is_linear {
            true => Interpolation::Linear,
            false => Interpolation::Nearest(Nearest::Floor),
        };
        Resize { interpolation, coordinates: Coordinates::Asymmetric, ..Resize::default() }
    }
}

impl Operator for Upsample {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        // There is neither a region nor extents.
        self.resize().rule(inputs, [2, 1, 2])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let views = [Some(*inputs.required(0)?), None, Some(*inputs.required(1)?)];
        self.resize().compute(context, &Inputs::new(&views), outputs)
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;

    #[test]
    fn coordinates_are_multiples() {
        let x = Tensor::from_slice(&[0.0_f32, 6.0], &[2]).unwrap();
        let factor = Tensor::from_slice(&[3.0_f32], &[1]).unwrap();
        let upsampled = |is_linear| {
            let upsampled = Context::new().unwrap().run(&Upsample { is_linear }, &[Some(&x), Some(&factor)]).unwrap();
            upsampled[0].to_vec::<f32>().unwrap()
        };
        assert_eq!(upsampled(false), [0.0, 0.0, 0.0, 6.0, 6.0, 6.0]);
        assert_eq!(upsampled(true), [0.0, 2.0, 4.0, 6.0, 6.0, 6.0]);
    }
}
