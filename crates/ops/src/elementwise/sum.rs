//! `Sum`: the sum of some elements.

use stratal_kernels::{AnyView, AnyViewMut, map};
use stratal_tensor_base::DType;

use super::variadic::{self, fold, fold_in_place};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs, dtypes, read, write};

/// The sum of the elements of any number of operands, which broadcast, from the first to the last.
///
/// Sums of 16-bit floats are computed in f32 and rounded once.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum;

impl Sum {
    /// What is known of it.
    pub const DEFINITION: Definition = variadic::definition("Sum", 13, dtypes::FLOATS, |_| Ok(Box::new(Self)));
}

impl Operator for Sum {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn in_place_inputs(&self) -> &'static [usize] {
        &[0]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        Ok(vec![variadic::infer(&Self::DEFINITION, inputs)?])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let operands: Vec<_> = inputs.present().collect();
        outputs.write(0, |result| {
            if operands.len() <= 2 || !is_short(result.dtype()) {
                return fold(context, &map::Add, &operands, result);
            }
            wide_sum(context, operands[0], &operands[1..], result, |_| Ok(()))
        })
    }

    fn compute_in_place(
        &self,
        context: &Context<'_>,
        _input: usize,
        x: &mut AnyViewMut<'_>,
        inputs: &Inputs<'_>,
    ) -> Result<(), Cause> {
        let others: Vec<_> = inputs.present().collect();
        if others.len() <= 1 || !is_short(x.dtype()) {
            return fold_in_place(context, &map::Add, &others, x);
        }
        wide_sum_in_place(context, &others, x, |_| Ok(()))
    }
}

/// Whether sums of a dtype are computed in f32.
pub(crate) fn is_short(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// A sum in f32, finished there, as one of 16-bit floats.
pub(crate) fn wide_sum(
    context: &Context<'_>,
    first: &AnyView<'_>,
    others: &[&AnyView<'_>],
    result: &mut AnyViewMut<'_>,
    finish: impl FnOnce(&mut AnyViewMut<'_>) -> Result<(), Cause>,
) -> Result<(), Cause> {
    let first = crate::operands::broadcast(first, result.shape())?;
    let sum = context.converted(&first, DType::F32)?;
    let others = others.iter().map(|other| context.converted(other, DType::F32)).collect::<Result<Vec<_>, _>>()?;
    let others = others.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let others = others.iter().map(crate::Reading::view).collect::<Result<Vec<_>, _>>()?;
    write(&sum, |sum| {
        fold_in_place(context, &map::Add, &others.iter().collect::<Vec<_>>(), sum)?;
        finish(sum)
    })?;
    Ok(context.kernels().cast(&read(&sum)?.view()?, result)?)
}

/// [`wide_sum`] in the place of the first operand.
pub(crate) fn wide_sum_in_place(
    context: &Context<'_>,
    others: &[&AnyView<'_>],
    x: &mut AnyViewMut<'_>,
    finish: impl FnOnce(&mut AnyViewMut<'_>) -> Result<(), Cause>,
) -> Result<(), Cause> {
    let first = context.converted(&x.as_view(), x.dtype())?;
    wide_sum(context, &read(&first)?.view()?, others, x, finish)
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::f16;

    use super::*;
    use crate::Mean;

    #[test]
    fn short_floats_are_rounded_once() {
        let context = Context::new().unwrap();
        let half = |value: f32| Tensor::scalar(f16::from_f32(value)).unwrap();
        let (great, small) = (half(2048.0), half(1.0));
        let sum = context.run(&Sum, &[Some(&great), Some(&small), Some(&small)]).unwrap().remove(0);
        assert_eq!(sum.item::<f16>(&[]).unwrap(), f16::from_f32(2050.0));
        let great = half(60000.0);
        let mean = context.run(&Mean, &[Some(&great), Some(&great)]).unwrap().remove(0);
        assert_eq!(mean.item::<f16>(&[]).unwrap(), f16::from_f32(60000.0));
    }
}
