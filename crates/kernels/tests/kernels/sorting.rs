//! Sorting and selecting: every backend against the reference, the reference against a model, known mistakes, errors.

use std::fmt::Write;

use proptest::prelude::*;
use stratal_kernels::sort::{Sort, TopK};
use stratal_kernels::{AnyView, AnyViewMut, KernelError, Kernels};
use stratal_tensor_base::{DType, Shape};

use crate::EMULATED;
use crate::array::Array;
use crate::backends::BACKENDS;
use crate::laid::{check, check_with, dense, results};
use crate::place::Place;
use crate::properties::{anywhere, disjoint};
use crate::threads::on_many_threads;
use crate::values::{Generator, mixed, panel};

/// A sort, or a selection.
#[derive(Debug, Clone, Copy)]
enum Choice {
    Sort(Sort),
    Top(TopK),
}

impl Choice {
    fn call(self, kernels: &dyn Kernels, x: &[AnyView<'_>], to: &mut [AnyViewMut<'_>]) -> Result<(), KernelError> {
        let [values, indices] = to else { panic!("two results") };
        match self {
            Self::Sort(sort) => kernels.sort(&sort, &x[0], values, indices),
            Self::Top(top) => kernels.top_k(&top, &x[0], values, indices),
        }
    }

    fn extents(self, x: &[i64]) -> Vec<i64> {
        match self {
            Self::Sort(_) => x.to_vec(),
            Self::Top(top) => {
                let shape = top.output_shape(&Shape::new(x).unwrap()).unwrap();
                shape.extents().iter().map(|extent| i64::from(*extent)).collect()
            }
        }
    }
}

fn check_choice(choice: Choice, (x, place): (&Array, &Place), values: &Place, indices: &Place) {
    let call = |kernels: &dyn Kernels, x: &[AnyView<'_>], to: &mut [AnyViewMut<'_>]| choice.call(kernels, x, to);
    let places = [(x.dtype, values), (DType::I64, indices)];
    check(&[(x, place)], &places, true, &call, &|| format!("{choice:?} of {}", x.dtype));
}

/// Values and indices along a row, which every backend must give.
fn of_row(choice: Choice, x: &Array) -> (Array, Vec<i64>) {
    let extents = vec![x.count() as i64];
    let kinds = [(x.dtype, choice.extents(&extents)), (DType::I64, choice.extents(&extents))];
    let call = |kernels: &dyn Kernels, x: &[AnyView<'_>], to: &mut [AnyViewMut<'_>]| choice.call(kernels, x, to);
    let mut all = BACKENDS.iter().map(|kernels| results(&**kernels, &[(x.clone(), extents.clone())], &kinds, &call));
    let found = all.next().unwrap();
    assert!(all.all(|other| other == found), "{choice:?}");
    (found[0].clone(), found[1].to_vec())
}

fn top(k: i64, largest: bool, sorted: bool) -> Choice {
    Choice::Top(TopK { axis: 0, k, largest, sorted })
}

fn sort(descending: bool) -> Choice {
    Choice::Sort(Sort { axis: 0, descending })
}

fn dtypes() -> impl Iterator<Item = DType> {
    DType::ALL.into_iter().filter(|dtype| *dtype != DType::Bool)
}

#[test]
fn nan_is_the_largest() {
    let nan = f32::NAN;
    let (values, indices) = of_row(top(2, true, true), &Array::of(&[1.0_f32, nan, 3.0, 2.0]));
    assert!(values.to_vec::<f32>()[0].is_nan());
    assert_eq!((values.to_vec::<f32>()[1], indices), (3.0, vec![1, 2]));
    let x = Array::of(&[3.0_f32, nan, 1.0, 2.0]);
    assert_eq!(of_row(sort(false), &x).1, [2, 3, 0, 1]);
    assert_eq!(of_row(sort(true), &x).1, [1, 0, 3, 2]);
    // Of either sign and any payload, in the order of indices, and with its bits.
    for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
        let nans = crate::values::nans(dtype);
        let numbers: Vec<u64> = panel(dtype).into_iter().filter(|pattern| !nans.contains(pattern)).collect();
        let elements = numbers.iter().zip(nans.iter().cycle()).enumerate();
        let mixed: Vec<u64> = elements.map(|(at, (number, nan))| if at % 3 == 1 { *nan } else { *number }).collect();
        let count = (mixed.len() + 1) / 3;
        let x = Array::new(dtype, mixed.iter().copied());
        for (choice, range) in [
            (sort(false), x.count() - count..x.count()),
            (sort(true), 0..count),
            (top(count as i64, true, true), 0..count),
            (top(count as i64, true, false), 0..count),
        ] {
            let (values, indices) = of_row(choice, &x);
            let wanted: Vec<i64> = (0..count as i64).map(|number| number * 3 + 1).collect();
            assert_eq!(indices[range.clone()], wanted, "{dtype} {choice:?}");
            let bits: Vec<u64> = range.map(|at| values.get(at)).collect();
            assert_eq!(bits, wanted.iter().map(|index| mixed[*index as usize]).collect::<Vec<_>>());
        }
    }
}

