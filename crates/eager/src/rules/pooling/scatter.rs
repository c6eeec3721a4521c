//! Elements moved by index: added to where they came from, and taken from there again. Each is the derivative of the other.

use stratal_ops::{Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs, dtypes};
use stratal_tensor_base::{DType, Shape};

use crate::derivative::{Call, Derivative, Gradients, Need, Registered, Saves};
use crate::private::{Sum, definition, fill_elements, with_elements};
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

pub(super) const PRIVATE: [Registered; 2] = [
    Registered::of::<Scatter>(&Scatter::DEFINITION, "stratal.Scatter"),
    Registered::of::<Take>(&Take::DEFINITION, "stratal.Take"),
];

#[derive(Debug, Clone)]
struct Scatter {
    shape: Shape,
}

#[derive(Debug, Clone)]
struct Take;

impl Scatter {
    const DEFINITION: Definition = definition("Scatter", 2);
}

impl Take {
    const DEFINITION: Definition = definition("Take", 2);
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

fn scatter<T: Sum>(context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
    let (x, indices) = (inputs.required(0)?, inputs.required(1)?);
    let add = |x: &[T], indices: &[i64], sums: &mut [T]| {
        sums.fill(T::default());
        for (x, index) in x.iter().zip(indices).filter(|(_, index)| **index >= 0) {
            let sum = sums.get_mut(*index as usize).ok_or_else(|| outside(*index))?;
            *sum = *sum + *x;
        }
        Ok(())
    };
    outputs.write(0, |result| {
        with_elements(context, x, |x| {
            with_elements(context, indices, |indices| fill_elements(context, result, |sums| add(x, indices, sums)))
        })
    })
}

fn take<T: Sum>(context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
    let (x, indices) = (inputs.required(0)?, inputs.required(1)?);
    let copy = |x: &[T], indices: &[i64], taken: &mut [T]| {
        for (taken, &index) in taken.iter_mut().zip(indices) {
            *taken = if index < 0 { T::default() } else { *x.get(index as usize).ok_or_else(|| outside(index))? };
        }
        Ok(())
    };
    outputs.write(0, |result| {
        with_elements(context, x, |x| {
            with_elements(context, indices, |indices| fill_elements(context, result, |taken| copy(x, indices, taken)))
        })
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
