//! Problems of attention.

use stratal_ops::{
    Attention, AttentionScores, CausalConvWithState, FlexAttention, LinearAttention, RotaryEmbedding, UpdateRule,
};
use stratal_tensor::Tensor;
use stratal_tensor::base::{Bool, DType};

use super::problem::{Problem, integers, spread_from};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    add_multi_head(problems);
    add_flex(problems);
    add_rotary(problems);
    add_linear(problems);
    add_causal_convolution(problems);
}

fn numbers(start: usize, shape: &[i64]) -> Tensor {
    spread_from(start, shape, -1.1, 1.2)
}

fn truths(elements: &[bool], shape: &[i64]) -> Tensor {
    let elements: Vec<Bool> = elements.iter().map(|&element| element.into()).collect();
    Tensor::from_vec(elements, shape).unwrap()
}

/// Queries, keys and values.
fn operands([queries, keys, values]: [&[i64]; 3]) -> Vec<Option<Tensor>> {
    vec![Some(numbers(0, queries)), Some(numbers(1, keys)), Some(numbers(2, values))]
}

fn with(mut inputs: Vec<Option<Tensor>>, more: impl IntoIterator<Item = Option<Tensor>>) -> Vec<Option<Tensor>> {
    inputs.extend(more);
    inputs
}

fn add_multi_head(problems: &mut Vec<Problem>) {
    let plain = Attention::default();
    let small: [&[i64]; 3] = [&[1, 2, 2, 2], &[1, 2, 3, 2], &[1, 2, 3, 1]];
    let add = |attention: &Attention, inputs: Vec<Option<Tensor>>| Problem::with_missing(attention.clone(), inputs);

    // Both layouts, and heads that share keys.
    problems.push(add(&plain, operands(small)).outputs(3));
    let grouped = Attention { q_num_heads: Some(2), kv_num_heads: Some(1), is_causal: true, ..plain.clone() };
    problems.push(add(&grouped, operands([&[2, 2, 4], &[2, 2, 2], &[2, 2, 1]])).outputs(3));
    let scaled = Attention { scale: Some(0.75), softcap: 1.5, ..plain.clone() };
    problems.push(add(&scaled, operands([&[1, 2, 2, 1], &[1, 1, 2, 1], &[1, 1, 2, 2]])));
    for shapes in [
        [&[1, 2, 0, 2], &[1, 2, 3, 2], &[1, 2, 3, 1]],
        [&[1, 2, 2, 2], &[1, 2, 0, 2], &[1, 2, 0, 1]],
        [&[0, 2, 2, 2], &[0, 2, 3, 2], &[0, 2, 3, 1]],
        [&[1, 1, 2, 2], &[1, 1, 3, 2], &[1, 1, 3, 0]],
    ] {
        problems.push(add(&plain, operands(shapes.map(|shape: &[i64; 4]| &shape[..]))));
    }

    // Masks: of numbers, some of which exclude; of truths, with a query that sees nothing; fewer than keys.
    problems.push(add(&plain, with(operands(small), [Some(numbers(3, &[2, 3]))])));
    problems.push(add(&plain, with(operands(small), [Some(numbers(3, &[2, 1, 2]))])));
    let infinite = Tensor::from_slice(&[0.5, f64::NEG_INFINITY, -0.25], &[3]).unwrap();
    problems.push(add(&plain, with(operands(small), [Some(infinite)])).constant(3));
    let some = truths(&[true, false, true, false, false, false], &[2, 3]);
    problems.push(add(&plain, with(operands(small), [Some(some)])));
    problems.push(add(
        &grouped,
        with(operands([&[1, 2, 4], &[1, 3, 2], &[1, 3, 1]]), [Some(truths(&[true; 4], &[1, 2, 2]))]),
    ));

    // What is before and behind.
    let past = |keys: &[i64], values: &[i64]| [None, Some(numbers(4, keys)), Some(numbers(5, values))];
    let windows = Attention { left_window_size: Some(1), right_window_size: Some(1), ..plain.clone() };
    let inputs = operands([&[1, 1, 3, 1], &[1, 1, 3, 1], &[1, 1, 3, 2]]);
    problems.push(add(&windows, with(inputs, past(&[1, 1, 2, 1], &[1, 1, 2, 2]))).outputs(3));
    let causal = Attention { is_causal: true, ..plain.clone() };
    let lengths = || [None, None, None, Some(integers(&[3, 1]))];
    let batches = || operands([&[2, 1, 2, 2], &[2, 1, 3, 2], &[2, 1, 3, 1]]);
    problems.push(add(&causal, with(batches(), lengths())));

    // Scores of all stages.
    for scores in [AttentionScores::Products, AttentionScores::Capped, AttentionScores::Masked, AttentionScores::Shares]
    {
        let shown = Attention { softcap: 1.5, scores, ..plain.clone() };
        problems.push(add(&shown, with(operands(small), [Some(numbers(3, &[1, 3]))])).outputs(4));
    }
    for scores in [AttentionScores::Products, AttentionScores::Capped, AttentionScores::Shares] {
        let shown = Attention { softcap: 1.5, scores, ..causal.clone() };
        problems.push(add(&shown, with(batches(), lengths())).outputs(4));
    }
    let narrow = Attention { softmax_precision: Some(DType::F32), ..plain };
    problems.push(add(&narrow, operands(small)).step(1e-2).tolerance(1e-3, 1e-3));
}

