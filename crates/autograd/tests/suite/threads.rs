//! Several threads: modes of their own, graphs and slots in common.

use std::sync::{Arc, Barrier, Mutex};

use stratal_autograd::{
    Accumulate, AutogradError, BackwardOptions, Engine, GradientSlot, InputGradients, OpKind, Recording, RuleCall,
    RuleError, Rules, Variable, is_grad_enabled, no_grad,
};

use crate::toy::{self, Sum, engine, exp, gradient, leaf, mul, scale, tensor};

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
    const PASS: OpKind = OpKind::new("pass");
    let mut rules = Rules::new();
    rules
        .register(PASS, |call: &RuleCall<'_>| -> Result<InputGradients, RuleError> {
            let gradient = call.only_gradient()?;
            Ok(call.record().inputs().iter().map(|_| Some(gradient.clone())).collect())
        })
        .unwrap();
    let (engine, rounds) = (Engine::new(rules, Sum), 500);
    // Many slots, so that the moment in which all are locked is long.
    let leaves: Vec<Variable> = (0..500).map(|_| leaf(&[1.0])).collect();
    let forth: Vec<&Variable> = leaves.iter().collect();
    let back: Vec<&Variable> = leaves.iter().rev().collect();
    std::thread::scope(|scope| {
        for inputs in [&forth, &back] {
            let engine = &engine;
            scope.spawn(move || {
                for _ in 0..rounds {
                    let output = Recording::start(PASS, inputs).finish(inputs[0].tensor().clone()).unwrap();
                    engine.backward(&output).unwrap();
                }
            });
        }
    });
    for leaf in &leaves {
        assert_eq!(gradient(leaf), [1000.0]);
    }
}

#[test]
fn a_slot_that_changes_while_a_sum_is_computed_is_added_to_again() {
    /// Somebody else empties the slot, or puts another gradient there, in the middle of the first addition.
    struct Meddling {
        slot: Arc<GradientSlot>,
        puts: Mutex<Option<Option<f32>>>,
    }

    impl Accumulate for Meddling {
        fn add(&self, first: &Variable, second: &Variable) -> Result<Variable, RuleError> {
            match self.puts.lock().unwrap().take() {
                Some(Some(value)) => drop(self.slot.replace(tensor(&[value]))?),
                Some(None) => self.slot.clear(),
                None => {}
            }
            Sum.add(first, second)
        }
    }

    for (puts, expected) in [(Some(100.0), 101.0), (None, 1.0)] {
        let x = leaf(&[1.0]);
        let slot = Arc::clone(x.edge().slot().unwrap());
        slot.replace(tensor(&[10.0])).unwrap();
        let meddling = Meddling { slot, puts: Mutex::new(Some(puts)) };
        Engine::new(toy::rules(), meddling).backward(&scale(&x, 1.0).unwrap()).unwrap();
        assert_eq!(gradient(&x), [expected]);
    }
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
