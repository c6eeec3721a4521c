//! Derivatives of softmax and of normalisations.

use super::derivatives;

derivatives! {
    softmax::Softmax,
}
