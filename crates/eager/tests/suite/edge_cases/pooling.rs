//! Pooling: ties, NaN, zero norms, padding.

use stratal_eager::{GradientCheck, PoolOptions, Var, apply, no_grad};
use stratal_ops::{AveragePool, GlobalLpPool, GlobalMaxPool, LpPool, MaxPool, Sliding, StorageOrder, Windows};

/// The gradient of a sum of outputs, weighted by 1, 2, 3, ....
fn gradient(x: &Var, output: &Var) -> Vec<f64> {
    let extents: Vec<i64> = output.shape().extents().iter().map(|extent| i64::from(*extent)).collect();
    let weights: Vec<f64> = (1..=output.shape().count()).map(|weight| weight as f64).collect();
    x.clear_gradient();
    output.backward_from(&Var::from_slice(&weights, &extents).unwrap()).unwrap();
    x.gradient().unwrap().to_vec().unwrap()
}

fn row(elements: &[f64]) -> Var {
    Var::leaf(elements, &[1, 1, elements.len() as i64]).unwrap()
}

fn max_pool(kernel: i64, storage_order: StorageOrder) -> MaxPool {
    MaxPool { windows: Windows::of_kernel([kernel]), storage_order }
}

#[test]
fn the_first_of_equal_maxima_has_the_gradient() {
    let x = row(&[3.0, 3.0, 1.0, 1.0, 1.0]);
    let y = apply(&max_pool(3, StorageOrder::RowMajor), &[Some(&x)]).unwrap();
    assert_eq!(gradient(&x, &y), [1.0, 2.0, 3.0, 0.0, 0.0]);
    let x = Var::leaf(&[1.0, 2.0, 2.0, 2.0, -1.0, -1.0, -1.0, -1.0], &[1, 2, 2, 2]).unwrap();
    let pooled = x.max_pool2d([2, 2], PoolOptions::default()).unwrap();
    assert_eq!(gradient(&x, &pooled), [0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
    let global = apply(&GlobalMaxPool, &[Some(&x)]).unwrap();
    assert_eq!(gradient(&x, &global), [0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
}

#[test]
fn nan_and_infinities_keep_gradients_in_their_places() {
    let x = row(&[1.0, f64::NAN, 5.0, f64::NAN]);
    let y = apply(&max_pool(2, StorageOrder::RowMajor), &[Some(&x)]).unwrap();
    assert_eq!(gradient(&x, &y), [0.0, 3.0, 0.0, 3.0]);
    assert_eq!(gradient(&x, &apply(&GlobalMaxPool, &[Some(&x)]).unwrap()), [0.0, 1.0, 0.0, 0.0]);
    let x = row(&[f64::NEG_INFINITY; 3]);
    let y = apply(&max_pool(2, StorageOrder::RowMajor), &[Some(&x)]).unwrap();
    assert_eq!(gradient(&x, &y), [1.0, 2.0, 0.0]);
    // Padding never wins.
    let x = Var::leaf(&[-4.0, -3.0], &[1, 1, 1, 2]).unwrap();
    let options = PoolOptions { strides: Some([1, 1]), padding: [0, 1], ..PoolOptions::default() };
    assert_eq!(gradient(&x, &x.max_pool2d([1, 2], options).unwrap()), [1.0, 5.0]);
}

#[test]
fn the_order_in_which_indices_count_does_not_matter() {
    let elements: Vec<f64> = (0..48).map(|at| f64::from(at * 29 % 48)).collect();
    let x = Var::leaf(&elements, &[1, 2, 2, 3, 4]).unwrap();
    let windows = Windows { kernel: vec![2, 2, 3], sliding: Sliding::default(), ceil: false };
    let of = |storage_order| {
        let pool = MaxPool { windows: windows.clone(), storage_order };
        gradient(&x, &apply(&pool, &[Some(&x)]).unwrap())
    };
    assert_eq!(of(StorageOrder::ColumnMajor), of(StorageOrder::RowMajor));
}

#[test]
fn each_axis_has_its_own_dilation() {
    let x: Vec<f64> = (0..25).map(|at| (f64::from(at) * 0.618).fract()).collect();
    let x = Var::leaf(&x, &[1, 1, 5, 5]).unwrap();
    let options = PoolOptions { strides: Some([1, 1]), dilations: [1, 2], ..PoolOptions::default() };
    let pools =
        |inputs: &[Var]| Ok(vec![inputs[0].max_pool2d([2, 2], options)?, inputs[0].average_pool2d([2, 2], options)?]);
    let report = GradientCheck { second_order: true, ..GradientCheck::default() }.run(pools, &[x]).unwrap();
    assert!(report.is_close(), "{report}");
}

#[test]
fn averages_have_shares_of_what_they_count() {
    let windows = |ceil| {
        let padding = stratal_ops::SlidingPadding::Explicit(vec![1, 0]);
        Windows { kernel: vec![2], sliding: Sliding { strides: vec![2], padding, ..Sliding::default() }, ceil }
    };
    let of = |x: &Var, ceil, count_padding| {
        gradient(x, &apply(&AveragePool { windows: windows(ceil), count_padding }, &[Some(x)]).unwrap())
    };
    let x = row(&[5.0, 6.0, 7.0, 8.0]);
    assert_eq!(of(&x, false, false), [1.0, 1.0, 1.0, 0.0]);
    assert_eq!(of(&x, false, true), [0.5, 1.0, 1.0, 0.0]);
    // The last window has one element, and nothing beyond counts.
    assert_eq!(of(&x, true, true), [0.5, 1.0, 1.0, 3.0]);
}

#[test]
fn norms_of_zero_have_no_slope() {
    for power in 1..=4 {
        let x = row(&[0.0, 0.0, 3.0]);
        let pool = LpPool { windows: Windows::of_kernel([2]), power };
        let found = gradient(&x, &apply(&pool, &[Some(&x)]).unwrap());
        assert_eq!(found, [0.0, 0.0, 2.0], "power {power}");
        let x = row(&[0.0, 0.0]);
        assert_eq!(gradient(&x, &apply(&GlobalLpPool { power }, &[Some(&x)]).unwrap()), [0.0, 0.0]);
    }
}

#[test]
fn nothing_is_recorded_without_gradients() {
    let x = row(&[1.0, 2.0, 3.0]);
    let y = no_grad(|| apply(&max_pool(2, StorageOrder::RowMajor), &[Some(&x)])).unwrap();
    assert!(!y.requires_grad());
}
