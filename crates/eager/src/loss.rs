//! Losses: how far predictions are from what was to be predicted.
//!
//! ```
//! use stratal_eager::{Var, loss};
//!
//! let scores = Var::leaf(&[2.0_f32, 0.0, 0.0, 2.0], &[2, 2])?;
//! let classes = Var::from_slice(&[0_i64, 1], &[2])?;
//! let loss = loss::cross_entropy(&scores, &classes, loss::CrossEntropy::default())?;
//! loss.backward()?;
//! assert!((loss.item()? - 0.126_928).abs() < 1e-6);
//! # Ok::<(), stratal_eager::EagerError>(())
//! ```

pub use stratal_ops::LossReduction;
use stratal_ops::SoftmaxCrossEntropyLoss;

use crate::rules::loss::{Samples, reduced};
use crate::{EagerError, Var, apply, apply_outputs};

/// What [`cross_entropy`] may be told beside scores and classes.
#[derive(Debug, Clone, Copy, Default)]
pub struct CrossEntropy<'a> {
    /// A weight for each class. Without them all count alike.
    pub weights: Option<&'a Var>,
    /// The class of samples that do not count; it need not be one that there is.
    pub ignore_index: Option<i64>,
    /// Which part of a sample's weight goes to all classes in equal parts, from 0 to 1.
    pub label_smoothing: f64,
    /// What is made of the losses of all samples. The mean is weighted.
    pub reduction: LossReduction,
}

/// The cross entropy of scores `[N, C, ..]` and the class of each sample, `[N, ..]`: how unlikely the classes are by the scores.
///
/// A mean without a sample that counts is NaN.
///
/// # Errors
/// [`EagerError::Operator`] when shapes do not fit, or for a class that there is not; [`EagerError::Unfit`] for a smoothing that is
/// no share.
pub fn cross_entropy(scores: &Var, classes: &Var, options: CrossEntropy<'_>) -> Result<Var, EagerError> {
    let CrossEntropy { weights, ignore_index, label_smoothing, reduction } = options;
    let inputs = [Some(scores), Some(classes), weights];
    let inputs = if weights.is_some() { &inputs[..] } else { &inputs[..2] };
    if label_smoothing == 0.0 {
        return apply(&SoftmaxCrossEntropyLoss { reduction, ignore_index }, inputs);
    }
    if !(0.0..=1.0).contains(&label_smoothing) {
        return Err(EagerError::Unfit(format!("label smoothing is {label_smoothing}: expected a share from 0 to 1")));
    }
    let each = SoftmaxCrossEntropyLoss { reduction: LossReduction::None, ignore_index };
    let [losses, logarithms] = apply_outputs(&each, inputs, 2)?.try_into().map_err(|_| unfit())?;
    let samples = Samples::of(classes, scores.extent(1)?, ignore_index)?;
    let weighted = match weights {
        Some(weights) => logarithms.mul(&weights.along_channels(scores.rank())?)?,
        None => logarithms,
    };
    let of_all = samples.counted(weighted.mean(&[1], true)?)?.squeeze(&[1])?.mul(-label_smoothing)?;
    let losses = losses.mul(1.0 - label_smoothing)?.add(&of_all)?;
    reduced(reduction, &losses, &samples.weights(weights, scores.dtype())?)
}

fn unfit() -> EagerError {
    EagerError::Unfit("a loss without logarithms".into())
}

/// The mean squared error, or the sum or each of the squares.
///
/// ```
/// use stratal_eager::{Var, loss};
///
/// let (prediction, target) = (Var::leaf(&[1.0_f32, 4.0], &[2])?, Var::from_slice(&[0.0_f32, 2.0], &[2])?);
/// assert_eq!(loss::mse(&prediction, &target, loss::LossReduction::Mean)?.item()?, 2.5);
/// # Ok::<(), stratal_eager::EagerError>(())
/// ```
///
/// # Errors
/// [`EagerError::Operator`] when the two do not fit.
pub fn mse(prediction: &Var, target: &Var, reduction: LossReduction) -> Result<Var, EagerError> {
    of_all(prediction.sub(target)?.square()?, reduction)
}

/// The binary cross entropy of scores, of which [`Var::sigmoid`] makes probabilities, and targets from 0 to 1.
///
/// No score is too large: nothing overflows on the way, and small losses keep their digits.
///
/// ```
/// use stratal_eager::{Var, loss};
///
/// let (scores, targets) = (Var::leaf(&[500.0_f32, -500.0], &[2])?, Var::from_slice(&[0.0_f32, 0.0], &[2])?);
/// let losses = loss::bce_with_logits(&scores, &targets, loss::LossReduction::None)?;
/// assert_eq!(losses.to_vec::<f32>()?, [500.0, 0.0]);
/// # Ok::<(), stratal_eager::EagerError>(())
/// ```
///
/// # Errors
/// [`EagerError::Operator`] when the two do not fit.
pub fn bce_with_logits(scores: &Var, targets: &Var, reduction: LossReduction) -> Result<Var, EagerError> {
    let (if_true, if_false) = (scores.neg()?.softplus()?, scores.softplus()?);
    of_all(targets.mul(&if_true)?.add(&targets.neg()?.add(1.0)?.mul(&if_false)?)?, reduction)
}

/// The Huber loss: half of the square of a difference up to `delta`, and a line with the slope `delta` beyond.
///
/// ```
/// use stratal_eager::{Var, loss};
///
/// let (prediction, target) = (Var::leaf(&[0.5_f32, -3.0], &[2])?, Var::from_slice(&[0.0_f32, 0.0], &[2])?);
/// let losses = loss::huber(&prediction, &target, 1.0, loss::LossReduction::None)?;
/// assert_eq!(losses.to_vec::<f32>()?, [0.125, 2.5]);
/// # Ok::<(), stratal_eager::EagerError>(())
/// ```
///
/// # Errors
/// [`EagerError::Operator`] when the two do not fit, [`EagerError::Unfit`] unless `delta` is greater than 0.
pub fn huber(prediction: &Var, target: &Var, delta: f64, reduction: LossReduction) -> Result<Var, EagerError> {
    if delta.is_nan() || delta <= 0.0 {
        return Err(EagerError::Unfit(format!("delta is {delta}: expected one greater than 0")));
    }
    let difference = prediction.sub(target)?;
    let within = difference.clip(-delta, delta)?;
    of_all(within.mul(&difference.sub(&within.mul(0.5)?)?)?, reduction)
}

fn of_all(losses: Var, reduction: LossReduction) -> Result<Var, EagerError> {
    match reduction {
        LossReduction::Mean => losses.mean(&[], false),
        LossReduction::Sum => losses.sum(&[], false),
        LossReduction::None => Ok(losses),
    }
}
