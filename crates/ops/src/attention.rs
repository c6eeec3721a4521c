//! Operators of transformers.

mod heads;
mod masking;
#[cfg(test)]
mod model;
mod scaled_dot_product;

use crate::registry::operators;

operators! {
    causal_conv_with_state::CausalConvWithState,
    flex_attention::FlexAttention,
    linear_attention::LinearAttention,
    multi_head::Attention,
    rotary_embedding::RotaryEmbedding,
}

pub use linear_attention::UpdateRule;
pub use multi_head::AttentionScores;
