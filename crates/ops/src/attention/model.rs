//! Attention element by element, and the operator compared with that.

use proptest::prelude::*;
use stratal_tensor::Tensor;
use stratal_tensor_base::{Bool, DType};

use crate::{Attention, AttentionScores, Context};

/// The extents of all problems.
const BATCH: usize = 2;
const QUERIES: usize = 3;
const NEW: usize = 4;
const SIZE: usize = 2;
const SIZE_OF_VALUES: usize = 3;

/// Attention with all of its operands, row-major, heads before the sequence.
#[derive(Debug, Clone)]
struct Problem {
    heads: usize,
    group: usize,
    queries: Vec<f64>,
    keys: Vec<f64>,
    values: Vec<f64>,
    /// How many keys of the past there are, with the keys and values that begin with them.
    past: usize,
    lengths: Option<[usize; BATCH]>,
    mask: Mask,
    /// How many keys the mask knows.
    mask_length: usize,
    is_causal: bool,
    left: Option<usize>,
    right: Option<usize>,
    softcap: f32,
    scale: Option<f32>,
    stage: AttentionScores,
}

/// A mask of `[queries, keys]` or, of numbers, one each head.
#[derive(Debug, Clone)]
enum Mask {
    None,
    Truths(Vec<bool>),
    Numbers(Vec<f64>),
}

impl Problem {
    fn keys(&self) -> usize {
        self.past + NEW
    }

    /// What the mask adds for a key that the places allow; none if it is not seen.
    fn bias(&self, batch: usize, head: usize, query: usize, key: usize) -> Option<f64> {
        let length = self.lengths.map_or(self.keys(), |lengths| lengths[batch]) as i64;
        let before = if self.lengths.is_some() { length - QUERIES as i64 } else { self.past as i64 };
        let (place, at) = (before + query as i64, key as i64);
        let is_seen = at < length
            && (!self.is_causal || at <= place)
            && self.left.is_none_or(|left| at >= place - left as i64)
            && self.right.is_none_or(|right| at <= place + right as i64);
        let number = match &self.mask {
            Mask::None => Some(0.0),
            _ if key >= self.mask_length => None,
            Mask::Truths(truths) => truths[query * self.mask_length + key].then_some(0.0),
            Mask::Numbers(numbers) => Some(numbers[(head * QUERIES + query) * self.mask_length + key]),
        };
        number.filter(|&number| is_seen && number != f64::NEG_INFINITY)
    }

    /// The result and the scores that are shown.
    fn results(&self) -> (Vec<f64>, Vec<f64>) {
        let keys = self.keys();
        let (mut result, mut shown) = (Vec::new(), Vec::new());
        for (batch, head, query) in self.rows() {
            let of_keys = batch * self.heads + head / self.group;
            let row = ((batch * self.heads * self.group + head) * QUERIES + query) * SIZE;
            let scale = self.scale.map_or(1.0 / (SIZE as f64).sqrt(), f64::from);
            let product = |key: usize| {
                let key = &self.keys[(of_keys * keys + key) * SIZE..][..SIZE];
                self.queries[row..row + SIZE].iter().zip(key).map(|(q, k)| q * k * scale).sum::<f64>()
            };
            let products: Vec<_> = (0..keys).map(product).collect();
            let cap = f64::from(self.softcap);
            let capped: Vec<_> =
                products.iter().map(|x| if cap == 0.0 { *x } else { cap * (x / cap).tanh() }).collect();
            let masked =
                |key: usize| self.bias(batch, head, query, key).map_or(f64::NEG_INFINITY, |bias| capped[key] + bias);
            let masked: Vec<_> = (0..keys).map(masked).collect();
            let greatest = masked.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let share = |x: &f64| if greatest == f64::NEG_INFINITY { 0.0 } else { (x - greatest).exp() };
            let sum = masked.iter().map(share).sum::<f64>().max(f64::MIN_POSITIVE);
            let shares: Vec<_> = masked.iter().map(|x| share(x) / sum).collect();
            result.extend((0..SIZE_OF_VALUES).map(|column| {
                let value = |key: usize| self.values[(of_keys * keys + key) * SIZE_OF_VALUES + column];
                shares.iter().enumerate().map(|(key, share)| share * value(key)).sum::<f64>()
            }));
            shown.extend(match self.stage {
                AttentionScores::Products => products,
                AttentionScores::Capped => capped,
                AttentionScores::Masked => masked,
                AttentionScores::Shares => shares,
            });
        }
        (result, shown)
    }

    fn rows(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let heads = self.heads * self.group;
        (0..BATCH * heads * QUERIES).map(move |row| (row / QUERIES / heads, row / QUERIES % heads, row % QUERIES))
    }

