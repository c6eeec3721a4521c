//! Softmax and its like.

use stratal_ops as ops;

use crate::{EagerError, Var, apply};

impl Var {
    /// Shares that add up to 1 along an axis, in proportion to exponentials.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for an axis that does not exist.
    pub fn softmax(&self, axis: i64) -> Result<Self, EagerError> {
        apply(&ops::Softmax { axis }, &[Some(self)])
    }

    /// The logarithm of [`softmax`](Self::softmax), without its loss of small ones.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for an axis that does not exist.
    pub fn log_softmax(&self, axis: i64) -> Result<Self, EagerError> {
        apply(&ops::LogSoftmax { axis }, &[Some(self)])
    }

    /// The elements along an axis and all behind it with mean 0 and variance 1, times a scale, plus a bias, which broadcast.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for an axis that does not exist, or what does not broadcast.
    pub fn layer_norm(&self, axis: i64, scale: &Self, bias: Option<&Self>, epsilon: f32) -> Result<Self, EagerError> {
        let operator = ops::LayerNormalization { axis, epsilon, ..ops::LayerNormalization::default() };
        match bias {
            Some(bias) => apply(&operator, &[Some(self), Some(scale), Some(bias)]),
            None => apply(&operator, &[Some(self), Some(scale)]),
        }
    }

    /// The elements along an axis and all behind it with a mean square of 1, times a scale, which broadcasts.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for an axis that does not exist, or a scale that does not broadcast.
    pub fn rms_norm(&self, axis: i64, scale: &Self, epsilon: f32) -> Result<Self, EagerError> {
        let operator = ops::RMSNormalization { axis, epsilon, ..ops::RMSNormalization::default() };
        apply(&operator, &[Some(self), Some(scale)])
    }

    /// Channels, which the second axis counts, with mean 0 and variance 1 over the batch, times a scale, plus a bias; and the next
    /// running mean and variance, of which `momentum` is kept. These have no gradient.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for vectors that have not one element for each channel.
    pub fn batch_norm(
        &self,
        [scale, bias]: [&Self; 2],
        running: [&Self; 2],
        momentum: f32,
        epsilon: f32,
    ) -> Result<(Self, [Self; 2]), EagerError> {
        let operator = ops::BatchNormalization { epsilon, momentum, training_mode: true };
        let [mean, variance] = running.map(Self::detach);
        let inputs = [self, scale, bias, &mean, &variance].map(Some);
        let mut outputs = crate::apply_outputs(&operator, &inputs, 3)?.into_iter();
        match (outputs.next(), outputs.next(), outputs.next()) {
            (Some(result), Some(mean), Some(variance)) => Ok((result, [mean.detach(), variance.detach()])),
            _ => Err(EagerError::Unfit("a batch without running averages".into())),
        }
    }

    /// Channels, which the second axis counts, normalised by a mean and a variance that are given, times a scale, plus a bias.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for vectors that have not one element for each channel.
    pub fn batch_norm_by(
        &self,
        [scale, bias]: [&Self; 2],
        [mean, variance]: [&Self; 2],
        epsilon: f32,
    ) -> Result<Self, EagerError> {
        let operator = ops::BatchNormalization { epsilon, ..ops::BatchNormalization::default() };
        apply(&operator, &[self, scale, bias, mean, variance].map(Some))
    }

    /// Groups of channels of each image with mean 0 and variance 1, times a scale, plus a bias, one of each for every channel.
    ///
    /// # Errors
    /// [`EagerError::Operator`] for channels that do not make so many groups.
    pub fn group_norm(&self, groups: i64, scale: &Self, bias: &Self, epsilon: f32) -> Result<Self, EagerError> {
        let stash_dtype = stratal_tensor_base::DType::F32;
        let operator = ops::GroupNormalization { num_groups: groups, epsilon, stash_dtype };
        apply(&operator, &[Some(self), Some(scale), Some(bias)])
    }
}
