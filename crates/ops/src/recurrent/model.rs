//! Recurrent layers element by element, as their equations are written, and the operators compared with that.

use proptest::prelude::*;
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, bf16, f16};

use super::{Activation, Direction, DynamicQuantizeLstm, Gru, Lstm, Recurrence, Rnn};
use crate::{Context, Extent, Fact, Operator, SymbolicShape, infer};

/// The extents of all problems.
const STEPS: usize = 3;
const BATCH: usize = 2;
const FEATURES: usize = 2;
const HIDDEN: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Rnn,
    Gru { linear_before_reset: bool },
    Lstm { input_forget: bool },
}

impl Kind {
    fn gates(self) -> usize {
        match self {
            Self::Rnn => 1,
            Self::Gru { .. } => 3,
            Self::Lstm { .. } => 4,
        }
    }
}

/// A layer with all of its operands, row-major in ONNX's layout 0.
#[derive(Debug, Clone)]
struct Problem {
    kind: Kind,
    direction: Direction,
    clip: Option<f32>,
    lengths: Option<[i32; BATCH]>,
    x: Vec<f64>,
    w: Vec<f64>,
    r: Vec<f64>,
    bias: Option<Vec<f64>>,
    hidden: Option<Vec<f64>>,
    cell: Option<Vec<f64>>,
    peepholes: Option<Vec<f64>>,
}

/// The states behind all steps, the last state and the last cell.
#[derive(Debug, PartialEq)]
struct Results {
    sequence: Vec<f64>,
    hidden: Vec<f64>,
    cell: Vec<f64>,
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

impl Problem {
    fn directions(&self) -> usize {
        self.direction.count()
    }

    fn results(&self) -> Results {
        let directions = self.directions();
        let states = directions * BATCH * HIDDEN;
        let mut results = Results {
            sequence: vec![0.0; STEPS * states],
            hidden: self.hidden.clone().unwrap_or(vec![0.0; states]),
            cell: self.cell.clone().unwrap_or(vec![0.0; states]),
        };
        for direction in 0..directions {
            for batch in 0..BATCH {
                let length = self.lengths.map_or(STEPS, |lengths| lengths[batch] as usize);
                let mut times: Vec<_> = (0..length).collect();
                if self.direction.is_reverse(direction) {
                    times.reverse();
                }
                let at = (direction * BATCH + batch) * HIDDEN;
                for time in times {
                    let old = results.hidden[at..at + HIDDEN].to_vec();
                    let cell = results.cell[at..at + HIDDEN].to_vec();
                    let (new, cell) =
                        self.step(direction, &self.x[(time * BATCH + batch) * FEATURES..][..FEATURES], &old, &cell);
                    results.hidden[at..at + HIDDEN].copy_from_slice(&new);
                    results.cell[at..at + HIDDEN].copy_from_slice(&cell);
                    let shown = ((time * directions + direction) * BATCH + batch) * HIDDEN;
                    results.sequence[shown..shown + HIDDEN].copy_from_slice(&new);
                }
            }
        }
        results
    }

