//! Rows that were normalised, found again for the gradient: what all normalisations have in common.

use stratal_kernels::Centre;
use stratal_ops::{LayerNormalization, SimplifiedLayerNormalization};
use stratal_tensor_base::DType;

use super::rows_gradient::RowsGradient;
use crate::{EagerError, Var, apply_outputs};

/// Normalised rows: all axes from one on.
///
/// They are computed again from the operand by the kernel that computed them before, which is cheaper than to keep them; and in
/// terms of operators, so that gradients can be differentiated again.
#[derive(Debug)]
pub(crate) struct NormalizedRows {
    centre: Centre,
    first: usize,
    /// The elements, with mean 0 and variance 1.
    pub(crate) elements: Var,
    /// What deviations from the mean were multiplied by, with extent 1 along rows.
    pub(crate) inverse_deviation: Var,
}

impl NormalizedRows {
    /// Those of an operand of f32 or f64.
    pub(crate) fn of(x: &Var, first: usize, centre: Centre, epsilon: f32) -> Result<Self, EagerError> {
        let (axis, stash_dtype) = (first as i64, x.dtype());
        let one = x.number(1.0)?;
        let inputs = [Some(x), Some(&one)];
        let mut found = match centre {
            Centre::Mean => apply_outputs(&LayerNormalization { axis, epsilon, stash_dtype }, &inputs, 3)?,
            Centre::Zero => apply_outputs(&SimplifiedLayerNormalization { axis, epsilon, stash_dtype }, &inputs, 2)?,
        };
        let inverse_deviation = found.swap_remove(found.len() - 1);
        Ok(Self { centre, first, elements: found.swap_remove(0), inverse_deviation })
    }

    /// The gradient of the operand from that of normalised elements, which were multiplied by a scale of their row, if by any.
    pub(crate) fn gradient(&self, gradient: &Var, scale: Option<&Var>) -> Result<Var, EagerError> {
        let factor = match scale {
            Some(scale) => self.inverse_deviation.mul(scale)?.expand_to(self.inverse_deviation.shape())?,
            None => self.inverse_deviation.clone(),
        };
        RowsGradient { centre: self.centre, first: self.first }.of(gradient, &self.elements, &factor)
    }

    /// The gradient of the operand from that of means: `g / n`.
    pub(crate) fn gradient_of_mean(&self, gradient: &Var) -> Result<Var, EagerError> {
        gradient.div(self.length())?.expand_to(self.elements.shape())
    }

    /// The gradient of the operand from that of variances: `g * 2 * (x - mean) / n`.
    pub(crate) fn gradient_of_variance(&self, gradient: &Var) -> Result<Var, EagerError> {
        self.elements.mul(&gradient.mul(2.0 / self.length())?.div(&self.inverse_deviation)?)
    }

    /// The gradient of the operand from that of inverse deviations `r`: `-g * r^3 * (x - mean) / n`.
    pub(crate) fn gradient_of_inverse(&self, gradient: &Var) -> Result<Var, EagerError> {
        let square = self.inverse_deviation.square()?;
        self.elements.mul(&gradient.mul(&square)?.div(-self.length())?)
    }

    /// The number of elements in a row; 1 if there are none, where nothing is divided by it.
    fn length(&self) -> f64 {
        let extents = &self.elements.shape().extents()[self.first..];
        extents.iter().map(|&extent| extent as usize).product::<usize>().max(1) as f64
    }
}

/// The dtype that gradients are computed in: f64 where one of these is, else f32.
pub(crate) fn computed(dtypes: impl IntoIterator<Item = DType>) -> DType {
    if dtypes.into_iter().any(|dtype| dtype == DType::F64) { DType::F64 } else { DType::F32 }
}

/// The sum of gradients, of those that there are.
pub(crate) fn total(
    terms: impl IntoIterator<Item = Result<Option<Var>, EagerError>>,
) -> Result<Option<Var>, EagerError> {
    terms.into_iter().try_fold(None, |sum: Option<Var>, term| {
        Ok(match (sum, term?) {
            (Some(sum), Some(term)) => Some(sum.add(&term)?),
            (sum, term) => sum.or(term),
        })
    })
}
