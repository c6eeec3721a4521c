//! `FlexAttention`: attention without masks.

use stratal_tensor_base::DType;

use super::heads::HeadExtents;
use super::masking::Masking;
use super::multi_head::{check_groups, softmax_precision};
use super::scaled_dot_product::{Operands, ScaledDotProduct};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs, PREVIEW, dtypes};

/// `softmax(scale * queries * keys^T) * values` for each head.
///
/// All have shape `[batch, heads, sequence, size]`; several heads of queries may share one head of keys and values. ONNX lets
/// graphs change scores and shares on the way: there are none here. Without keys the result is zeros.
#[derive(Debug, Clone, Copy, Default)]
pub struct FlexAttention {
    /// What products are multiplied by; `1 / sqrt(size)` if nothing is said.
    pub scale: Option<f32>,
    /// What softmax is computed in; f32, or f64 for operands of f64, if nothing is said.
    pub softmax_precision: Option<DType>,
}

impl FlexAttention {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: PREVIEW,
        name: "FlexAttention",
        since: 1,
        inputs: 3..=3,
        outputs: 1..=1,
        attributes: &["scale", "softmax_precision"],
        dtypes: dtypes::FLOATS,
        build: |node| Ok(Box::new(Self { scale: node.float("scale")?, softmax_precision: softmax_precision(node)? })),
    };
}

impl Operator for FlexAttention {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.check_dtypes(dtype)?;
        (0..3).try_for_each(|input| inputs.shape_of_rank(input, 4).map(|_| ()))?;
        let of = |input| HeadExtents::of(inputs, input, None, None);
        let (queries, keys, values) = (of(0)?, of(1)?, of(2)?);
        let expected = HeadExtents { batch: queries.batch.clone(), size: queries.size.clone(), ..keys.clone() };
        inputs.check_shape(1, &expected.shape(4)?)?;
        inputs.check_shape(2, &HeadExtents { size: values.size.clone(), ..expected }.shape(4)?)?;
        check_groups(&queries.heads, &keys.heads)?;
        Ok(vec![Fact::new(dtype, HeadExtents { size: values.size, ..queries }.shape(4)?)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let operands =
            Operands { queries: *inputs.required(0)?, keys: *inputs.required(1)?, values: *inputs.required(2)? };
        let attention = ScaledDotProduct { scale: self.scale, softcap: 0.0, softmax: self.softmax_precision };
        outputs.write(0, |result| attention.compute(context, &operands, &Masking::default(), result, None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer;

    #[test]
    fn four_axes_are_needed() {
        let fact = Fact::new(DType::F32, [2, 4, 8]);
        let error = infer(&FlexAttention::default(), "flex", &[Some(&fact), Some(&fact), Some(&fact)]).unwrap_err();
        assert_eq!(error.to_string(), "FlexAttention: input 0 has shape [2, 4, 8]: expected rank 4");
    }
}
