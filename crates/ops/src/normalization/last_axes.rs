//! What normalisations over the last axes have in common.

use stratal_kernels::{AnyView, Centre, Normalization};
use stratal_tensor_base::DType;

use super::precision::{common, compute_in};
use super::rows::{Statistics, check_broadcasts, normalize, reduced, reduced_shape};
use crate::{Cause, Context, Fact, Facts, Outputs, SymbolicShape, axis, dtypes};

/// A normalisation over an axis and all behind it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LastAxes {
    pub(crate) centre: Centre,
    pub(crate) axis: i64,
    pub(crate) epsilon: f32,
    /// The dtype of statistics. F64 means that all is computed in f64.
    pub(crate) stash_dtype: DType,
}

/// Which outputs statistics are, if any.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StatisticOutputs {
    pub(crate) mean: Option<usize>,
    pub(crate) inverse_deviation: Option<usize>,
}

impl LastAxes {
    /// The shape of `x`, which is input 0, if scale and bias, inputs 1 and 2, broadcast to it; and that of statistics.
    pub(crate) fn shapes(&self, inputs: &Facts<'_>) -> Result<(SymbolicShape, SymbolicShape), Cause> {
        inputs.dtype(0, dtypes::FLOATS)?;
        let shape = inputs.shape(0)?;
        let first = axis(self.axis, shape.rank())?;
        (1..3).try_for_each(|input| check_broadcasts(inputs, input, shape))?;
        let statistics = reduced(shape.extents(), |axis| axis >= first, 1.into());
        Ok((shape.clone(), SymbolicShape::new(statistics)))
    }

    /// What is known of a statistic.
    pub(crate) fn statistic(&self, shape: SymbolicShape) -> Fact {
        Fact::new(self.stash_dtype, shape)
    }

    /// Normalises `x`, then multiplies by `scale` and adds `bias`, into output 0; and gives statistics.
    pub(crate) fn compute(
        &self,
        context: &Context<'_>,
        operands: [Option<&AnyView<'_>>; 3],
        outputs: &mut Outputs<'_>,
        statistic_outputs: StatisticOutputs,
    ) -> Result<(), Cause> {
        let stash = Some(self.stash_dtype).filter(|&stash| stash == DType::F64);
        let dtype = common(operands.iter().flatten().map(|operand| operand.dtype()).chain(stash));
        let [Some(x), ..] = operands else { return Err(Cause::MissingInput { input: 0 }) };
        let rank = x.shape().rank();
        let first = axis(self.axis, rank)?;
        let shape = reduced_shape(x.shape(), |axis| axis >= first)?;
        let is_wanted = |output: Option<usize>| output.is_some_and(|output| outputs.is_wanted(output));
        let StatisticOutputs { mean, inverse_deviation } = statistic_outputs;
        let statistics = Statistics {
            mean: Statistics::space(context, dtype, &shape, is_wanted(mean))?,
            variance: None,
            inverse_deviation: Statistics::space(context, dtype, &shape, is_wanted(inverse_deviation))?,
        };
        let axes: Vec<_> = (first..rank).collect();
        let normalization = Normalization { centre: self.centre, axes: &axes, epsilon: self.epsilon };
        outputs.write(0, |result| {
            compute_in(dtype, context, operands, result, |operands, result| {
                let [Some(x), scale, bias] = operands else { return Err(Cause::MissingInput { input: 0 }) };
                normalize(context, &normalization, x, [scale, bias], result, &statistics)
            })
        })?;
        for (output, found) in [(mean, &statistics.mean), (inverse_deviation, &statistics.inverse_deviation)] {
            if let Some(output) = output {
                Statistics::write(context, found.as_ref(), output, outputs)?;
            }
        }
        Ok(())
    }
}
