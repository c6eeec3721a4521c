//! Sums at indices: the way back of everything that gathers, which gathers on its own way back.

use std::sync::Arc;

use stratal_autograd::{AutogradError, Differentiable, OpKind, Recording, RuleCall, Rules, SavedOrigin};
use stratal_kernels::movement::ScatterReduction;
use stratal_ops::{GatherElements, GatherND, read, write};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Shape};

use crate::derivative::zeros;
use crate::engine::with_context;
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
        let mut recording = Recording::start(SUM_AT, &[&self.0, &indices.0]);
        if recording.is_active() {
            recording.attributes(Arc::new(at));
            recording.save_input(1);
        }
        let sums = zeros(shape, dtype)?;
        {
            let (updates, indices) = (read(self.tensor())?, read(indices.tensor())?);
            let (updates, indices) = (updates.view()?, indices.view()?);
            with_context(|context| {
                let (kernels, add) = (context.kernels(), ScatterReduction::Add);
                Ok(write(sums.tensor(), |sums| match at {
                    At::Elements { axis } => kernels.scatter_elements_in_place(sums, &indices, &updates, axis, add),
                    At::Slices => kernels.scatter_nd_in_place(sums, &indices, &updates, add),
                })?)
            })?;
        }
        Ok(Self(recording.finish(sums.0.into_tensor())?))
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

    /// Zeros of a shape, to whose elements, counted in row-major order, those of this variable are added.
    pub(crate) fn elements_summed_at(&self, places: &Self, shape: &Shape) -> Result<Self, EagerError> {
        let count = self.tensor().count() as i64;
        let all = Shape::new(&[shape.count() as i64])?;
        let sums = self.reshape(&[count])?.summed_at(&places.reshape(&[count])?, &all, At::Elements { axis: 0 })?;
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

const SUM_AT: OpKind = OpKind::new("sum_at");

/// Adds the rule of these sums.
pub(crate) fn register(rules: &mut Rules) -> Result<(), AutogradError> {
    rules.register(
        SUM_AT,
        Differentiable(|call: &RuleCall<'_>| {
            let at = call.record().attributes::<At>();
            let at = at.ok_or_else(|| EagerError::Unfit("the record of sum_at says not where".into()))?;
            let gradient = Var(call.only_gradient()?.clone());
            let saved = call.saved_as(SavedOrigin::Input(1))?;
            let indices = Var((*saved).clone());
            let inputs = [Some(&gradient), Some(&indices)];
            let gathered = match *at {
                At::Elements { axis } => apply(&GatherElements { axis }, &inputs)?,
                At::Slices => apply(&GatherND { batch_axes: 0 }, &inputs)?,
            };
            Ok([Some(gathered.0), None].into())
        }),
    )
}