    /// The result, the present keys and the scores of the operator.
    fn computed(&self, is_split: bool) -> [Vec<f64>; 3] {
        let (heads, keys) = (self.heads as i64, self.keys() as i64);
        let (past, group) = (self.past as i64, self.group as i64);
        let tensor = |elements: &[f64], heads: i64, sequence: usize, size: usize| {
            Tensor::from_slice(elements, &[BATCH as i64, heads, sequence as i64, size as i64]).unwrap()
        };
        // Heads side by side, if they are to be split.
        let laid = |tensor: Tensor| {
            if !is_split {
                return tensor;
            }
            let [batch, heads, sequence, size] = *tensor.shape().extents() else { panic!("{tensor:?}") };
            let tensor = tensor.transpose(1, 2).unwrap().contiguous().unwrap();
            tensor.reshape(&[batch.into(), sequence.into(), i64::from(heads) * i64::from(size)]).unwrap()
        };
        let all_keys = tensor(&self.keys, heads, self.keys(), SIZE);
        let all_values = tensor(&self.values, heads, self.keys(), SIZE_OF_VALUES);
        let new = |all: &Tensor| laid(all.narrow(2, past, NEW as i64).unwrap().contiguous().unwrap());
        let of_past = |all: &Tensor| (past > 0).then(|| all.narrow(2, 0, past).unwrap());
        let mask = match &self.mask {
            Mask::None => None,
            Mask::Truths(truths) => {
                let truths: Vec<_> = truths.iter().map(|&truth| Bool::from(truth)).collect();
                Some(Tensor::from_slice(&truths, &[QUERIES as i64, self.mask_length as i64]).unwrap())
            }
            Mask::Numbers(numbers) => {
                let shape = [heads * group, QUERIES as i64, self.mask_length as i64];
                Some(Tensor::from_slice(numbers, &shape).unwrap().cast(DType::F32).unwrap())
            }
        };
        let lengths = self
            .lengths
            .map(|lengths| Tensor::from_slice(&lengths.map(|length| length as i64), &[BATCH as i64]).unwrap());
        let inputs = [
            Some(laid(tensor(&self.queries, heads * group, QUERIES, SIZE))),
            Some(new(&all_keys)),
            Some(new(&all_values)),
            mask,
            of_past(&all_keys),
            of_past(&all_values),
            lengths,
        ];
        let operator = Attention {
            q_num_heads: is_split.then_some(self.heads * self.group),
            kv_num_heads: is_split.then_some(self.heads),
            scale: self.scale,
            softcap: self.softcap,
            is_causal: self.is_causal,
            left_window_size: self.left,
            right_window_size: self.right,
            softmax_precision: None,
            scores: self.stage,
        };
        let inputs = inputs.each_ref().map(Option::as_ref);
        let outputs = Context::new().unwrap().run(&operator, &inputs).unwrap();
        assert_eq!(outputs[1].shape().extents(), [BATCH as u32, heads as u32, keys as u32, SIZE as u32]);
        let result = if is_split {
            let shape = [BATCH as i64, QUERIES as i64, heads * group, SIZE_OF_VALUES as i64];
            outputs[0].reshape(&shape).unwrap().transpose(1, 2).unwrap().contiguous().unwrap()
        } else {
            outputs[0].clone()
        };
        [result.to_vec().unwrap(), outputs[1].to_vec().unwrap(), outputs[3].to_vec().unwrap()]
    }
}

/// Numbers that f32 holds.
fn numbers(count: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((-16_i32..=16).prop_map(|x| f64::from(x) / 8.0), count)
}

fn mask(heads: usize, length: usize) -> impl Strategy<Value = Mask> {
    let number = prop_oneof![3 => (-4_i32..=4).prop_map(|x| f64::from(x) / 4.0), 1 => Just(f64::NEG_INFINITY)];
    prop_oneof![
        Just(Mask::None),
        prop::collection::vec(any::<bool>(), QUERIES * length).prop_map(Mask::Truths),
        prop::collection::vec(number, heads * QUERIES * length).prop_map(Mask::Numbers),
    ]
}

fn problem() -> impl Strategy<Value = Problem> {
    let stages = [AttentionScores::Products, AttentionScores::Capped, AttentionScores::Masked, AttentionScores::Shares];
    let extents = (1_usize..=2, 1_usize..=3, prop_oneof![Just(0_usize), 1..=3_usize]);
    let window = || prop::option::of(0_usize..=4);
    let settings = (
        any::<bool>(),
        window(),
        window(),
        prop::sample::select(vec![0.0_f32, 0.5, 2.0]),
        prop::option::of(prop::sample::select(vec![0.25_f32, 1.0])),
        prop::sample::select(stages.to_vec()),
    );
    (extents, settings).prop_flat_map(|((heads, group, past), (is_causal, left, right, softcap, scale, stage))| {
        let keys = past + NEW;
        (1..=keys).prop_flat_map(move |mask_length| {
            (
                numbers(BATCH * heads * group * QUERIES * SIZE),
                numbers(BATCH * heads * keys * SIZE),
                numbers(BATCH * heads * keys * SIZE_OF_VALUES),
                prop::option::of(prop::array::uniform2(0..=keys)),
                mask(heads * group, mask_length),
            )
                .prop_map(move |(queries, keys, values, lengths, mask)| Problem {
                    heads,
                    group,
                    queries,
                    keys,
                    values,
                    past,
                    lengths: lengths.filter(|_| past == 0),
                    mask,
                    mask_length,
                    is_causal,
                    left,
                    right,
                    softcap,
                    scale,
                    stage,
                })
        })
    })
}

proptest! {
    #[test]
    fn attention_is_what_its_equation_says(problem in problem(), is_split: bool) {
        let (result, scores) = problem.results();
        let [computed, present, shown] = problem.computed(is_split);
        let is_close = |(a, b): (&f64, &f64)| a == b || (a - b).abs() < 1e-12;
        prop_assert!(computed.len() == result.len() && computed.iter().zip(&result).all(is_close), "{computed:?} {result:?}");
        prop_assert!(shown.len() == scores.len() && shown.iter().zip(&scores).all(is_close), "{shown:?} {scores:?}");
        prop_assert_eq!(present, problem.keys);
    }
}
