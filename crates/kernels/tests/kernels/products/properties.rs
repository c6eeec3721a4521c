//! Any product: extents, batches, strides, dtypes, values and epilogues.

use proptest::prelude::*;
use stratal_kernels::map::{Abs, Gelu, HardSwish, LeakyRelu, Neg, Relu, Sigmoid, Silu, Tanh, Unary};
use stratal_tensor_base::DType;

use super::model;
use super::problem::{DTYPES, Problem, Values, check};
use crate::EMULATED;
use crate::place::{Place, in_order};
use crate::values::Generator;

/// Batches of both operands that broadcast.
const BATCHES: [(&[i64], &[i64]); 14] = [
    (&[], &[]),
    (&[], &[]),
    (&[3], &[]),
    (&[2, 2], &[]),
    (&[], &[3]),
    (&[3], &[3]),
    (&[1], &[2]),
    (&[2], &[1, 1]),
    (&[3, 1], &[2]),
    (&[2, 1, 2], &[3, 1]),
    (&[1, 2, 1, 2], &[2, 1]),
    (&[0], &[]),
    (&[0, 2], &[1, 1]),
    (&[2], &[0, 1]),
];

static ACTIVATIONS: [&dyn Unary; 9] =
    [&Relu, &LeakyRelu { alpha: 0.1 }, &Tanh, &Sigmoid, &Gelu, &Silu, &Neg, &Abs, &HardSwish];

/// Rows, depth and columns: small ones, and those with more than one block, group of columns, task or kind of tile.
fn sizes() -> impl Strategy<Value = [i64; 3]> {
    let small = || prop_oneof![1 => Just(0_i64), 3 => Just(1), 6 => 2..9_i64, 6 => 9..41_i64];
    prop_oneof![
        20 => (small(), small(), small()).prop_map(|(m, k, n)| [m, k, n]),
        6 => (1..20_i64, 250..300_i64, 1..40_i64).prop_map(|(m, k, n)| [m, k, n]),
        2 => (1..5_i64, 505..530_i64, 1..40_i64).prop_map(|(m, k, n)| [m, k, n]),
        // Too large to be read in place.
        3 => (13..32_i64, 250..270_i64, 62..100_i64).prop_map(|(m, k, n)| [m, k, n]),
        2 => (1..6_i64, 1..30_i64, 500..600_i64).prop_map(|(m, k, n)| [m, k, n]),
        1 => (13..16_i64, 255..262_i64, 500..600_i64).prop_map(|(m, k, n)| [m, k, n]),
        2 => (100..140_i64, 1..40_i64, 1..40_i64).prop_map(|(m, k, n)| [m, k, n]),
        1 => (120..140_i64, 255..262_i64, 14..50_i64).prop_map(|(m, k, n)| [m, k, n]),
    ]
}

/// How axes are nested, and with what steps: told for the most axes there can be, so that shapes can shrink alone.
#[derive(Debug, Clone)]
struct Layout {
    kind: Kind,
    shuffled: Vec<usize>,
    /// A factor of each stride.
    factors: Vec<i64>,
    innermost: i64,
    /// Elements behind each line of the innermost axis.
    padding: i64,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    RowMajor,
    /// The last two axes exchanged.
    ColumnMajor,
    Shuffled,
}

const MOST_AXES: usize = 6;

/// Of operands, which may read an element more than once.
fn layout() -> impl Strategy<Value = Layout> {
    layout_with(prop_oneof![12 => Just(1_i64), 2 => Just(-1), 1 => Just(0), 1 => Just(2)].boxed())
}

/// Of results.
fn disjoint_layout() -> impl Strategy<Value = Layout> {
    layout_with(prop_oneof![14 => Just(1_i64), 1 => Just(-1)].boxed())
}

fn layout_with(factor: BoxedStrategy<i64>) -> impl Strategy<Value = Layout> {
    let kind = prop_oneof![5 => Just(Kind::RowMajor), 4 => Just(Kind::ColumnMajor), 2 => Just(Kind::Shuffled)];
    let shuffled = Just((0..MOST_AXES).collect::<Vec<_>>()).prop_shuffle();
    let factors = prop_oneof![2 => Just(vec![1; MOST_AXES]), 1 => proptest::collection::vec(factor, MOST_AXES)];
    let innermost = prop_oneof![6 => Just(1_i64), 1 => Just(2)];
    let padding = prop_oneof![3 => Just(0_i64), 1 => 1..20_i64];
    (kind, shuffled, factors, innermost, padding).prop_map(|(kind, shuffled, factors, innermost, padding)| Layout {
        kind,
        shuffled,
        factors,
        innermost,
        padding,
    })
}