    fn step(&self, direction: usize, x: &[f64], old: &[f64], cell: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let gates = self.kind.gates();
        let row = |gate: usize, index: usize| direction * gates * HIDDEN + gate * HIDDEN + index;
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let of_input = |gate, index| dot(&self.w[row(gate, index) * FEATURES..][..FEATURES], x);
        let of_state = |gate, index, state: &[f64]| dot(&self.r[row(gate, index) * HIDDEN..][..HIDDEN], state);
        let bias = |gate: usize, index: usize| {
            self.bias.as_ref().map_or(0.0, |bias| bias[direction * 2 * gates * HIDDEN + gate * HIDDEN + index])
        };
        let hole = |gate: usize, index: usize| {
            self.peepholes.as_ref().map_or(0.0, |holes| holes[(direction * 3 + gate) * HIDDEN + index])
        };
        let bound = |x: f64| self.clip.map_or(x, |clip| x.clamp(-f64::from(clip), clip.into()));
        let all = |gate, index| {
            of_input(gate, index) + of_state(gate, index, old) + bias(gate, index) + bias(gates + gate, index)
        };
        let indices = 0..HIDDEN;
        match self.kind {
            Kind::Rnn => (indices.map(|index| bound(all(0, index)).tanh()).collect(), cell.to_vec()),
            Kind::Gru { linear_before_reset } => {
                let reset: Vec<_> = (0..HIDDEN).map(|index| sigmoid(bound(all(1, index)))).collect();
                let kept: Vec<_> = reset.iter().zip(old).map(|(reset, old)| reset * old).collect();
                let new = |index| {
                    let update = sigmoid(bound(all(0, index)));
                    let state = if linear_before_reset {
                        reset[index] * (of_state(2, index, old) + bias(5, index))
                    } else {
                        of_state(2, index, &kept) + bias(5, index)
                    };
                    let new = bound(of_input(2, index) + state + bias(2, index)).tanh();
                    (1.0 - update) * new + update * old[index]
                };
                (indices.map(new).collect(), cell.to_vec())
            }
            Kind::Lstm { input_forget } => {
                let new_cell = |index: usize| {
                    let input = sigmoid(bound(all(0, index) + hole(0, index) * cell[index]));
                    let forget = sigmoid(bound(all(2, index) + hole(2, index) * cell[index]));
                    let forget = if input_forget { 1.0 - input } else { forget };
                    forget * cell[index] + input * bound(all(3, index)).tanh()
                };
                let new_cells: Vec<_> = indices.map(new_cell).collect();
                let new = |(index, cell): (usize, &f64)| {
                    sigmoid(bound(all(1, index) + hole(1, index) * cell)) * bound(*cell).tanh()
                };
                (new_cells.iter().enumerate().map(new).collect(), new_cells)
            }
        }
    }

    fn operator(&self, is_batch_first: bool) -> Box<dyn Operator> {
        let recurrence =
            Recurrence { direction: self.direction, clip: self.clip, is_batch_first, ..Recurrence::default() };
        match self.kind {
            Kind::Rnn => Box::new(Rnn { recurrence }),
            Kind::Gru { linear_before_reset } => Box::new(Gru { recurrence, linear_before_reset }),
            Kind::Lstm { input_forget } => Box::new(Lstm { recurrence, input_forget }),
        }
    }

    /// The results of the operator, back in layout 0.
    fn computed(&self, is_batch_first: bool, dtype: DType) -> Results {
        let (directions, gates) = (self.directions() as i64, self.kind.gates() as i64);
        let [steps, batch, features, hidden] = [STEPS, BATCH, FEATURES, HIDDEN].map(|extent| extent as i64);
        let tensor =
            |elements: &[f64], shape: &[i64]| Tensor::from_slice(elements, shape).unwrap().cast(dtype).unwrap();
        let laid = |elements: &[f64], shape: [i64; 3]| {
            let tensor = tensor(elements, &shape);
            if is_batch_first { tensor.transpose(0, 1).unwrap() } else { tensor }
        };
        let lengths = self.lengths.map(|lengths| Tensor::from_slice(&lengths, &[batch]).unwrap());
        let state = |state: &Option<Vec<f64>>| state.as_ref().map(|state| laid(state, [directions, batch, hidden]));
        let inputs = [
            Some(laid(&self.x, [steps, batch, features])),
            Some(tensor(&self.w, &[directions, gates * hidden, features])),
            Some(tensor(&self.r, &[directions, gates * hidden, hidden])),
            self.bias.as_ref().map(|bias| tensor(bias, &[directions, 2 * gates * hidden])),
            lengths,
            state(&self.hidden),
            state(&self.cell),
            self.peepholes.as_ref().map(|holes| tensor(holes, &[directions, 3 * hidden])),
        ];
        let count = if matches!(self.kind, Kind::Lstm { .. }) { 8 } else { 6 };
        let inputs: Vec<_> = inputs[..count].iter().map(Option::as_ref).collect();
        let outputs = Context::new().unwrap().run(&*self.operator(is_batch_first), &inputs).unwrap();
        let numbers = |output: usize, axes: &[i64]| {
            let Some(output) = outputs.get(output) else { return vec![0.0; (directions * batch * hidden) as usize] };
            let output = if is_batch_first { output.permute(axes).unwrap() } else { output.clone() };
            output.cast(DType::F64).unwrap().contiguous().unwrap().to_vec().unwrap()
        };
        Results {
            sequence: numbers(0, &[1, 2, 0, 3]),
            hidden: numbers(1, &[1, 0, 2]),
            cell: if count == 8 { numbers(2, &[1, 0, 2]) } else { self.results().cell },
        }
    }
}

impl Results {
    fn all(&self) -> impl Iterator<Item = &f64> {
        self.sequence.iter().chain(&self.hidden).chain(&self.cell)
    }

