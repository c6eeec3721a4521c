//! Operators that make tensors: constants, ranges, random numbers, windows.

pub(crate) mod fill;
mod random;
mod window;

pub(crate) use fill::fill;
pub(crate) use random::uniform;

use crate::registry::operators;

operators! {
    bernoulli::Bernoulli,
    blackman_window::BlackmanWindow,
    constant::Constant,
    constant_of_shape::ConstantOfShape,
    eye_like::EyeLike,
    hamming_window::HammingWindow,
    hann_window::HannWindow,
    mel_weight_matrix::MelWeightMatrix,
    multinomial::Multinomial,
    random_normal::RandomNormal,
    random_normal_like::RandomNormalLike,
    random_uniform::RandomUniform,
    random_uniform_like::RandomUniformLike,
    range::Range,
}