#[test]
fn equal_elements_stand_in_the_order_of_indices() {
    for dtype in dtypes() {
        let sign = if dtype.is_float() { 1_u64 << (8 * dtype.size() - 1) } else { 0 };
        // Zeros of both signs, which are equal, and ones.
        let one = if dtype.is_float() { panel(dtype)[9] } else { 1 };
        let x = Array::new(dtype, (0..50).map(|at| [0, one, sign][at % 3]));
        let ones: Vec<i64> = (0..50).filter(|at| at % 3 == 1).collect();
        let zeros: Vec<i64> = (0..50).filter(|at| at % 3 != 1).collect();
        assert_eq!(of_row(sort(false), &x).1, [&zeros[..], &ones].concat(), "{dtype}");
        assert_eq!(of_row(sort(true), &x).1, [&ones[..], &zeros].concat(), "{dtype}");
        for k in 0..=50 {
            let expected = [&ones[..], &zeros].concat();
            assert_eq!(of_row(top(k, true, true), &x).1, expected[..k as usize], "{dtype} {k}");
            let expected = [&zeros[..], &ones].concat();
            assert_eq!(of_row(top(k, false, true), &x).1, expected[..k as usize], "{dtype} {k}");
        }
    }
}

/// A long row with few elements that differ: the selection is exact, and the rest of it comes from the front.
#[test]
fn few_elements_of_a_long_row() {
    for length in [1000_usize, 1001, 5000] {
        let mut x = vec![0.0_f32; length];
        let places = [17, 999, 500, 63, 64, 998];
        for (rank, place) in places.into_iter().enumerate() {
            x[place] = 1.0 + (rank / 2) as f32;
        }
        // The twos and threes come in pairs, and the lower index first.
        let wanted = [64, 998, 63, 500, 17, 999];
        for k in [1, 3, 6, 8, 100, length as i64] {
            let (_, indices) = of_row(top(k, true, true), &Array::of(&x));
            let zeros = (0..length as i64).filter(|index| !wanted.contains(index));
            let expected: Vec<i64> = wanted.into_iter().chain(zeros).take(k as usize).collect();
            assert_eq!(indices, expected, "{k} of {length}");
            let negated: Vec<f32> = x.iter().map(|x| -x).collect();
            assert_eq!(of_row(top(k, false, true), &Array::of(&negated)).1, expected, "{k} of {length}");
        }
    }
}

/// Plain Rust on integers, and on floats by their total order once NaN and zeros are made alike.
#[test]
fn the_reference_is_what_plain_rust_gives() {
    let mut generator = Generator(9);
    for _ in 0..if EMULATED { 20 } else { 400 } {
        let count = generator.below(40);
        let x: Vec<i16> = (0..count).map(|_| generator.below(9) as i16 - 4).collect();
        let mut expected: Vec<(i16, i64)> = x.iter().copied().zip(0..).collect();
        expected.sort_by_key(|(value, _)| *value);
        let indices: Vec<i64> = expected.iter().map(|(_, index)| *index).collect();
        assert_eq!(of_row(sort(false), &Array::of(&x)).1, indices);
        let floats: Vec<f64> = x
            .iter()
            .map(|x| {
                [f64::NAN, -f64::NAN, f64::NEG_INFINITY, -1.5, -0.0, 0.0, 2.0, 1e300, f64::INFINITY][(x + 4) as usize]
            })
            .collect();
        let plain = |x: f64| if x.is_nan() { f64::NAN.abs() } else { x + 0.0 };
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|a, b| plain(floats[*b]).total_cmp(&plain(floats[*a])));
        let order: Vec<i64> = order.into_iter().map(|index| index as i64).collect();
        assert_eq!(of_row(sort(true), &Array::of(&floats)).1, order);
        let k = generator.below(count + 1);
        let (_, chosen) = of_row(top(k as i64, true, false), &Array::of(&floats));
        let mut expected = order[..k].to_vec();
        expected.sort_unstable();
        assert_eq!(chosen, expected);
    }
}