    fn distance(&self, other: &Self) -> f64 {
        assert_eq!(self.all().count(), other.all().count());
        self.all().zip(other.all()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }
}

/// Numbers that all floats hold.
fn numbers(count: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((-16_i32..=16).prop_map(|x| f64::from(x) / 8.0), count)
}

fn problem() -> impl Strategy<Value = Problem> {
    let kind = prop_oneof![
        Just(Kind::Rnn),
        any::<bool>().prop_map(|linear_before_reset| Kind::Gru { linear_before_reset }),
        any::<bool>().prop_map(|input_forget| Kind::Lstm { input_forget }),
    ];
    let direction = prop::sample::select(vec![Direction::Forward, Direction::Reverse, Direction::Bidirectional]);
    (kind, direction).prop_flat_map(|(kind, direction)| {
        let (directions, gates) = (direction.count(), kind.gates());
        let states = directions * BATCH * HIDDEN;
        let is_lstm = matches!(kind, Kind::Lstm { .. });
        let of_lstm =
            move |count| prop::option::of(numbers(count)).prop_map(move |numbers| numbers.filter(|_| is_lstm));
        (
            prop::option::of(prop::sample::select(vec![0.0_f32, 0.5, 1.0])),
            prop::option::of(prop::array::uniform2(0..=STEPS as i32)),
            numbers(STEPS * BATCH * FEATURES),
            numbers(directions * gates * HIDDEN * FEATURES),
            numbers(directions * gates * HIDDEN * HIDDEN),
            prop::option::of(numbers(directions * 2 * gates * HIDDEN)),
            prop::option::of(numbers(states)),
            of_lstm(states),
            of_lstm(directions * 3 * HIDDEN),
        )
            .prop_map(move |(clip, lengths, x, w, r, bias, hidden, cell, peepholes)| Problem {
                kind,
                direction,
                clip,
                lengths,
                x,
                w,
                r,
                bias,
                hidden,
                cell,
                peepholes,
            })
    })
}

proptest! {
    #[test]
    fn layers_are_what_their_equations_say(problem in problem(), is_batch_first: bool) {
        let expected = problem.results();
        prop_assert!(problem.computed(is_batch_first, DType::F64).distance(&expected) < 1e-12);
        prop_assert!(problem.computed(is_batch_first, DType::F32).distance(&expected) < 1e-4);
    }

    /// Operands are exact in 16 bits, so the results are those of f32, rounded once.
    #[test]
    fn sixteen_bits_are_rounded_once(problem in problem(), is_batch_first: bool) {
        let mut expected = problem.computed(is_batch_first, DType::F32);
        let round = |x: &mut f64, round: fn(f64) -> f64| *x = round(*x);
        let mut all = [&mut expected.sequence, &mut expected.hidden, &mut expected.cell];
        let unrounded = all.each_ref().map(|numbers| (**numbers).clone());
        all.iter_mut().for_each(|numbers| numbers.iter_mut().for_each(|x| round(x, |x| f16::from_f32(x as f32).into())));
        let is_lstm = matches!(problem.kind, Kind::Lstm { .. });
        let computed = problem.computed(is_batch_first, DType::F16);
        prop_assert_eq!((&computed.sequence, &computed.hidden), (&expected.sequence, &expected.hidden));
        prop_assert!(!is_lstm || computed.cell == expected.cell);
        let computed = problem.computed(is_batch_first, DType::BF16);
        let rounded: Vec<f64> = unrounded[0].iter().map(|x| bf16::from_f32(*x as f32).into()).collect();
        prop_assert_eq!(computed.sequence, rounded);
    }

    /// Numbers that bytes stand for exactly: then nothing is lost in the products with inputs.
    #[test]
    fn weights_of_bytes_are_the_numbers_they_stand_for(problem in problem(), zero_point in -8_i8..8) {
        let Kind::Lstm { input_forget } = problem.kind else { return Ok(()) };
        let problem = Problem { hidden: None, ..problem };
        let computed = dynamic(&problem, input_forget, zero_point);
        // States are quantised to a 255th of their range, at each step.
        prop_assert!(computed.distance(&problem.results()) < 0.25, "{:?}", computed.distance(&problem.results()));
    }
}

/// The results of the operator with weights of bytes; weights are multiples of an eighth.
fn dynamic(problem: &Problem, input_forget: bool, zero_point: i8) -> Results {
    let directions = problem.directions() as i64;
    let [steps, batch, features, hidden] = [STEPS, BATCH, FEATURES, HIDDEN].map(|extent| extent as i64);
    let tensor =
        |elements: &[f64], shape: &[i64]| Tensor::from_slice(elements, shape).unwrap().cast(DType::F32).unwrap();
    let bytes = |weights: &[f64], rows: i64| {
        let bytes: Vec<_> = weights.iter().map(|x| (x * 8.0) as i8 + zero_point).collect();
        let lying = Tensor::from_slice(&bytes, &[directions, 4 * hidden, rows]).unwrap();
        lying.transpose(1, 2).unwrap()
    };
    let lengths = problem.lengths.map(|lengths| Tensor::from_slice(&lengths, &[batch]).unwrap());
    let scales = vec![0.125_f32; (directions * 4 * hidden) as usize];
    let zero_points = vec![zero_point; directions as usize];
    let by_column = Tensor::from_slice(&scales, &[directions, 4 * hidden]).unwrap();
    let by_direction = Tensor::from_slice(&scales[..directions as usize], &[directions]).unwrap();
    let zero_points = Tensor::from_slice(&zero_points, &[directions]).unwrap();
    let inputs = [
        Some(tensor(&problem.x, &[steps, batch, features])),
        Some(bytes(&problem.w, features)),
        Some(bytes(&problem.r, hidden)),
        problem.bias.as_ref().map(|bias| tensor(bias, &[directions, 8 * hidden])),
        lengths,
        None,
        problem.cell.as_ref().map(|cell| tensor(cell, &[directions, batch, hidden])),
        problem.peepholes.as_ref().map(|holes| tensor(holes, &[directions, 3 * hidden])),
        Some(by_column),
        Some(zero_points.clone()),
        Some(by_direction),
        Some(zero_points),
    ];
    let recurrence = Recurrence { direction: problem.direction, clip: problem.clip, ..Recurrence::default() };
    let inputs = inputs.each_ref().map(Option::as_ref);
    let outputs = Context::new().unwrap().run(&DynamicQuantizeLstm { recurrence, input_forget }, &inputs).unwrap();
    let [sequence, hidden, cell] =
        [0, 1, 2].map(|output: usize| outputs[output].cast(DType::F64).unwrap().to_vec().unwrap());
    Results { sequence, hidden, cell }
}

#[test]
fn bytes_are_multiplied_exactly() {
    // One feature, one state, one step: inputs 0 and 255 are bytes with scale 1, so gates are exact.
    let x = Tensor::from_slice(&[255.0_f32, 51.0], &[1, 2, 1]).unwrap();
    let weights = Tensor::from_slice(&[128_u8, 129, 127, 130], &[1, 1, 4]).unwrap();
    let scale = Tensor::from_slice(&[0.015625_f32], &[1]).unwrap();
    let zero_point = Tensor::from_slice(&[128_u8], &[1]).unwrap();
    let activations = vec![Activation::Affine { alpha: 1.0, beta: 0.0 }; 3];
    let recurrence = Recurrence { activations, ..Recurrence::default() };
    let operator = DynamicQuantizeLstm { recurrence, input_forget: false };
    let bias = Tensor::from_slice(&[1.0_f32, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], &[1, 8]).unwrap();
    let inputs = [
        Some(&x),
        Some(&weights),
        Some(&weights),
        Some(&bias),
        None,
        None,
        None,
        None,
        Some(&scale),
        Some(&zero_point),
        Some(&scale),
        Some(&zero_point),
    ];
    let outputs = Context::new().unwrap().run(&operator, &inputs).unwrap();
    // Input 1, output x / 64, new 2 * x / 64.
    let cells = [2.0 * 255.0 / 64.0, 2.0 * 51.0 / 64.0];
    assert_eq!(outputs[2].to_vec::<f32>().unwrap(), cells);
    assert_eq!(outputs[1].to_vec::<f32>().unwrap(), [cells[0] * 255.0 / 64.0, cells[1] * 51.0 / 64.0]);
}

#[test]
fn activations_are_those_of_the_direction() {
    let x = Tensor::from_slice(&[2.0_f32], &[1, 1, 1]).unwrap();
    let (w, r) = (
        Tensor::from_slice(&[1.0_f32, -1.0], &[2, 1, 1]).unwrap(),
        Tensor::from_slice(&[0.0_f32, 0.0], &[2, 1, 1]).unwrap(),
    );
    let activations = vec![Activation::Affine { alpha: 3.0, beta: 1.0 }, Activation::Relu];
    let recurrence = Recurrence { direction: Direction::Bidirectional, activations, ..Recurrence::default() };
    let outputs = Context::new().unwrap().run(&Rnn { recurrence }, &[Some(&x), Some(&w), Some(&r)]).unwrap();
    assert_eq!(outputs[1].to_vec::<f32>().unwrap(), [7.0, 0.0]);
}

#[test]
fn sequences_without_steps_keep_their_state() {
    let x = Tensor::from_slice::<f32>(&[], &[0, 1, 2]).unwrap();
    let (w, r) =
        (Tensor::from_slice(&[1.0_f32; 2], &[1, 1, 2]).unwrap(), Tensor::from_slice(&[1.0_f32], &[1, 1, 1]).unwrap());
    let hidden = Tensor::from_slice(&[5.0_f32], &[1, 1, 1]).unwrap();
    let inputs = [Some(&x), Some(&w), Some(&r), None, None, Some(&hidden)];
    let outputs = Context::new().unwrap().run(&Rnn::default(), &inputs).unwrap();
    assert_eq!(outputs[0].shape().extents(), [0, 1, 1, 1]);
    assert_eq!(outputs[1].to_vec::<f32>().unwrap(), [5.0]);
    // No sequences at all.
    let x = Tensor::from_slice::<f32>(&[], &[2, 0, 2]).unwrap();
    let outputs = Context::new().unwrap().run(&Rnn::default(), &[Some(&x), Some(&w), Some(&r)]).unwrap();
    assert_eq!(outputs[0].shape().extents(), [2, 1, 0, 1]);
}

#[test]
fn lengths_are_checked() {
    let x = Tensor::from_slice(&[0.0_f32; 4], &[2, 1, 2]).unwrap();
    let (w, r) =
        (Tensor::from_slice(&[1.0_f32; 2], &[1, 1, 2]).unwrap(), Tensor::from_slice(&[1.0_f32], &[1, 1, 1]).unwrap());
    let lengths = Tensor::from_slice(&[3_i32], &[1]).unwrap();
    let error = Context::new().unwrap().run(&Rnn::default(), &[Some(&x), Some(&w), Some(&r), None, Some(&lengths)]);
    assert_eq!(error.unwrap_err().to_string(), "RNN: input 4 holds 3: expected 0 to 2, the number of steps");
}

#[test]
fn shapes_follow_without_data() {
    let (steps, batch) = (Extent::symbol("steps"), Extent::symbol("batch"));
    let x = Fact::new(DType::F16, SymbolicShape::new([steps, batch, 4.into()]));
    let (w, r) = (Fact::new(DType::F16, [2, 20, 4]), Fact::new(DType::F16, [2, 20, 5]));
    let recurrence = Recurrence { direction: Direction::Bidirectional, ..Recurrence::default() };
    let facts = infer(&Lstm { recurrence, input_forget: false }, "lstm", &[Some(&x), Some(&w), Some(&r)]).unwrap();
    let shapes: Vec<_> = facts.iter().map(|fact| fact.shape.as_ref().unwrap().to_string()).collect();
    assert_eq!(shapes, ["[steps, 2, batch, 5]", "[2, batch, 5]", "[2, batch, 5]"]);
}

#[test]
fn what_does_not_fit_is_named() {
    let message = |w: [i64; 3], r: [i64; 3], bias: [i64; 2]| {
        let x = Fact::new(DType::F32, [7, 2, 4]);
        let (w, r, bias) = (Fact::new(DType::F32, w), Fact::new(DType::F32, r), Fact::new(DType::F32, bias));
        infer(&Gru::default(), "gru", &[Some(&x), Some(&w), Some(&r), Some(&bias)]).unwrap_err().to_string()
    };
    let built = |name: &str, value: crate::Attribute| {
        let attributes = crate::Attributes::new().with(name, value);
        crate::build("", "GRU", &attributes, 3, 1).unwrap_err().to_string()
    };
    let names = |count: usize| crate::Attribute::Strings(vec!["Tanh".into(); count]);
    insta::assert_snapshot!([
        message([1, 15, 4], [1, 15, 4], [1, 30]),
        message([1, 15, 3], [1, 15, 5], [1, 30]),
        message([2, 15, 4], [2, 15, 5], [2, 30]),
        message([1, 15, 4], [1, 15, 5], [1, 15]),
        built("activations", names(3)),
        built("clip", (-1.0_f32).into()),
        built("layout", 2.into()),
        built("direction", "both".into()),
    ].join("\n"), @r#"
        GRU: input 1 has shape [1, 15, 4]: expected [1, 12, 4]
        GRU: input 1 has shape [1, 15, 3]: expected [1, 15, 4]
        GRU: input 1 has shape [2, 15, 4]: expected [1, 15, 4]
        GRU: input 3 has shape [1, 15]: expected [1, 30]
        GRU: attribute activations is a list of 3: expected one for each kind of gate, in each direction
        GRU: attribute clip is -1: expected no negative number
        GRU: attribute layout is 2: expected 0 or 1
        GRU: attribute direction is "both": expected forward, reverse or bidirectional
        "#);
}

#[test]
fn dynamic_weights_are_checked() {
    let x = Fact::new(DType::F32, [7, 2, 4]);
    let message = |w: DType, scale: &[i64], has_zero_point: bool| {
        let fact =
            |dtype, extents: &[i64]| Fact::new(dtype, extents.iter().map(|&x| x.into()).collect::<SymbolicShape>());
        let (w, r) = (fact(w, &[1, 4, 20]), fact(DType::I8, &[1, 5, 20]));
        let (scale, zero) = (fact(DType::F32, scale), fact(DType::I8, &[1]));
        let zero = has_zero_point.then_some(&zero);
        let inputs =
            [Some(&x), Some(&w), Some(&r), None, None, None, None, None, Some(&scale), zero, Some(&scale), zero];
        let error: Result<_, crate::OperatorError> = infer(&DynamicQuantizeLstm::default(), "lstm", &inputs);
        error.unwrap_err().to_string()
    };
    insta::assert_snapshot!([
        message(DType::I16, &[1], true),
        message(DType::U8, &[1], true),
        message(DType::I8, &[1, 5], true),
        message(DType::I8, &[1], false),
    ].join("\n"), @r"
        DynamicQuantizeLSTM: input 1 is int16: expected one of uint8, int8
        DynamicQuantizeLSTM: input 9 is int8: expected uint8, as another input is
        DynamicQuantizeLSTM: input 8 has shape [1, 5]: expected [1, 20]
        DynamicQuantizeLSTM: input 9 is missing
        ");
}
