//! Operators that go along a sequence and keep a state.

mod activation;
mod layer;
mod long_short_term;
mod matrix;
#[cfg(test)]
mod model;
mod recurrence;

use crate::registry::operators;

operators! {
    dynamic_quantize_lstm::DynamicQuantizeLstm,
    gru::Gru,
    lstm::Lstm,
    rnn::Rnn,
}

pub use activation::Activation;
pub use recurrence::{Direction, Recurrence};
