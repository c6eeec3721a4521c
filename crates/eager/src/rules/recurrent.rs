//! Derivatives of recurrent layers.

mod activation;
mod layer;

use super::derivatives;

derivatives! {
    gru::Gru,
    lstm::Lstm,
    rnn::Rnn,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stratal_ops::{Activation, Direction, Gru, Lstm, Recurrence, Rnn};
    use stratal_tensor::Tensor;

    use crate::composed::{check, random};

    fn activation() -> impl Strategy<Value = Activation> {
        let (alpha, beta) = (0.75, 0.25);
        prop_oneof![
            Just(Activation::Relu),
            Just(Activation::Tanh),
            Just(Activation::Sigmoid),
            Just(Activation::Affine { alpha, beta }),
            Just(Activation::LeakyRelu { alpha }),
            Just(Activation::ThresholdedRelu { alpha: 0.1 }),
            Just(Activation::ScaledTanh { alpha, beta }),
            Just(Activation::HardSigmoid { alpha, beta }),
            Just(Activation::Elu { alpha }),
            Just(Activation::Softsign),
            Just(Activation::Softplus),
        ]
    }

    proptest! {
        #[test]
        fn layers_are_what_they_are_composed_of(
            direction in prop_oneof![Just(Direction::Forward), Just(Direction::Reverse), Just(Direction::Bidirectional)],
            activations in proptest::collection::vec(activation(), 6),
            has_activations: bool,
            clip in proptest::option::of(0.1_f32..0.9),
            is_batch_first: bool,
            [steps, batch, features, hidden] in [0_i64..4, 1_i64..4, 1_i64..3, 1_i64..4],
            given in [any::<bool>(); 5],
            flag: bool,
        ) {
            let directions = direction.count() as i64;
            let recurrence = |functions: i64| {
                let all = activations.iter().take((functions * directions) as usize).copied();
                let activations = if has_activations { all.collect() } else { Vec::new() };
                Recurrence { direction, activations, clip, is_batch_first, hidden_size: None }
            };
            let turned =
                |time: i64, last: i64| if is_batch_first { [batch, time, last] } else { [time, batch, last] };
            let lengths: Vec<i64> = (0..batch).map(|sequence| (2 * sequence + 1) % (steps + 1)).collect();
            let inputs = |gates: i64| {
                let state = turned(directions, hidden);
                [
                    Some(random(0, &turned(steps, features))),
                    Some(random(1, &[directions, gates * hidden, features])),
                    Some(random(2, &[directions, gates * hidden, hidden])),
                    given[0].then(|| random(3, &[directions, 2 * gates * hidden])),
                    given[1].then(|| Tensor::from_slice(&lengths, &[batch]).unwrap()),
                    given[2].then(|| random(4, &state)),
                    given[3].then(|| random(5, &state)),
                    given[4].then(|| random(6, &[directions, 3 * hidden])),
                ]
            };
            check(&Rnn { recurrence: recurrence(1) }, &inputs(1)[..6], 2);
            check(&Gru { recurrence: recurrence(2), linear_before_reset: flag }, &inputs(3)[..6], 2);
            check(&Lstm { recurrence: recurrence(3), input_forget: flag }, &inputs(4), 3);
        }
    }
}
