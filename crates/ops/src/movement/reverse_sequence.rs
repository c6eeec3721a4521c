//! `ReverseSequence`: the beginnings of sequences reversed.

use super::axes::check_extent;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, ONNX, Operator, Outputs, axis, dtypes};

/// Reverses the first elements of each sequence of a batch, as many as its entry in the second input says; those behind
/// stay. A length beyond the axis, or a negative one, is an error.
#[derive(Debug, Clone, Copy)]
pub struct ReverseSequence {
    /// The axis along which the sequences stand side by side.
    pub batch_axis: i64,
    /// The axis of the elements of a sequence.
    pub time_axis: i64,
}

impl ReverseSequence {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "ReverseSequence",
        since: 28,
        inputs: 2..=2,
        outputs: 1..=1,
        attributes: &["batch_axis", "time_axis"],
        dtypes: dtypes::ALL,
        build: |node| {
            let (batch_axis, time_axis) = (node.int_or("batch_axis", 1)?, node.int_or("time_axis", 0)?);
            Ok(Box::new(Self { batch_axis, time_axis }))
        },
    };
}

impl Operator for ReverseSequence {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let (x, shape) = (inputs.required(0)?, inputs.shape(0)?);
        inputs.dtype(1, dtypes::INDICES)?;
        let (batch, time) = (axis(self.batch_axis, shape.rank())?, axis(self.time_axis, shape.rank())?);
        if batch == time {
            return Err(Cause::Unfit(format!("axis {batch} cannot be both batch axis and time axis")));
        }
        inputs.shape_of_rank(1, 1)?;
        check_extent(inputs, 1, 0, &shape[batch])?;
        Ok(vec![Fact::new(x.dtype, shape.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (x, lengths) = (inputs.required(0)?, inputs.required(1)?);
        let Self { batch_axis, time_axis } = *self;
        outputs.write(0, |result| context.kernels().reverse_sequence(x, lengths, batch_axis, time_axis, result))
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor_base::DType;

    use super::*;
    use crate::infer;

    #[test]
    fn what_does_not_fit_is_named() {
        let error = |batch_axis, time_axis, lengths: i64| {
            let (x, lengths) = (Fact::new(DType::F32, [4, 3]), Fact::new(DType::I64, [lengths]));
            let reverse = ReverseSequence { batch_axis, time_axis };
            infer(&reverse, "node", &[Some(&x), Some(&lengths)]).unwrap_err().cause.to_string()
        };
        assert_eq!(error(1, 0, 4), "input 1 has shape [4]: expected extent 3 at axis 0");
        assert_eq!(error(1, -1, 3), "axis 1 cannot be both batch axis and time axis");
        assert_eq!(error(2, 0, 3), "axis 2 does not exist at rank 2");
    }
}
