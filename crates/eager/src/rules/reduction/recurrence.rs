//! `Recurrence`: sums that decay, which gradients of running products are made of.
#![expect(clippy::result_large_err, reason = "a cause is passed on once a use")]

use stratal_ops::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs, axis, dtypes, read};
use stratal_tensor_base::{DType, Geometry};

use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::private::definition;
use crate::{EagerError, Var, apply};

/// `s[i] = g[i] + a[i] * s[i - 1]` along an axis, or `g[i] + a[i] * s[i + 1]`, from `g` and `a` of one shape. What is before the
/// first element is 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Recurrence {
    /// The axis.
    pub(crate) axis: i64,
    /// From the last element on.
    pub(crate) reverse: bool,
}

impl Recurrence {
    pub(crate) const DEFINITION: Definition = definition("Recurrence", 2);

    /// Combines along a row that begins with the first element, or from its other end.
    fn run(&self, gradients: &mut [f64], factors: &[f64]) {
        let mut sum = 0.0;
        let mut add = |(gradient, factor): (&mut f64, &f64)| {
            sum = *gradient + factor * sum;
            *gradient = sum;
        };
        let pairs = gradients.iter_mut().zip(factors);
        if self.reverse { pairs.rev().for_each(&mut add) } else { pairs.for_each(&mut add) }
    }
}

impl Operator for Recurrence {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        let dtype = inputs.dtype(0, dtypes::FLOATS)?;
        inputs.check_dtypes(dtype)?;
        let shape = inputs.shape(0)?;
        inputs.check_shape(1, shape)?;
        axis(self.axis, shape.rank())?;
        Ok(vec![Fact::new(dtype, shape.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (gradients, factors) = (inputs.required(0)?, inputs.required(1)?);
        let rank = gradients.shape().rank();
        let along = axis(self.axis, rank)?;
        let row_last = |geometry: &Geometry| geometry.transpose(along as i64, -1).map_err(Cause::from);
        let length = gradients.shape().extent(along);
        // Sums of f64, each rounded once.
        let sums = context.converted(&gradients.seen(row_last)?, DType::F64)?;
        let factors = context.converted(&factors.seen(row_last)?, DType::F64)?;
        {
            let (mut sums, factors) = (sums.data_mut::<f64>()?, factors.data::<f64>()?);
            let rows = sums.chunks_exact_mut(length.max(1)).zip(factors.chunks_exact(length.max(1)));
            rows.for_each(|(sums, factors)| self.run(sums, factors));
        }
        let sums = read(&sums)?;
        let sums = sums.view()?;
        outputs.write(0, |result| Ok::<_, Cause>(context.kernels().cast(&sums, &mut result.seen(row_last)?)?))
    }
}

/// With `t[i] = g[i] + a[i + 1] * t[i + 1]`: `t` and `t[i] * s[i - 1]`.
impl Derivative for Recurrence {
    fn saves(&self, need: &Need<'_>) -> Saves {
        let saves = Saves::input(1);
        if need.input(1) { saves.and_output(0) } else { saves }
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let Self { axis, reverse } = *self;
        let next = shifted(&call.input(1)?, axis, !reverse)?;
        let back = Self { axis, reverse: !reverse };
        let sums = apply(&back, &[Some(&call.gradient()?), Some(&next)])?;
        let factors = call.wanted(1, || sums.mul(&shifted(&call.output(0)?, axis, reverse)?))?;
        Ok([Some(sums), factors].into())
    }
}

/// Each element at the place behind its own along an axis, with a 0 before the first; or the other way round.
pub(crate) fn shifted(var: &Var, axis: i64, reverse: bool) -> Result<Var, EagerError> {
    let extent = var.extent(axis)? as i64;
    let rest = (extent - 1).max(0);
    let start = extent - rest;
    let (from, to) = if reverse { (start, 0) } else { (0, start) };
    var.narrow(axis, from, rest)?.placed_along(var.shape(), axis, to)
}