impl Layout {
    fn place(&self, extents: &[i64]) -> Place {
        let rank = extents.len();
        let mut order: Vec<usize> = match self.kind {
            Kind::Shuffled => self.shuffled.iter().copied().filter(|axis| *axis < rank).collect(),
            _ => (0..rank).collect(),
        };
        if matches!(self.kind, Kind::ColumnMajor) && rank >= 2 {
            order.swap(rank - 2, rank - 1);
        }
        let mut padded = extents.to_vec();
        if let Some(axis) = order.last() {
            padded[*axis] += self.padding;
        }
        let strides = in_order(&padded, &order, self.innermost);
        let strides: Vec<i64> = strides.iter().zip(&self.factors).map(|(stride, factor)| stride * factor).collect();
        Place::new(extents, &strides, 1)
    }
}

/// What is made of a product.
#[derive(Debug, Clone)]
struct Finish {
    alpha: f32,
    beta: f32,
    /// Which axes of the result, from the last one on, the bias has; and whether it has the extent or one.
    bias: Option<(usize, Vec<bool>, Layout)>,
    activation: Option<usize>,
}

fn finish() -> impl Strategy<Value = Finish> {
    let alpha =
        prop_oneof![6 => Just(1.0_f32), 1 => Just(-1.7), 1 => Just(0.0), 1 => Just(f32::INFINITY), 1 => Just(1e30)];
    let beta = prop_oneof![5 => Just(0.0_f32), 3 => Just(1.0), 1 => Just(-0.0), 2 => Just(-0.3), 1 => Just(f32::NAN)];
    let bias = (0..=MOST_AXES, proptest::collection::vec(prop::bool::weighted(0.7), MOST_AXES), layout());
    let activation = proptest::option::weighted(0.4, 0..ACTIVATIONS.len());
    let any = (alpha, beta, proptest::option::weighted(0.5, bias), activation)
        .prop_map(|(alpha, beta, bias, activation)| Finish { alpha, beta, bias, activation });
    prop_oneof![1 => Just(Finish { alpha: 1.0, beta: 0.0, bias: None, activation: None }), 2 => any]
}

fn values() -> impl Strategy<Value = Values> {
    prop_oneof![5 => Just(Values::Plain), 3 => Just(Values::Sparse), 1 => Just(Values::Mixed)]
}

prop_compose! {
    fn problem()(
        [m, k, n] in sizes(),
        batches in 0..BATCHES.len(),
        dtype in prop_oneof![3 => Just(DType::F32), 5 => proptest::sample::select(&DTYPES[..])],
        layouts in (layout(), layout(), disjoint_layout()),
        finish in finish(),
        values in values(),
        seed in any::<u64>(),
    ) -> Problem {
        // Large matrices come alone.
        let (batch_of_a, batch_of_b) = if m * k * n > 150_000 { BATCHES[0] } else { BATCHES[batches] };
        let generator = &mut Generator(seed);
        let mut operand = |extents: &[i64], layout: &Layout| {
            let place = layout.place(extents);
            (values.of(dtype, place.buffer, generator), place)
        };
        let a = operand(&[batch_of_a, &[m, k]].concat(), &layouts.0);
        let b = operand(&[batch_of_b, &[k, n]].concat(), &layouts.1);
        let extents = model::extents(&a.1.extents, &b.1.extents);
        let bias = finish.bias.as_ref().map(|(rank, kept, layout)| {
            let missing = extents.len().saturating_sub(*rank);
            let own: Vec<i64> = extents.iter().zip(kept).map(|(extent, kept)| if *kept { *extent } else { 1 }).collect();
            operand(&own[missing..], layout)
        });
        let result = layouts.2.place(&extents);
        let before = Values::Mixed.of(dtype, result.count(), generator);
        // Integers have no factors.
        let (alpha, beta) = match dtype.is_float() {
            true => (finish.alpha, finish.beta),
            false => (1.0, if finish.beta == 0.0 { 0.0 } else { 1.0 }),
        };
        let activation = finish.activation.map(|index| ACTIVATIONS[index]).filter(|one| one.is_defined(dtype));
        Problem { a, b, alpha, beta, bias, activation, result, before }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if EMULATED { 30 } else { 400 }))]

    #[test]
    fn any_product(problem in problem()) {
        check(&problem);
    }
}
