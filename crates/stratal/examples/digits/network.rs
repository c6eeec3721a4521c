//! The network: 64 pixels, 32 units of tanh, 10 classes; and what its training is.

use stratal::Result;
use stratal::prelude::*;

use crate::data::{Images, mixed};

/// The network's parameters.
#[derive(Debug, Clone)]
pub(crate) struct Network {
    pub(crate) parameters: Parameters,
    weights: [Var; 2],
    biases: [Var; 2],
}

impl Network {
    /// With the weights that the reference begins with: evenly up to `1 / sqrt(inputs)`, from seeds 11 and 13; no biases.
    pub(crate) fn new(dtype: DType) -> Result<Self> {
        let mut parameters = Parameters::new();
        let mut layer = |name: &str, inputs: usize, outputs: usize, seed: u64| -> Result<(Var, Var)> {
            let weight = Var::parameter(even(seed, inputs, outputs)?.cast(dtype)?)?;
            let bias = Var::parameter(Tensor::zeros(&[outputs as i64], dtype)?)?;
            Ok((parameters.add(format!("{name}.weight"), weight)?, parameters.add(format!("{name}.bias"), bias)?))
        };
        let (first, first_bias) = layer("first", 64, 32, 11)?;
        let (second, second_bias) = layer("second", 32, 10, 13)?;
        Ok(Self { parameters, weights: [first, second], biases: [first_bias, second_bias] })
    }

    /// A score for each class of each image.
    pub(crate) fn scores(&self, pixels: &Var) -> Result<Var> {
        let [first, second] = &self.weights;
        let [first_bias, second_bias] = &self.biases;
        let hidden = pixels.matmul(first)?.add(first_bias)?.tanh()?;
        Ok(hidden.matmul(second)?.add(second_bias)?)
    }

    /// The mean loss of a batch. Gradients of before are forgotten, those of now collected.
    pub(crate) fn gradients(&self, pixels: &Var, classes: &Var) -> Result<f64> {
        self.parameters.clear_gradients();
        let loss = cross_entropy(&self.scores(pixels)?, classes, CrossEntropy::default())?;
        loss.backward()?;
        Ok(loss.item()?)
    }

    /// The class of the greatest score of each image.
    pub(crate) fn classes(&self, images: &Images) -> Result<Vec<i64>> {
        Ok(no_grad(|| self.scores(&images.pixels.clone().into()))?.arg_max(1)?.to_vec()?)
    }

    /// How many images it recognises, of one.
    pub(crate) fn accuracy(&self, images: &Images) -> Result<f64> {
        accuracy(&self.classes(images)?, images)
    }
}

/// How many classes are right, of one.
pub(crate) fn accuracy(classes: &[i64], images: &Images) -> Result<f64> {
    let right = images.classes.to_vec::<i64>()?.iter().zip(classes).filter(|(is, found)| is == found).count();
    Ok(right as f64 / images.len() as f64)
}

/// A way to train.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recipe {
    /// 200 steps down the gradient of all images.
    FullBatch,
    /// 20 epochs of batches of 32 in file order, momentum 0.9.
    Momentum,
    /// 10 epochs of the same batches, with Adam.
    Adam,
}

impl Recipe {
    pub(crate) const ALL: [Self; 3] = [Self::FullBatch, Self::Momentum, Self::Adam];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::FullBatch => "full-batch",
            Self::Momentum => "sgd",
            Self::Adam => "adam",
        }
    }

    pub(crate) const fn epochs(self) -> usize {
        match self {
            Self::FullBatch => 200,
            Self::Momentum => 20,
            Self::Adam => 10,
        }
    }

    pub(crate) const fn batch_size(self) -> usize {
        if matches!(self, Self::FullBatch) { usize::MAX } else { 32 }
    }

    pub(crate) fn optimizer(self, parameters: Parameters) -> Box<dyn Optimizer> {
        match self {
            Self::FullBatch => Box::new(Sgd::new(parameters, 1.0)),
            Self::Momentum => Box::new(Sgd::new(parameters, 0.1).momentum(0.9)),
            Self::Adam => Box::new(Adam::new(parameters, 1e-3)),
        }
    }
}

/// One epoch: a step for each batch. Returns the mean of their losses, each from before its step.
pub(crate) fn epoch(
    network: &Network,
    images: &Images,
    optimizer: &mut dyn Optimizer,
    batch_size: usize,
    mut after_step: impl FnMut(),
) -> Result<f64> {
    let mut losses = Vec::new();
    for batch in images.batches(batch_size.min(images.len())) {
        let (pixels, classes) = batch?;
        losses.push(network.gradients(&pixels, &classes)?);
        optimizer.step()?;
        after_step();
    }
    Ok(losses.iter().sum::<f64>() / losses.len() as f64)
}

/// A matrix of numbers spread evenly up to `1 / sqrt(rows)`: the top 24 bits of SplitMix64, so that any language can make it.
fn even(seed: u64, rows: usize, columns: usize) -> Result<Tensor> {
    let bound = (rows as f64).powf(-0.5);
    let number = |index: u64| {
        let random = mixed(seed.wrapping_add((index + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        -bound + (bound - -bound) * (random >> 40) as f64 / f64::from(1 << 24)
    };
    Ok(Tensor::from_vec((0..(rows * columns) as u64).map(number).collect(), &[rows as i64, columns as i64])?)
}
