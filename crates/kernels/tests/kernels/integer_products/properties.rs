//! Random products, of any sizes, strides and zero points.

use proptest::prelude::*;
use stratal_tensor_base::DType;

use super::{ALL, Case, Operand};
use crate::EMULATED;
use crate::array::Array;
use crate::place::{Place, in_order};
use crate::values::Generator;

/// How an operand lies: some order of its last two axes, gaps, backwards, or all the same along an axis.
#[derive(Debug, Clone, Copy)]
struct Layout {
    is_transposed: bool,
    innermost: i64,
    is_reversed: [bool; 2],
    is_constant: [bool; 2],
    before: i64,
}

impl Layout {
    fn place(self, extents: &[i64]) -> Place {
        let rank = extents.len();
        let mut order: Vec<usize> = (0..rank).collect();
        if self.is_transposed && rank >= 2 {
            order.swap(rank - 2, rank - 1);
        }
        let mut strides = in_order(extents, &order, self.innermost);
        for (axis, (is_reversed, is_constant)) in self.is_reversed.into_iter().zip(self.is_constant).enumerate() {
            if let Some(stride) = (rank + axis).checked_sub(2).and_then(|axis| strides.get_mut(axis)) {
                *stride = if is_constant {
                    0
                } else if is_reversed {
                    -*stride
                } else {
                    *stride
                };
            }
        }
        Place::new(extents, &strides, self.before)
    }
}

fn layouts(may_be_constant: bool) -> impl Strategy<Value = Layout> {
    let seldom = |often: u32| prop_oneof![often => Just(false), 1 => Just(true)];
    let constant = move || seldom(8).prop_map(move |is_constant| is_constant && may_be_constant);
    (
        any::<bool>(),
        prop_oneof![4 => Just(1_i64), 1 => 2..4_i64],
        [seldom(4), seldom(4)],
        [constant(), constant()],
        0..3_i64,
    )
        .prop_map(|(is_transposed, innermost, is_reversed, is_constant, before)| Layout {
            is_transposed,
            innermost,
            is_reversed,
            is_constant,
            before,
        })
}

/// Sizes around those of vectors, quads and tiles.
fn sizes() -> impl Strategy<Value = i64> {
    prop_oneof![1 => Just(0_i64), 3 => Just(1), 10 => 2..20_i64, 6 => 20..70_i64]
}

fn dtypes() -> impl Strategy<Value = DType> {
    prop_oneof![Just(DType::U8), Just(DType::I8)]
}

/// What bytes there are.
#[derive(Debug, Clone, Copy)]
enum Bytes {
    Any,
    Extremes,
    Same(u8),
}

fn operand(dtype: DType, place: Place, bytes: Bytes, generator: &mut Generator) -> Operand {
    let patterns = (0..place.buffer).map(|_| match bytes {
        Bytes::Any => generator.next() & 0xFF,
        // 0, 255, -128 and 127 of either type.
        Bytes::Extremes => [0x00, 0xFF, 0x80, 0x7F][generator.next() as usize % 4],
        Bytes::Same(byte) => byte.into(),
    });
    Operand { array: Array::new(dtype, patterns.collect::<Vec<_>>()), place }
}

/// None, one for all, or one for each line.
#[derive(Debug, Clone, Copy)]
enum Zero {
    None,
    Scalar,
    Lines,
    LinesOfEachMatrix,
}

fn zeros() -> impl Strategy<Value = Zero> {
    prop_oneof![Just(Zero::None), Just(Zero::Scalar), Just(Zero::Lines), Just(Zero::LinesOfEachMatrix)]
}

fn bytes() -> impl Strategy<Value = Bytes> {
    prop_oneof![3 => Just(Bytes::Any), 2 => Just(Bytes::Extremes), 1 => any::<u8>().prop_map(Bytes::Same)]
}

fn cases() -> impl Strategy<Value = Case> {
    // Leading axes: of the left side, and how the right side has them.
    let batch = prop_oneof![
        3 => Just((vec![], vec![])),
        1 => Just((vec![3], vec![])),
        1 => Just((vec![], vec![2])),
        1 => Just((vec![2, 1], vec![3])),
        1 => Just((vec![3], vec![3])),
        1 => Just((vec![2, 2], vec![1, 1])),
        1 => Just((vec![0], vec![1])),
    ];
    let sizes = (sizes(), sizes(), sizes());
    let kinds = ((dtypes(), bytes(), zeros()), (dtypes(), bytes(), zeros()));
    let layouts = (layouts(true), layouts(true), layouts(false), layouts(true));
    (batch, sizes, kinds, layouts, any::<u64>()).prop_map(
        |(
            (batch_of_a, batch_of_b),
            (m, k, n),
            (kind_of_a, kind_of_b),
            (lies_a, lies_b, lies_result, lies_zero),
            seed,
        )| {
            let generator = &mut Generator(seed | 1);
            let rank = batch_of_a.len().max(batch_of_b.len());
            let batch: Vec<i64> = (0..rank)
                .map(|axis| {
                    let of = |batch: &[i64]| (axis + batch.len()).checked_sub(rank).map_or(1, |axis| batch[axis]);
                    let (a, b) = (of(&batch_of_a), of(&batch_of_b));
                    if a == 1 { b } else { a }
                })
                .collect();
            let mut side = |batch_of_it: &[i64], last: [i64; 2], lines: [i64; 2], kind, lies: Layout| {
                let (dtype, bytes, zero): (DType, Bytes, Zero) = kind;
                let sides = operand(dtype, lies.place(&[batch_of_it, &last].concat()), bytes, generator);
                let extents = match zero {
                    Zero::None => return (sides, None),
                    Zero::Scalar => vec![],
                    Zero::Lines => lines.to_vec(),
                    Zero::LinesOfEachMatrix => [&batch[..], &lines].concat(),
                };
                let place = lies_zero.place(&extents);
                (sides, Some(operand(dtype, place, bytes, generator)))
            };
            let (a, zero_a) = side(&batch_of_a, [m, k], [m, 1], kind_of_a, lies_a);
            let (b, zero_b) = side(&batch_of_b, [k, n], [1, n], kind_of_b, lies_b);
            let result = lies_result.place(&[&batch[..], &[m, n]].concat());
            Case { a, b, zero_a, zero_b, batch, result }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if EMULATED { 100 } else { 1500 }, ..ProptestConfig::default() })]

    #[test]
    fn products_of_bytes_are_those_of_i64(case in cases()) {
        case.check(&ALL);
    }
}