fn add_flex(problems: &mut Vec<Problem>) {
    let plain = FlexAttention::default();
    let scaled = FlexAttention { scale: Some(1.25), softmax_precision: Some(DType::F64) };
    problems.push(Problem::with_missing(plain, operands([&[1, 2, 2, 2], &[1, 1, 3, 2], &[1, 1, 3, 1]])));
    problems.push(Problem::with_missing(scaled, operands([&[2, 1, 1, 2], &[2, 1, 2, 2], &[2, 1, 2, 2]])));
    problems.push(Problem::with_missing(plain, operands([&[1, 1, 2, 2], &[1, 1, 0, 2], &[1, 1, 0, 1]])));
}

fn add_rotary(problems: &mut Vec<Problem>) {
    for interleaved in [false, true] {
        let all = RotaryEmbedding { interleaved, ..RotaryEmbedding::default() };
        problems.push(Problem::new(all, [numbers(0, &[2, 2, 2, 4]), numbers(1, &[2, 2, 2]), numbers(2, &[2, 2, 2])]));
        let some = RotaryEmbedding { num_heads: Some(2), rotary_embedding_dim: Some(4), interleaved };
        let places = Tensor::from_slice(&[2_i64, 0, 2], &[1, 3]).unwrap();
        let inputs = [numbers(0, &[1, 3, 10]), numbers(1, &[3, 2]), numbers(2, &[3, 2]), places];
        problems.push(Problem::new(some, inputs.clone()));
        problems.push(Problem::new(some, inputs).constant(1).constant(2));
        problems.push(Problem::new(all, [numbers(0, &[1, 0, 2, 4]), numbers(1, &[1, 2, 2]), numbers(2, &[1, 2, 2])]));
    }
}

fn add_linear(problems: &mut Vec<Problem>) {
    let rules = [UpdateRule::Linear, UpdateRule::Gated, UpdateRule::Delta, UpdateRule::GatedDelta];
    for (index, update_rule) in rules.into_iter().enumerate() {
        let has_decay = matches!(update_rule, UpdateRule::Gated | UpdateRule::GatedDelta);
        let has_rate = matches!(update_rule, UpdateRule::Delta | UpdateRule::GatedDelta);
        let state = (index % 2 == 0).then(|| numbers(3, &[1, 2, 2, 1]));
        // A gate for each head or each feature, a rate for each head or for all.
        let decay = has_decay.then(|| spread_from(4, &[1, 2, if has_rate { 2 } else { 4 }], -0.8, 0.2));
        let rate = has_rate.then(|| spread_from(5, &[1, 2, if has_decay { 2 } else { 1 }], 0.2, 0.9));
        let operator = LinearAttention { q_num_heads: 4, kv_num_heads: 2, scale: 0.0, update_rule };
        let inputs = with(operands([&[1, 2, 8], &[1, 2, 4], &[1, 2, 2]]), [state, decay, rate]);
        problems.push(Problem::with_missing(operator, inputs).outputs(2).in_single());
    }
    let operator = LinearAttention { q_num_heads: 1, kv_num_heads: 1, scale: 0.5, update_rule: UpdateRule::Linear };
    let none = with(operands([&[1, 0, 2], &[1, 0, 2], &[1, 0, 3]]), [Some(numbers(3, &[1, 1, 2, 3]))]);
    problems.push(Problem::with_missing(operator, none).outputs(2).in_single());
}

fn add_causal_convolution(problems: &mut Vec<Problem>) {
    for (length, size) in [(4, 3), (2, 3), (3, 1), (0, 2)] {
        for silu in [false, true] {
            let operands = || [Some(numbers(0, &[2, 2, length])), Some(numbers(1, &[2, 1, size]))];
            let more = [Some(numbers(2, &[2])), Some(numbers(3, &[2, 2, size - 1]))];
            let operator = CausalConvWithState { silu };
            problems.push(Problem::with_missing(operator, operands().into_iter().chain(more)).outputs(2));
            problems.push(Problem::with_missing(operator, operands()));
        }
    }
}
