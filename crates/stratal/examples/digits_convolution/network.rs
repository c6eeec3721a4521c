//! The network: two convolutions with pooling, then one layer for the classes; and its training.

use stratal::Result;
use stratal::eager::{ConvOptions, CosineSchedule, PoolOptions, Warmup};
use stratal::prelude::*;

use crate::data::Images;
use crate::shuffle::{in_order, shuffled};

pub(crate) const EPOCHS: usize = 25;
const BATCH: usize = 32;

/// The network's parameters, by layer: weights and bias.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) parameters: Parameters,
    first: (Var, Var),
    second: (Var, Var),
    last: (Var, Var),
}

impl Network {
    /// With weights that a seed decides.
    pub(crate) fn new(seed: u64) -> Result<Self> {
        let mut parameters = Parameters::new();
        let mut layer = |name: &str, extents: &[i64], number: u64| -> Result<(Var, Var)> {
            let fan_in = extents[1..].iter().product::<i64>() as f64;
            let drawn = Initializer::KaimingUniform;
            let weight = drawn.parameter_with_fans(extents, DType::F32, 10 * seed + number, fan_in, 0.0)?;
            let bias = Initializer::Zeros.parameter(&extents[..1], DType::F32, 0)?;
            Ok((parameters.add(format!("{name}.weight"), weight)?, parameters.add(format!("{name}.bias"), bias)?))
        };
        let first = layer("first", &[16, 1, 3, 3], 0)?;
        let second = layer("second", &[32, 16, 3, 3], 1)?;
        let last = layer("last", &[10, 128], 2)?;
        Ok(Self { parameters, first, second, last })
    }

    /// A score for each class of each image.
    pub(crate) fn scores(&self, pixels: &Var) -> Result<Var> {
        let same = ConvOptions { padding: [1, 1], ..ConvOptions::default() };
        let stage = |x: &Var, (weight, bias): &(Var, Var)| -> Result<Var> {
            let x = x.conv2d(weight, Some(bias), same)?.relu()?;
            Ok(x.max_pool2d([2, 2], PoolOptions::default())?)
        };
        let images = pixels.reshape(&[-1, 1, 8, 8])?;
        let seen = stage(&stage(&images, &self.first)?, &self.second)?;
        Ok(seen.flatten(1, -1)?.linear(&self.last.0, Some(&self.last.1))?)
    }

    /// The class of the greatest score of each image.
    pub(crate) fn classes(&self, images: &Images) -> Result<Vec<i64>> {
        Ok(no_grad(|| self.scores(&images.pixels.clone().into()))?.arg_max(1)?.to_vec()?)
    }

    /// The mean loss of a batch. Gradients of before are forgotten, those of now collected.
    pub(crate) fn gradients(&self, pixels: &Var, classes: &Var) -> Result<f64> {
        self.parameters.clear_gradients();
        let loss = cross_entropy(&self.scores(pixels)?, classes, CrossEntropy::default())?;
        loss.backward()?;
        Ok(loss.item()?)
    }
}

/// Trains in batches, whose order a seed decides in each epoch. `after_epoch` is told its number, from 1, and its mean loss.
pub(crate) fn train(
    network: &Network,
    images: &Images,
    seed: u64,
    mut after_epoch: impl FnMut(usize, f64) -> Result<()>,
) -> Result<()> {
    let mut optimizer = AdamW::new(network.parameters.clone(), 0.0);
    let steps = (EPOCHS * images.len().div_ceil(BATCH)) as u64;
    let schedule = Warmup { steps: 20, then: CosineSchedule { first: 5e-3, last: 0.0, steps: steps - 20 } };
    let mut step = 0;
    for epoch in 0..EPOCHS {
        let images = in_order(images, &shuffled(images.len(), seed << 32 | epoch as u64))?;
        let mut losses = Vec::new();
        for batch in images.batches(BATCH) {
            let (pixels, classes) = batch?;
            optimizer.set_rate(schedule.rate(step));
            losses.push(network.gradients(&pixels, &classes)?);
            optimizer.step()?;
            step += 1;
        }
        after_epoch(epoch + 1, losses.iter().sum::<f64>() / losses.len() as f64)?;
    }
    Ok(())
}
