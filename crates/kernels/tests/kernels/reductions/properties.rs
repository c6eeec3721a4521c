//! Any shape, any strides, any operation on rows: every backend against the reference, and the reference against models that
//! know nothing of an order: exact integers.

use proptest::prelude::*;
use stratal_kernels::reduce::{L1Norm, Max, Mean, Min, Prod, Reduction, Sum, SumSquare};
use stratal_kernels::{Accumulation, Scan};
use stratal_tensor_base::DType;

use super::calls::{CALLS, Case, Layout};
use crate::EMULATED;
use crate::array::Array;
use crate::backends::BACKENDS;
use crate::place::{Place, row_major};
use crate::values::Generator;

fn extents() -> impl Strategy<Value = Vec<i64>> {
    let extent = prop_oneof![1 => Just(0_i64), 3 => Just(1), 8 => 2..6_i64, 2 => 9..40_i64, 1 => 60..140_i64];
    proptest::collection::vec(extent, 1..6).prop_filter("small", |extents| extents.iter().product::<i64>() < 3000)
}

/// Any small strides at all, or row-major ones shuffled, reversed and repeated.
fn place(extents: Vec<i64>) -> impl Strategy<Value = Place> {
    let any_strides = proptest::collection::vec(-5..6_i64, extents.len());
    let factors = proptest::collection::vec(
        prop_oneof![5 => Just(1_i64), 1 => Just(-1), 1 => Just(0), 1 => Just(2)],
        extents.len(),
    );
    let shuffled = (Just(row_major(&extents)).prop_shuffle(), Just(row_major(&extents)));
    let of_dense = (shuffled, any::<bool>(), factors).prop_map(|((shuffled, dense), is_dense, factors)| {
        let strides = if is_dense { dense } else { shuffled };
        strides.iter().zip(factors).map(|(stride, factor)| stride * factor).collect::<Vec<_>>()
    });
    prop_oneof![1 => any_strides.boxed(), 4 => of_dense.boxed()]
        .prop_map(move |strides| Place::new(&extents, &strides, 1))
}

fn problem() -> impl Strategy<Value = (Place, Place, Vec<usize>)> {
    extents().prop_flat_map(|extents| {
        let axes = proptest::sample::subsequence((0..extents.len()).collect::<Vec<_>>(), 0..=extents.len());
        (place(extents.clone()), place(extents), axes)
    })
}

