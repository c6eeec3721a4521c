//! Problems of recurrent layers.

use stratal_ops::{Activation, Direction, Gru, Lstm, Recurrence, Rnn};
use stratal_tensor::Tensor;

use super::problem::{Problem, integers, spread_from};

pub(super) fn add_to(problems: &mut Vec<Problem>) {
    for (index, variant) in VARIANTS.iter().enumerate() {
        let recurrence = variant.recurrence();
        problems.push(Problem::with_missing(Rnn { recurrence: recurrence.clone() }, variant.inputs(1, 6)).outputs(2));
        let gru = |linear_before_reset| Gru { recurrence: recurrence.clone(), linear_before_reset };
        problems.push(Problem::with_missing(gru(index % 2 == 0), variant.inputs(3, 6)).outputs(2));
        let lstm = |input_forget| Lstm { recurrence: recurrence.clone(), input_forget };
        problems.push(Problem::with_missing(lstm(index % 2 == 1), variant.inputs(4, 8)).outputs(3));
    }
    let plain = VARIANTS[0];
    let single = Variant { batch: 1, hidden: 1, ..PLAIN };
    // The last states alone, or the sequence alone.
    problems.push(Problem::with_missing(Lstm::default(), plain.inputs(4, 6)));
    for activation in ACTIVATIONS {
        let recurrence = Recurrence { activations: vec![activation], ..Recurrence::default() };
        problems.push(Problem::with_missing(Rnn { recurrence }, single.inputs(1, 6)).outputs(2));
    }
    let recurrence = Recurrence {
        activations: vec![Activation::Softsign, Activation::Affine { alpha: 0.5, beta: 0.1 }],
        ..Recurrence::default()
    };
    problems.push(Problem::with_missing(Gru { recurrence, linear_before_reset: false }, single.inputs(3, 6)));
    let activations = vec![Activation::Softplus, Activation::Sigmoid, Activation::ScaledTanh { alpha: 0.5, beta: 1.5 }];
    let recurrence = Recurrence { activations, ..Recurrence::default() };
    problems.push(Problem::with_missing(Lstm { recurrence, input_forget: false }, single.inputs(4, 8)).outputs(3));
}

/// What makes a difference to all layers alike.
#[derive(Debug, Clone, Copy)]
struct Variant {
    direction: Direction,
    is_batch_first: bool,
    clip: Option<f32>,
    steps: i64,
    batch: i64,
    hidden: i64,
    lengths: Option<&'static [i64]>,
    has_all_inputs: bool,
}

const PLAIN: Variant = Variant {
    direction: Direction::Forward,
    is_batch_first: false,
    clip: None,
    steps: 2,
    batch: 2,
    hidden: 2,
    lengths: None,
    has_all_inputs: true,
};

const VARIANTS: [Variant; 7] = [
    PLAIN,
    Variant { direction: Direction::Reverse, lengths: Some(&[1, 2]), hidden: 1, ..PLAIN },
    Variant { direction: Direction::Bidirectional, is_batch_first: true, lengths: Some(&[2, 0]), hidden: 1, ..PLAIN },
    Variant { has_all_inputs: false, is_batch_first: true, ..PLAIN },
    Variant { clip: Some(0.35), hidden: 1, ..PLAIN },
    Variant { steps: 0, ..PLAIN },
    Variant { steps: 1, batch: 0, ..PLAIN },
];

/// Those that no layer has by itself. None is at a kink for the numbers here.
const ACTIVATIONS: [Activation; 9] = [
    Activation::Relu,
    Activation::Affine { alpha: 0.75, beta: -0.25 },
    Activation::LeakyRelu { alpha: 0.125 },
    Activation::ThresholdedRelu { alpha: 0.25 },
    Activation::ScaledTanh { alpha: 1.5, beta: 0.5 },
    Activation::HardSigmoid { alpha: 0.25, beta: 0.5 },
    Activation::Elu { alpha: 1.5 },
    Activation::Softsign,
    Activation::Softplus,
];

impl Variant {
    fn recurrence(&self) -> Recurrence {
        let &Self { direction, clip, is_batch_first, .. } = self;
        Recurrence { direction, clip, is_batch_first, ..Recurrence::default() }
    }

    /// The inputs of a layer with so many gates, the first `count` of them.
    fn inputs(&self, gates: i64, count: usize) -> Vec<Option<Tensor>> {
        let (hidden, features) = (self.hidden, 1);
        let directions = self.direction.count() as i64;
        let turned = |[time, batch, last]: [i64; 3]| {
            if self.is_batch_first { [batch, time, last] } else { [time, batch, last] }
        };
        let state = turned([directions, self.batch, hidden]);
        let optional = |start: usize, shape: &[i64]| self.has_all_inputs.then(|| spread_from(start, shape, -0.9, 0.8));
        let all = [
            Some(spread_from(0, &turned([self.steps, self.batch, features]), -1.2, 1.2)),
            Some(spread_from(1, &[directions, gates * hidden, features], -0.8, 0.9)),
            Some(spread_from(2, &[directions, gates * hidden, hidden], -0.7, 0.8)),
            optional(3, &[directions, 2 * gates * hidden]),
            self.lengths.map(integers_32),
            optional(4, &state),
            optional(5, &state),
            optional(6, &[directions, 3 * hidden]),
        ];
        all.into_iter().take(count).collect()
    }
}

/// Lengths are i32 in ONNX.
fn integers_32(lengths: &[i64]) -> Tensor {
    integers(lengths).cast(stratal_tensor::base::DType::I32).unwrap()
}
