//! Derivatives of recurrent layers.

mod activation;
mod layer;

use super::derivatives;

derivatives! {
    gru::Gru,
    lstm::Lstm,
    rnn::Rnn,
}