/// What a row gives, where an exact number is expected.
type Model = fn(&[i32]) -> Option<i32>;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if EMULATED { 60 } else { 3000 }))]

    #[test]
    fn any_operation_on_any_rows(
        call in 0..CALLS.len(),
        dtype in any::<proptest::sample::Index>(),
        (x, others, axes) in problem(),
        is_sparse in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let call = &CALLS[call];
        let dtypes: Vec<DType> = DType::ALL.into_iter().filter(|dtype| call.is_defined(*dtype)).collect();
        let layout = if is_sparse { Layout::Sparse } else { Layout::Dense };
        let case = Case { call, dtype: *dtype.get(&dtypes), axes: &axes, places: [&x, &others], layout };
        case.check_plain(seed);
        case.check_mixed(seed);
    }

    /// Integers small enough that f32 holds every sum of them exactly, so that any order gives the same.
    #[test]
    fn exact_reductions_are_what_integers_give((place, _, axes) in problem(), seed in any::<u64>()) {
        let mut generator = Generator(seed);
        let numbers: Vec<i32> = (0..place.buffer).map(|_| generator.below(9) as i32 - 4).collect();
        let rows = rows(&place, &axes, &numbers);
        let operations: [(&dyn Reduction, Model); 7] = [
            (&Sum, |row| Some(row.iter().sum())),
            (&L1Norm, |row| Some(row.iter().map(|x| x.abs()).sum())),
            (&SumSquare, |row| Some(row.iter().map(|x| x * x).sum())),
            (&Max, |row| row.iter().max().copied()),
            (&Min, |row| row.iter().min().copied()),
            // A zero makes it zero, where the others do not overflow.
            (&Prod, |row| (row.len() < 60 && row.contains(&0)).then_some(0)),
            (&Mean, |row| match row.iter().sum::<i32>() {
                sum if !row.is_empty() && sum % row.len() as i32 == 0 => Some(sum / row.len() as i32),
                _ => None,
            }),
        ];
        let floats: Vec<f32> = numbers.iter().map(|x| *x as f32).collect();
        let doubles: Vec<f64> = numbers.iter().map(|x| f64::from(*x)).collect();
        let operands = [Array::of(&numbers), Array::of(&floats), Array::of(&doubles)];
        let reduced: Vec<i64> = place.extents.iter().enumerate().map(|(axis, extent)| {
            if axes.contains(&axis) { 1 } else { *extent }
        }).collect();
        let target = Place { buffer: Place::dense(&reduced, 0).count(), ..Place::dense(&reduced, 0) };
        for kernels in BACKENDS.iter() {
            for (operation, model) in &operations {
                let expected: Vec<Option<i32>> = rows.iter().map(|row| model(row)).collect();
                if rows.iter().any(Vec::is_empty) && operation.needs_elements(DType::I32) {
                    continue;
                }
                for x in &operands {
                    let mut result = Array::canary(x.dtype, target.buffer);
                    kernels.reduce(*operation, &x.view(&place), &mut result.view_mut(&target)).unwrap();
                    let found: Vec<f64> = match x.dtype {
                        DType::I32 => result.to_vec::<i32>().into_iter().map(f64::from).collect(),
                        DType::F32 => result.to_vec::<f32>().into_iter().map(f64::from).collect(),
                        _ => result.to_vec::<f64>(),
                    };
                    for (found, expected) in found.iter().zip(&expected) {
                        let is_right = expected.is_none_or(|expected| f64::from(expected) == *found);
                        prop_assert!(is_right, "{operation:?} of {} gave {found} for {expected:?} on {kernels:?}", x.dtype);
                    }
                }
            }
        }
    }

    #[test]
    fn scans_are_prefix_sums(length in 0..200_usize, exclusive in any::<bool>(), reverse in any::<bool>(), seed in any::<u64>()) {
        let mut generator = Generator(seed);
        let numbers: Vec<i32> = (0..length).map(|_| generator.below(2001) as i32 - 1000).collect();
        let expected: Vec<i32> = (0..length).map(|index| {
            let range = match (exclusive, reverse) {
                (false, false) => 0..index + 1,
                (true, false) => 0..index,
                (false, true) => index..length,
                (true, true) => index + 1..length,
            };
            numbers[range].iter().sum()
        }).collect();
        let floats: Vec<f32> = numbers.iter().map(|x| *x as f32).collect();
        let scan = Scan { accumulation: Accumulation::Sum, exclusive, reverse };
        for kernels in BACKENDS.iter() {
            let mut result = Array::canary(DType::I32, length);
            kernels.scan(scan, 0, &Array::of(&numbers).row(), &mut result.row_mut()).unwrap();
            prop_assert_eq!(result.to_vec::<i32>(), expected.clone());
            let mut result = Array::canary(DType::F32, length);
            kernels.scan(scan, 0, &Array::of(&floats).row(), &mut result.row_mut()).unwrap();
            prop_assert_eq!(result.to_vec::<f32>(), expected.iter().map(|x| *x as f32).collect::<Vec<_>>());
        }
    }
}

/// The elements of each row, by index.
fn rows(place: &Place, axes: &[usize], numbers: &[i32]) -> Vec<Vec<i32>> {
    let mut rows = vec![0_usize];
    for (axis, extent) in place.extents.iter().enumerate() {
        let next = |row: usize| {
            (0..*extent as usize)
                .map(move |index| if axes.contains(&axis) { row } else { row * *extent as usize + index })
        };
        rows = rows.into_iter().flat_map(next).collect();
    }
    let across = place.extents.iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
    let mut elements = vec![Vec::new(); across.map(|(_, extent)| *extent as usize).product()];
    for (row, position) in rows.into_iter().zip(place.positions()) {
        elements[row].push(numbers[position]);
    }
    elements
}
