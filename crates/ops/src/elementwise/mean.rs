//! `Mean`: the mean of some elements.

use stratal_kernels::AnyViewMut;
use stratal_kernels::map::{Add, Formula, UnaryFormula};
use stratal_kernels::simd::Simd;

use super::sum::{is_short, wide_sum, wide_sum_in_place};
use super::variadic::{self, fold, fold_in_place};
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs, dtypes};

/// The mean of the elements of any number of operands, which broadcast: their sum from the first to the last over their
/// number.
///
/// Means of 16-bit floats are computed in f32 and rounded once.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mean;

impl Mean {
    /// What is known of it.
    pub const DEFINITION: Definition = variadic::definition("Mean", 13, dtypes::FLOATS, |_| Ok(Box::new(Self)));
}

impl Operator for Mean {
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
        let share = Formula(Share { count: operands.len() as f32 });
        outputs.write(0, |result| {
            if is_short(result.dtype()) {
                let finish = |sum: &mut AnyViewMut<'_>| Ok(context.kernels().unary_in_place(&share, sum)?);
                return wide_sum(context, operands[0], &operands[1..], result, finish);
            }
            fold(context, &Add, &operands, result)?;
            Ok::<_, Cause>(context.kernels().unary_in_place(&share, result)?)
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
        let share = Formula(Share { count: (others.len() + 1) as f32 });
        if is_short(x.dtype()) {
            let finish = |sum: &mut AnyViewMut<'_>| Ok(context.kernels().unary_in_place(&share, sum)?);
            return wide_sum_in_place(context, &others, x, finish);
        }
        fold_in_place(context, &Add, &others, x)?;
        Ok(context.kernels().unary_in_place(&share, x)?)
    }
}

/// A sum over the number of operands.
#[derive(Debug, Clone, Copy)]
struct Share {
    count: f32,
}

impl UnaryFormula for Share {
    const NAME: &'static str = "mean";

    #[inline(always)]
    fn f32<S: Simd>(self, simd: S, x: S::F32) -> S::F32 {
        x / simd.f32(self.count)
    }

    fn f64(self, x: f64) -> f64 {
        x / f64::from(self.count)
    }
}
