//! `BatchNormalization`: in training the gradient of normalised rows, which are channels; else that of a scale and a bias.

use stratal_kernels::Centre;
use stratal_ops::BatchNormalization;
use stratal_tensor_base::DType;

use super::normalized_rows::{NormalizedRows, computed, total};
use crate::derivative::{Call, Derivative, Gradients, Need, Saves};
use crate::{EagerError, Var};

impl Derivative for BatchNormalization {
    fn saves(&self, need: &Need<'_>) -> Saves {
        let x = need.input(1) || if self.training_mode { need.input(0) } else { need.input(4) };
        if self.training_mode {
            return Saves::nothing().and_input_if(x, 0).and_input_if(need.input(0), 1);
        }
        let scale = need.input(0) || need.input(3) || need.input(4);
        let (mean, variance) = (x, scale || x);
        Saves::nothing().and_input_if(x, 0).and_input_if(scale, 1).and_input_if(mean, 3).and_input_if(variance, 4)
    }

    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        let dtype = computed((0..5).map(|input| call.dtype(input)));
        let rule = if self.training_mode { in_training } else { by_given };
        let gradients = rule(self, call, dtype)?;
        // Of several dtypes each input has its own.
        let narrowed = |(input, gradient): (usize, Option<Var>)| {
            gradient.map(|gradient| gradient.cast(call.dtype(input))).transpose()
        };
        gradients.into_iter().enumerate().map(narrowed).collect()
    }
}

/// Channels are rows of the batch.
fn in_training(operator: &BatchNormalization, call: &Call<'_>, dtype: DType) -> Result<[Option<Var>; 5], EagerError> {
    let gradient = |output: usize| -> Result<Option<Var>, EagerError> {
        call.output_gradient(output).map(|gradient| gradient.cast(dtype)).transpose()
    };
    let (of_result, of_mean, of_variance) = (gradient(0)?, gradient(1)?, gradient(2)?);
    let (kept, found) = (f64::from(operator.momentum), 1.0 - f64::from(operator.momentum));
    // The running averages that were given are part of the next ones.
    let running = |input: usize, gradient: &Option<Var>| {
        call.wanted(input, || match gradient {
            Some(gradient) => gradient.mul(kept),
            None => call.zeros_like(input),
        })
    };
    let (running_mean, running_variance) = (running(3, &of_mean)?, running(4, &of_variance)?);
    let bias = call.wanted(2, || match &of_result {
        Some(gradient) => gradient.sum_of_channels(),
        None => call.zeros_like(2),
    })?;
    if !call.needs(0) && !call.needs(1) {
        return Ok([None, None, bias, running_mean, running_variance]);
    }
    let x = exchanged(&call.input(0)?.cast(dtype)?)?;
    let first = x.rank().min(2) - 1;
    let rows = NormalizedRows::of(&x, first, Centre::Mean, operator.epsilon)?;
    let of_result = of_result.as_ref().map(exchanged).transpose()?;
    let of_rows = |channels: &Var| channels.reshape_to(rows.inverse_deviation.shape());
    let x = call.wanted(0, || {
        let scale = of_rows(&call.input(1)?.cast(dtype)?)?;
        let of_elements = of_result.as_ref().map(|gradient| rows.gradient(gradient, Some(&scale)));
        let of_mean = of_mean.as_ref().map(|gradient| rows.gradient_of_mean(&of_rows(&gradient.mul(found)?)?));
        let of_variance =
            of_variance.as_ref().map(|gradient| rows.gradient_of_variance(&of_rows(&gradient.mul(found)?)?));
        match total([of_elements.transpose(), of_mean.transpose(), of_variance.transpose()])? {
            Some(sum) => exchanged(&sum),
            None => call.zeros_like(0),
        }
    })?;
    let scale = call.wanted(1, || match &of_result {
        Some(gradient) => exchanged(&gradient.mul(&rows.elements)?)?.sum_of_channels(),
        None => call.zeros_like(1),
    })?;
    Ok([x, scale, bias, running_mean, running_variance])
}

/// Statistics are inputs like any other.
fn by_given(operator: &BatchNormalization, call: &Call<'_>, dtype: DType) -> Result<[Option<Var>; 5], EagerError> {
    let gradient = call.gradient()?.cast(dtype)?;
    let rank = gradient.rank();
    let input = |input: usize| call.input(input)?.cast(dtype);
    let inverse = || input(4)?.add(f64::from(operator.epsilon))?.sqrt()?.reciprocal();
    let factor = || input(1)?.mul(&inverse()?);
    let x = call.wanted(0, || gradient.mul(&factor()?.along_channels(rank)?))?;
    let sum = if call.needs(2) || call.needs(3) { Some(gradient.sum_of_channels()?) } else { None };
    let mean = call.wanted(3, || match &sum {
        Some(sum) => sum.mul(&factor()?.neg()?),
        None => call.zeros_like(3),
    })?;
    let slope = if call.needs(1) || call.needs(4) {
        let deviation = input(0)?.sub(&input(3)?.along_channels(rank)?)?;
        Some(gradient.mul(&deviation)?.sum_of_channels()?)
    } else {
        None
    };
    let of_slope = |input: usize, factor: &dyn Fn() -> Result<Var, EagerError>| {
        call.wanted(input, || match &slope {
            Some(slope) => slope.mul(&factor()?),
            None => call.zeros_like(input),
        })
    };
    let scale = of_slope(1, &inverse)?;
    let variance = of_slope(4, &|| factor()?.mul(&inverse()?.square()?)?.mul(-0.5))?;
    let bias = if call.needs(2) { sum } else { None };
    Ok([x, scale, bias, mean, variance])
}

/// The axis of channels exchanged with that of the batch: rows are then all behind the first axis.
fn exchanged(var: &Var) -> Result<Var, EagerError> {
    if var.rank() < 2 { Ok(var.clone()) } else { var.transpose(0, 1) }
}
