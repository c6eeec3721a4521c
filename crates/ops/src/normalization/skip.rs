//! What normalisations of a sum with a skipped layer have in common.

use stratal_kernels::map::Add;
use stratal_kernels::{AnyView, AnyViewMut, Centre, Normalization};
use stratal_tensor_base::DType;

use super::precision::{compute_in, widened};
use super::rows::{Statistics, check_broadcasts, check_channels, normalize, reduced, reduced_shape};
use crate::operands::{broadcast, held};
use crate::{Cause, Context, Fact, Facts, Inputs, Outputs, SymbolicShape, axis, dtypes, write};

/// A normalisation over the last axis of a sum. Inputs are `x`, `skip`, a scale and others by their positions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Skip {
    pub(crate) centre: Centre,
    pub(crate) epsilon: f32,
    /// Which input is added to the result, if there is such a one.
    pub(crate) offset: Option<usize>,
    /// Which input is part of the sum.
    pub(crate) bias: usize,
}

impl Skip {
    pub(crate) fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.check_dtypes(dtype)?;
        let shape = inputs.shape(0)?;
        let last = axis(-1, shape.rank())?;
        check_broadcasts(inputs, 1, shape)?;
        (2..=self.bias).try_for_each(|input| check_channels(inputs, input, &shape[last]))?;
        let statistics = SymbolicShape::new(reduced(shape.extents(), |axis| axis == last, 1.into()));
        let (result, statistic) = (Fact::new(dtype, shape.clone()), Fact::new(DType::F32, statistics));
        Ok(vec![result.clone(), statistic.clone(), statistic, result])
    }

    pub(crate) fn compute(
        &self,
        context: &Context<'_>,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let dtype = widened(x.dtype());
        let last = axis(-1, x.shape().rank())?;
        let shape = reduced_shape(x.shape(), |axis| axis == last)?;
        let statistics = Statistics {
            mean: Statistics::space(context, dtype, &shape, outputs.is_wanted(1))?,
            variance: None,
            inverse_deviation: Statistics::space(context, dtype, &shape, outputs.is_wanted(2))?,
        };
        let summands = [Some(x), inputs.get(1), inputs.get(self.bias)];
        let by = [inputs.get(2), self.offset.and_then(|offset| inputs.get(offset))];
        let finish = |sum: &AnyView<'_>, result: &mut AnyViewMut<'_>| {
            let [scale, offset] = by;
            compute_in(dtype, context, [Some(sum), scale, offset], result, |operands, result| {
                let [Some(sum), scale, offset] = operands else { return Err(Cause::MissingInput { input: 0 }) };
                let normalization = Normalization { centre: self.centre, axes: &[last], epsilon: self.epsilon };
                normalize(context, &normalization, sum, [scale, offset], result, &statistics)
            })
        };
        {
            let [result, wanted_sum] = outputs.places([0, 3])?;
            // The sum is normalised as it is before it is rounded, so that of 16-bit floats has its own place.
            let scratch;
            let (mut sum, mut narrowed) = match wanted_sum {
                Some(wanted) if x.dtype() == dtype => (wanted, None),
                wanted => {
                    scratch = context.scratch(dtype, x.shape())?;
                    (held(&scratch)?, wanted)
                }
            };
            let mut sum = sum.view()?;
            compute_in(dtype, context, summands, &mut sum, |operands, sum| add(context, operands, sum))?;
            let sum = sum.as_view();
            if let Some(narrowed) = &mut narrowed {
                context.kernels().cast(&sum, &mut narrowed.view()?)?;
            }
            match result {
                Some(mut result) => finish(&sum, &mut result.view()?)?,
                None => write(&context.scratch(x.dtype(), x.shape())?, |result| finish(&sum, result))?,
            }
        }
        Statistics::write(context, statistics.mean.as_ref(), 1, outputs)?;
        Statistics::write(context, statistics.inverse_deviation.as_ref(), 2, outputs)
    }
}

/// The sum of `x`, `skip` and the bias, in this order.
fn add(
    context: &Context<'_>,
    [x, skip, bias]: [Option<&AnyView<'_>>; 3],
    sum: &mut AnyViewMut<'_>,
) -> Result<(), Cause> {
    let (Some(x), Some(skip)) = (x, skip) else { return Err(Cause::MissingInput { input: 1 }) };
    context.kernels().binary(&Add, x, &broadcast(skip, x.shape())?, sum)?;
    if let Some(bias) = bias {
        context.kernels().binary_in_place(&Add, sum, &broadcast(bias, x.shape())?)?;
    }
    Ok(())
}
