//! Derivatives of operators that make tensors.

use super::derivatives;

derivatives! {
    eye_like::EyeLike,
    random_normal_like::RandomNormalLike,
    random_uniform_like::RandomUniformLike,
    range::Range,
}
