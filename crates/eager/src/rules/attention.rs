//! Derivatives of attention.

mod scaled_dot_product;
mod seen;

use super::derivatives;

derivatives! {
    causal_conv_with_state::CausalConvWithState,
    flex_attention::FlexAttention as "ai.onnx.preview.FlexAttention",
    linear_attention::LinearAttention,
    multi_head::Attention,
    rotary_embedding::RotaryEmbedding,
}
