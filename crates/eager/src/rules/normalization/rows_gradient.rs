//! `RowsGradient`: the gradient of rows that were normalised, in two looks at each.
#![expect(clippy::result_large_err, reason = "a cause is passed on once a use")]

use stratal_kernels::Centre;
use stratal_ops::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs};
use stratal_tensor_base::DType;

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::private::{COMPUTED, Number, definition, sum_of, with_elements, write_elements};
use crate::{EagerError, Var, apply};

/// `f * (g - mean(g) - y * mean(g * y))` for each row, from the gradients `g` of normalised elements, those elements `y` and a
/// factor `f` for each row. Where rows were not centred, the mean of the gradients stays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowsGradient {
    pub(crate) centre: Centre,
    /// The first axis of a row.
    pub(crate) first: usize,
}

impl RowsGradient {
    pub(crate) const DEFINITION: Definition = Definition { dtypes: COMPUTED, ..definition("RowsGradient", 3) };

    /// Applies it, with factors that have extent 1 along rows.
    pub(crate) fn of(&self, gradient: &Var, normalized: &Var, factor: &Var) -> Result<Var, EagerError> {
        apply(self, &[Some(gradient), Some(normalized), Some(factor)])
    }

    fn run<T: Number>(
        &self,
        context: &Context<'_>,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<(), Cause> {
        let [gradient, normalized, factor] = [inputs.required(0)?, inputs.required(1)?, inputs.required(2)?];
        let extents = gradient.shape().extents();
        let length: usize = extents[self.first..].iter().map(|&extent| extent as usize).product();
        with_elements::<T, _>(context, gradient, |gradient| {
            with_elements::<T, _>(context, normalized, |normalized| {
                with_elements::<T, _>(context, factor, |factor| {
                    write_elements::<T>(context, outputs, |result| {
                        let length = length.max(1);
                        let rows = gradient.chunks_exact(length).zip(normalized.chunks_exact(length)).zip(factor);
                        for (((gradient, normalized), &factor), result) in rows.zip(result.chunks_exact_mut(length)) {
                            self.row(gradient, normalized, factor, result);
                        }
                        Ok(())
                    })
                })
            })
        })
    }

    #[inline]
    fn row<T: Number>(&self, gradient: &[T], normalized: &[T], factor: T, result: &mut [T]) {
        let count = gradient.len() as f64;
        let mean = match self.centre {
            Centre::Mean => sum_of(gradient, normalized, |gradient, _| gradient) / count,
            Centre::Zero => 0.0,
        };
        let slope = sum_of(gradient, normalized, |gradient, normalized| gradient * normalized) / count;
        let (mean, slope) = (T::rounded(mean), T::rounded(slope));
        for ((result, &gradient), &normalized) in result.iter_mut().zip(gradient).zip(normalized) {
            *result = factor * (gradient - mean - normalized * slope);
        }
    }
}

impl Operator for RowsGradient {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, COMPUTED)?;
        inputs.check_dtypes(dtype)?;
        let shape = inputs.shape(0)?;
        inputs.check_shape(1, shape)?;
        Ok(vec![Fact::new(dtype, shape.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        match inputs.required(0)?.dtype() {
            DType::F64 => self.run::<f64>(context, inputs, outputs),
            _ => self.run::<f32>(context, inputs, outputs),
        }
    }
}

/// It is linear and symmetric in `g`, so with the gradient `h` of the result: `g` has what this is of `h`, `y` has
/// `-f * (h * mean(g * y) + g * mean(h * y))`, and `f` has the sum of `h` times what this is with a factor of 1.
impl Derivative for RowsGradient {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::inputs([0, 1, 2])
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (upper, gradient, normalized, factor) = (call.gradient()?, call.input(0)?, call.input(1)?, call.input(2)?);
        let of_gradient = call.wanted(0, || self.of(&upper, &normalized, &factor))?;
        let axes: Vec<i64> = (self.first as i64..gradient.rank() as i64).collect();
        let of_normalized = call.wanted(1, || {
            let slope = |var: &Var| var.mul(&normalized)?.mean(&axes, true);
            let sum = upper.mul(&slope(&gradient)?)?.add(&gradient.mul(&slope(&upper)?)?)?;
            sum.mul(&factor.neg()?)
        })?;
        let of_factor = call.wanted(2, || {
            let one = factor.number(1.0)?.expand_to(factor.shape())?;
            upper.mul(&self.of(&gradient, &normalized, &one)?)?.sum(&axes, true)
        })?;
        Ok([of_gradient, of_normalized, of_factor].into())
    }
}
