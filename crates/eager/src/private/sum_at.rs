//! Sums at indices: the way back of everything that gathers, which gathers on its own way back.
#![expect(clippy::result_large_err, reason = "a cause is passed on once a use")]

use stratal_kernels::movement::ScatterReduction;
use stratal_ops::{Cause, Context, Definition, Fact, Facts, GatherElements, GatherND, Inputs, Operator, Outputs, read};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Shape};

use super::{COMPUTED, definition};
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::views::extents;
use crate::{EagerError, Var, apply};

/// What indices point at.
#[derive(Debug, Clone, Copy)]
pub(crate) enum At {
    /// Elements along an axis, at their own place along all others, as in [`GatherElements`].
    Elements { axis: i64 },
    /// Slices, by coordinates that lie along the last axis, as in [`GatherND`].
    Slices,
}

impl Var {
    /// Zeros of a shape, to which the elements of this variable are added at indices.
    ///
    /// 16-bit floats are added in f32 and rounded once.
    pub(crate) fn summed_at(&self, indices: &Self, shape: &Shape, at: At) -> Result<Self, EagerError> {
        let dtype = self.dtype();
        if matches!(dtype, DType::F16 | DType::BF16) {
            return self.cast(DType::F32)?.summed_at(indices, shape, at)?.cast(dtype);
        }
        apply(&SumAt { at, shape: *shape }, &[Some(self), Some(indices)])
    }

    /// Zeros of a shape, to whose slices at indices along an axis those of this variable are added: what `Gather` goes back by.
    pub(crate) fn slices_summed_at(&self, indices: &Self, shape: &Shape, axis: usize) -> Result<Self, EagerError> {
        let extents = extents(shape);
        let count = indices.tensor().count() as i64;
        let (before, extent, after) = (product(&extents[..axis]), extents[axis], product(&extents[axis + 1..]));
        let sums = if before == 1 {
            let rows = self.reshape(&[count, after])?;
            rows.summed_at(&indices.reshape(&[count, 1])?, &Shape::new(&[extent, after])?, At::Slices)?
        } else {
            let slices = self.reshape(&[before, count, after])?;
            let indices = indices.reshape(&[1, count, 1])?.expand(&[before, count, after])?;
            slices.summed_at(&indices, &Shape::new(&[before, extent, after])?, At::Elements { axis: 1 })?
        };
        sums.reshape_to(shape)
    }
}

/// The places of all elements of a shape in row-major order: what shows an operator's way with elements.
pub(crate) fn places(shape: &Shape) -> Result<Var, EagerError> {
    let count = shape.count() as i64;
    Ok(Var::constant(Tensor::arange(0, count, 1, DType::I64)?.reshape(&extents(shape))?))
}

/// Indices as an operand.
pub(crate) fn indices(indices: Vec<i64>) -> Result<Var, EagerError> {
    let count = indices.len() as i64;
    Ok(Var::constant(Tensor::from_vec(indices, &[count])?))
}

/// A product beyond 63 bits, which only other extents of 0 allow, is as large as can be.
fn product(extents: &[i64]) -> i64 {
    extents.iter().fold(1, |product, &extent| product.saturating_mul(extent))
}

/// Zeros of a shape, to which updates are added at indices.
#[derive(Debug, Clone)]
pub(super) struct SumAt {
    at: At,
    shape: Shape,
}

impl SumAt {
    pub(super) const DEFINITION: Definition = Definition { dtypes: COMPUTED, ..definition("SumAt", 2) };
}

impl Operator for SumAt {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        Ok(vec![Fact::new(inputs.dtype(0, COMPUTED)?, &self.shape)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let (updates, indices) = (inputs.required(0)?, inputs.required(1)?);
        let (kernels, add) = (context.kernels(), ScatterReduction::Add);
        let zero = Tensor::zeros(&[], updates.dtype())?.expand(&extents(&self.shape))?;
        outputs.write(0, |sums| {
            kernels.copy(&read(&zero)?.view()?, sums)?;
            match self.at {
                At::Elements { axis } => kernels.scatter_elements_in_place(sums, indices, updates, axis, add)?,
                At::Slices => kernels.scatter_nd_in_place(sums, indices, updates, add)?,
            }
            Ok::<_, Cause>(())
        })
    }
}

impl Derivative for SumAt {
    fn saves(&self, _: &Need<'_>) -> Saves {
        Saves::input(1)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let (gradient, indices) = (call.gradient()?, call.input(1)?);
        let inputs = [Some(&gradient), Some(&indices)];
        let gathered = match self.at {
            At::Elements { axis } => apply(&GatherElements { axis }, &inputs)?,
            At::Slices => apply(&GatherND { batch_axes: 0 }, &inputs)?,
        };
        Ok(gathered.into())
    }
}
