//! Several threads: modes of their own, graphs and slots in common.

use std::sync::{Arc, Barrier};

use stratal_autograd::{AutogradError, BackwardOptions, Variable, is_grad_enabled, no_grad};

use crate::toy::{add, engine, exp, gradient, leaf, mul, scale};

#[test]
fn each_thread_has_a_mode_of_its_own() {
    let x = leaf(&[2.0]);
    let barrier = Barrier::new(2);
    std::thread::scope(|scope| {
        let off = scope.spawn(|| {
            no_grad(|| {
                barrier.wait();
                let y = mul(&x, &x).unwrap();
                barrier.wait();
                y.requires_grad()
            })
        });
        barrier.wait();
        assert!(is_grad_enabled());
        assert!(mul(&x, &x).unwrap().requires_grad());
        barrier.wait();
        assert!(!off.join().unwrap());
    });
}

#[test]
fn one_graph_walked_by_two_threads_is_walked_once() {
    for _ in 0..200 {
        let x = leaf(&[2.0]);
        let mut y = x.clone();
        for _ in 0..20 {
            y = exp(&scale(&y, 0.0).unwrap()).unwrap();
        }
        let (engine, barrier) = (engine(), Barrier::new(2));
        let outcomes: Vec<Result<(), AutogradError>> = std::thread::scope(|scope| {
            let walks: Vec<_> = (0..2)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        engine.backward(&y)
                    })
                })
                .collect();
            walks.into_iter().map(|walk| walk.join().unwrap()).collect()
        });
        // They start at the same record, so whoever gets it gets all.
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
        let refused = outcomes.into_iter().find_map(Result::err).unwrap();
        assert!(matches!(refused, AutogradError::Released { .. }), "{refused}");
        assert_eq!(gradient(&x), [0.0]);
        assert!(y.grad_fn().unwrap().is_released());
    }
}

#[test]
fn retained_graphs_that_share_records_are_walked_by_many_threads() {
    let x = leaf(&[3.0]);
    let shared = mul(&x, &x).unwrap();
    let tops: Vec<Variable> = (0..4).map(|factor| scale(&shared, f64::from(factor)).unwrap()).collect();
    let (engine, rounds) = (engine(), 100);
    std::thread::scope(|scope| {
        for top in &tops {
            let engine = &engine;
            scope.spawn(move || {
                for _ in 0..rounds {
                    engine.backward_from(&[top.into()], BackwardOptions { retain_graph: true }).unwrap();
                }
            });
        }
    });
    // No addition is lost: 6 * (0 + 1 + 2 + 3), a hundred times.
    assert_eq!(gradient(&x), [3600.0]);
}

#[test]
fn slots_shared_by_walks_in_opposite_order_are_no_deadlock() {
    let (x, y) = (leaf(&[1.0]), leaf(&[1.0]));
    let (engine, rounds) = (engine(), 500);
    std::thread::scope(|scope| {
        for inputs in [[&x, &y], [&y, &x]] {
            let engine = &engine;
            scope.spawn(move || {
                for _ in 0..rounds {
                    engine.backward(&add(inputs[0], inputs[1]).unwrap()).unwrap();
                }
            });
        }
    });
    assert_eq!((gradient(&x), gradient(&y)), (vec![1000.0], vec![1000.0]));
}

#[test]
fn a_long_graph_is_dropped_by_two_threads_at_once() {
    for _ in 0..20 {
        let x = leaf(&[1.0]);
        let mut y = x.clone();
        for _ in 0..5_000 {
            y = scale(&y, 1.0).unwrap();
        }
        let slot = Arc::clone(x.edge().slot().unwrap());
        let tops: Vec<Variable> = (0..2).map(|_| scale(&y, 1.0).unwrap()).collect();
        drop((x, y));
        let barrier = Barrier::new(2);
        std::thread::scope(|scope| {
            for top in tops {
                scope.spawn(|| {
                    barrier.wait();
                    drop(top);
                });
            }
        });
        assert_eq!(Arc::strong_count(&slot), 1);
    }
}
