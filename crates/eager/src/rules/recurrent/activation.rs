//! The functions of gates, by variables.

use stratal_ops as ops;
use stratal_ops::{Activation, Recurrence};

use crate::{EagerError, Var, apply};

/// The functions of one direction, in the operator's order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Functions<const N: usize> {
    functions: [Activation; N],
    /// What functions are given is bounded by it on both sides.
    clip: Option<f32>,
}

impl<const N: usize> Functions<N> {
    /// The functions of a direction, or those that the operator has by itself.
    pub(super) fn of(recurrence: &Recurrence, direction: usize, own: [Activation; N]) -> Self {
        let given = recurrence.activations.get(direction * N..(direction + 1) * N);
        Self { functions: given.and_then(|given| given.try_into().ok()).unwrap_or(own), clip: recurrence.clip }
    }

    /// Bounds a gate and applies a function to it.
    pub(super) fn apply(&self, function: usize, gate: &Var) -> Result<Var, EagerError> {
        match self.clip.map(f64::from) {
            Some(clip) => activate(self.functions[function], &gate.clip(-clip, clip)?),
            None => activate(self.functions[function], gate),
        }
    }
}

fn activate(activation: Activation, x: &Var) -> Result<Var, EagerError> {
    match activation {
        Activation::Relu => x.relu(),
        Activation::Tanh => x.tanh(),
        Activation::Sigmoid => x.sigmoid(),
        Activation::Affine { alpha, beta } => x.mul(f64::from(alpha))?.add(f64::from(beta)),
        Activation::LeakyRelu { alpha } => apply(&ops::LeakyRelu { alpha }, &[Some(x)]),
        // Unlike the operator of this name, it keeps the threshold.
        Activation::ThresholdedRelu { alpha } => x.less(f64::from(alpha))?.select_by(&x.number(0.0)?, x),
        Activation::ScaledTanh { alpha, beta } => x.mul(f64::from(beta))?.tanh()?.mul(f64::from(alpha)),
        Activation::HardSigmoid { alpha, beta } => apply(&ops::HardSigmoid { alpha, beta }, &[Some(x)]),
        Activation::Elu { alpha } => apply(&ops::Elu { alpha }, &[Some(x)]),
        Activation::Softsign => apply(&ops::Softsign, &[Some(x)]),
        Activation::Softplus => x.softplus(),
    }
}
