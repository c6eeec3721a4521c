//! What losses made of logarithms of probabilities have in common.

use stratal_ops::LossReduction;

use super::samples::Samples;
use crate::derivative::{Call, Need, Saves};
use crate::{EagerError, Var};

/// A loss `-x[class] * weight[class]`, and what is made of those of all samples.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogLikelihood {
    pub(crate) reduction: LossReduction,
    pub(crate) ignore_index: Option<i64>,
}

impl LogLikelihood {
    /// What [`factor`](Self::factor) and a composition read, beside what else the rule does.
    pub(crate) fn saves(need: &Need<'_>) -> Saves {
        if need.input(2) { Saves::inputs([0, 1, 2]) } else { Saves::inputs([1, 2]) }
    }

    pub(crate) fn samples(self, call: &Call<'_>) -> Result<Samples, EagerError> {
        Samples::of(&call.input(1)?, call.shape(0).extent(1), self.ignore_index)
    }

    /// What the gradient of each sample's `-x[class]` is, `[N, 1, ..]`. Weights are constant.
    pub(crate) fn factor(self, call: &Call<'_>, samples: &Samples) -> Result<Var, EagerError> {
        let weights = if call.is_given(2) { Some(call.input(2)?) } else { None };
        let weights = samples.weights(weights.as_ref(), call.dtype(0))?;
        let weights = match self.reduction {
            LossReduction::Mean => weights.div(&weights.sum(&[], false)?)?,
            LossReduction::Sum | LossReduction::None => weights,
        };
        call.gradient()?.mul(&weights)?.unsqueeze(1)
    }

    /// The loss from logarithms, in terms of operators.
    pub(crate) fn of(self, logarithms: &Var, classes: &Var, weights: Option<&Var>) -> Result<Var, EagerError> {
        let samples = Samples::of(classes, logarithms.extent(1)?, self.ignore_index)?;
        let weights = samples.weights(weights, logarithms.dtype())?;
        let losses = samples.pick(logarithms)?.neg()?.mul(&weights)?;
        reduced(self.reduction, &losses, &weights)
    }
}

/// What is made of weighted losses.
pub(crate) fn reduced(reduction: LossReduction, losses: &Var, weights: &Var) -> Result<Var, EagerError> {
    match reduction {
        LossReduction::Mean => losses.sum(&[], false)?.div(&weights.sum(&[], false)?),
        LossReduction::Sum => losses.sum(&[], false),
        LossReduction::None => Ok(losses.clone()),
    }
}

/// An input that a composition needs.
pub(crate) fn required(inputs: &[Option<Var>], input: usize) -> Result<&Var, EagerError> {
    inputs[input].as_ref().ok_or_else(|| EagerError::Unfit(format!("input {input} was left out")))
}
