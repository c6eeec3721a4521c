//! Elements moved by index: added to where they came from, and taken from there again. Each is the derivative of the other.
#![expect(clippy::result_large_err, reason = "a cause is passed on once a use")]

use stratal_ops::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs, dtypes};
use stratal_tensor_base::{DType, Shape};

use super::{Number, definition, with_elements, write_elements};
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var, apply};

impl Var {
    /// Zeros of a shape, to which each element of this variable is added at its index, of int64, which counts in row-major order
    /// through all of them. Those of negative indices go nowhere.
    pub(crate) fn added_at(&self, indices: &Self, shape: &Shape) -> Result<Self, EagerError> {
        apply(&Scatter { shape: *shape }, &[Some(self), Some(indices)])
    }

    /// The elements at indices as of [`added_at`](Self::added_at), in their shape; zeros for negative ones.
    pub(crate) fn taken_at(&self, indices: &Self) -> Result<Self, EagerError> {
        apply(&Take, &[Some(self), Some(indices)])
    }
}

#[derive(Debug, Clone)]
pub(super) struct Scatter {
    shape: Shape,
}

#[derive(Debug, Clone)]
pub(super) struct Take;

impl Scatter {
    pub(super) const DEFINITION: Definition = definition("Scatter", 2);
}

impl Take {
    pub(super) const DEFINITION: Definition = definition("Take", 2);
}

impl Operator for Scatter {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        inputs.check_dtype(1, DType::I64)?;
        inputs.check_shape(1, inputs.shape(0)?)?;
        Ok(vec![Fact::new(inputs.dtype(0, dtypes::FLOATS)?, &self.shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        match inputs.required(0)?.dtype() {
            DType::F64 => scatter::<f64>(context, inputs, outputs),
            // Elements of 16 bits are rounded once, at last.
            _ => scatter::<f32>(context, inputs, outputs),
        }
    }
}

impl Operator for Take {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        inputs.check_dtype(1, DType::I64)?;
        Ok(vec![Fact::new(inputs.dtype(0, dtypes::FLOATS)?, inputs.shape(1)?.clone())])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        match inputs.required(0)?.dtype() {
            DType::F64 => take::<f64>(context, inputs, outputs),
            _ => take::<f32>(context, inputs, outputs),
        }
    }
}

fn scatter<T: Number>(context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
    let (x, indices) = (inputs.required(0)?, inputs.required(1)?);
    let add = |x: &[T], indices: &[i64], sums: &mut [T]| {
        sums.fill(T::ZERO);
        for (x, index) in x.iter().zip(indices).filter(|(_, index)| **index >= 0) {
            let sum = sums.get_mut(*index as usize).ok_or_else(|| outside(*index))?;
            *sum = *sum + *x;
        }
        Ok(())
    };
    with_elements(context, x, |x| {
        with_elements(context, indices, |indices| write_elements(context, outputs, |sums| add(x, indices, sums)))
    })
}

fn take<T: Number>(context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
    let (x, indices) = (inputs.required(0)?, inputs.required(1)?);
    let copy = |x: &[T], indices: &[i64], taken: &mut [T]| {
        for (taken, &index) in taken.iter_mut().zip(indices) {
            *taken = if index < 0 { T::ZERO } else { *x.get(index as usize).ok_or_else(|| outside(index))? };
        }
        Ok(())
    };
    with_elements(context, x, |x| {
        with_elements(context, indices, |indices| write_elements(context, outputs, |taken| copy(x, indices, taken)))
    })
}

fn outside(index: i64) -> Cause {
    Cause::Unfit(format!("index {index} is outside"))
}

impl Derivative for Scatter {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(call.gradient()?.taken_at(&call.input(1)?)?.into())
    }
}

impl Derivative for Take {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(call.gradient()?.added_at(&call.input(1)?, call.shape(0))?.into())
    }
}
