//! Operators that put rows on one scale: softmax, normalisations.

use crate::registry::operators;

operators! {
    softmax::Softmax,
}
