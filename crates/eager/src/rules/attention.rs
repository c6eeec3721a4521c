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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stratal_ops::{Attention, AttentionScores, CausalConvWithState, FlexAttention};
    use stratal_tensor::Tensor;
    use stratal_tensor_base::Bool;

    use crate::composed::{check, random};

    fn stage() -> impl Strategy<Value = AttentionScores> {
        use AttentionScores::{Capped, Masked, Products, Shares};
        prop_oneof![Just(Products), Just(Capped), Just(Masked), Just(Shares)]
    }

    proptest! {
        #[test]
        fn attention_is_what_it_is_composed_of(
            [batch, heads, group, queries, keys, past] in [1_i64..3, 1_i64..3, 1_i64..3, 0_i64..4, 0_i64..5, 0_i64..3],
            [size, size_of_values] in [1_i64..4, 1_i64..4],
            scale in proptest::option::of(0.2_f32..2.0),
            softcap in prop_oneof![Just(0.0_f32), Just(1.25)],
            is_causal: bool,
            [left_window_size, right_window_size] in [proptest::option::of(0_usize..3), proptest::option::of(0_usize..3)],
            scores in stage(),
            [is_flat, has_lengths] in [any::<bool>(), any::<bool>()],
            [kind_of_mask, shorter] in [0_i64..3, 0_i64..3],
        ) {
            let past = if has_lengths { 0 } else { past };
            let shape = |heads: i64, sequence: i64, size: i64| {
                if is_flat { vec![batch, sequence, heads * size] } else { vec![batch, heads, sequence, size] }
            };
            let length = (past + keys - shorter).max(0);
            let mask = [heads * group, queries, length];
            let mask = match kind_of_mask {
                0 => None,
                1 => Some(masked(&mask, Bool::TRUE, Bool::FALSE)),
                _ => Some(masked(&mask, 0.25, f64::NEG_INFINITY)),
            };
            let lengths: Vec<i64> = (0..batch).map(|index| (index + 2) % (keys + 1)).collect();
            let attention = Attention {
                q_num_heads: Some((heads * group) as usize),
                kv_num_heads: Some(heads as usize),
                scale,
                softcap,
                is_causal,
                left_window_size,
                right_window_size,
                softmax_precision: None,
                scores,
            };
            let inputs = [
                Some(random(0, &shape(heads * group, queries, size))),
                Some(random(1, &shape(heads, keys, size))),
                Some(random(2, &shape(heads, keys, size_of_values))),
                mask,
                (past > 0).then(|| random(3, &[batch, heads, past, size])),
                (past > 0).then(|| random(4, &[batch, heads, past, size_of_values])),
                has_lengths.then(|| Tensor::from_slice(&lengths, &[batch]).unwrap()),
            ];
            check(&attention, &inputs, 4);
            if !is_flat {
                check(&FlexAttention { scale, softmax_precision: None }, &inputs[..3], 1);
            }
        }

        #[test]
        fn a_convolution_is_what_it_is_composed_of(
            [batch, channels, length, size] in [1_i64..3, 1_i64..4, 0_i64..5, 1_i64..4],
            [has_bias, has_state, silu] in [any::<bool>(), any::<bool>(), any::<bool>()],
        ) {
            let inputs = [
                Some(random(0, &[batch, channels, length])),
                Some(random(1, &[channels, 1, size])),
                has_bias.then(|| random(2, &[channels])),
                has_state.then(|| random(3, &[batch, channels, size - 1])),
            ];
            check(&CausalConvWithState { silu }, &inputs, 2);
        }
    }

    /// A mask of two elements, without a pattern.
    fn masked<T: stratal_tensor_base::Element>(shape: &[i64], seen: T, excluded: T) -> Tensor {
        let count = shape.iter().product::<i64>() as usize;
        let element = |place: usize| if place * 7 % 5 < 3 { seen } else { excluded };
        Tensor::from_vec((0..count).map(element).collect::<Vec<_>>(), shape).unwrap()
    }
}