fn choice() -> impl Strategy<Value = (Choice, Vec<i64>)> {
    let extent = prop_oneof![1 => Just(0_i64), 2 => Just(1), 8 => 2..6_i64, 2 => 60..140_i64];
    let extents =
        proptest::collection::vec(extent, 1..5).prop_filter("small", |extents| extents.iter().product::<i64>() < 3000);
    (extents, any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<[bool; 4]>()).prop_map(
        |(extents, axis, k, [is_sort, largest, sorted, is_negative])| {
            let axis = axis.index(extents.len());
            let k = k.index(extents[axis] as usize + 1) as i64;
            let axis = axis as i64 - if is_negative { extents.len() as i64 } else { 0 };
            let choice = match is_sort {
                true => Choice::Sort(Sort { axis, descending: largest }),
                false => Choice::Top(TopK { axis, k, largest, sorted }),
            };
            (choice, extents)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if EMULATED { 60 } else { 1500 }))]

    #[test]
    fn any_choice_anywhere(
        (choice, place, values, indices) in choice().prop_flat_map(|(choice, extents)| {
            let to = choice.extents(&extents);
            (Just(choice), anywhere(extents), disjoint(to.clone()), disjoint(to))
        }),
        dtype in proptest::sample::select(&DType::ALL[..]),
        seed in any::<u64>(),
    ) {
        if dtype != DType::Bool {
            let x = mixed(dtype, place.buffer, &mut Generator(seed));
            check_choice(choice, (&x, &place), &values, &indices);
        }
    }
}

#[test]
fn every_dtype_of_long_rows_on_any_number_of_threads() {
    let kernels = on_many_threads();
    let extents = if EMULATED { [3, 1500, 2] } else { [7, 3001, 5] };
    for dtype in dtypes() {
        let place = Place::dense(&extents, 1);
        let x = mixed(dtype, place.buffer, &mut Generator(2));
        for choice in [
            Choice::Sort(Sort { axis: 1, descending: true }),
            Choice::Top(TopK { axis: -2, k: 10, largest: true, sorted: true }),
            Choice::Top(TopK { axis: 1, k: 700, largest: false, sorted: false }),
        ] {
            let to = Place::dense(&choice.extents(&extents), 2);
            let call =
                |kernels: &dyn Kernels, x: &[AnyView<'_>], to: &mut [AnyViewMut<'_>]| choice.call(kernels, x, to);
            let places = [(dtype, &to), (DType::I64, &to)];
            check_with(&kernels, &[(&x, &place)], &places, true, &call, &|| format!("{choice:?} of {dtype}"));
        }
    }
}

#[test]
fn errors_of_sorting() {
    let mut text = String::new();
    let x: (DType, &[i64]) = (DType::F32, &[2, 3]);
    let other: &[i64] = &[3, 2];
    let k = |axis, k| Choice::Top(TopK { axis, k, largest: true, sorted: true });
    let along = |axis| Choice::Sort(Sort { axis, descending: false });
    let indices: (DType, &[i64]) = (DType::I64, &[2, 3]);
    for (choice, x, values, indices) in [
        (along(2), x, x, indices),
        (along(i64::MIN), x, x, indices),
        (along(0), (DType::F32, &[][..]), x, indices),
        (along(0), (DType::Bool, &[2, 3]), (DType::Bool, &[2, 3]), indices),
        (along(0), x, (DType::F64, &[2, 3]), indices),
        (along(0), x, (DType::F32, other), indices),
        (along(0), x, x, (DType::I32, &[2, 3])),
        (along(0), x, x, (DType::I64, other)),
        (k(1, 4), x, x, indices),
        (k(0, -1), x, x, indices),
        (k(0, i64::MAX), x, x, indices),
        (k(-3, 1), x, x, indices),
        (k(1, 2), x, x, indices),
        (k(1, 3), x, x, (DType::I64, other)),
    ] {
        let operand = Array::canary(x.0, dense(x.1).count());
        let mut messages = BACKENDS.iter().map(|kernels| {
            let canaries = [values, indices].map(|(dtype, extents)| Array::canary(dtype, dense(extents).count()));
            let mut found = canaries.clone();
            let error = {
                let [first, second] = &mut found;
                let mut views = [first.view_mut(&dense(values.1)), second.view_mut(&dense(indices.1))];
                choice.call(&**kernels, &[operand.view(&dense(x.1))], &mut views).unwrap_err()
            };
            assert_eq!(found, canaries);
            error.to_string()
        });
        let message = messages.next().unwrap();
        assert!(messages.all(|other| other == message));
        writeln!(text, "{message}").unwrap();
    }
    insta::assert_snapshot!(text);
}
