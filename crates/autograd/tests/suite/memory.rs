//! What is kept, how long, and that nothing is recursive.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
};
use stratal_autograd::{
    AutogradError, BackwardOptions, Engine, InputGradients, OpKind, Output, Recording, RuleCall, RuleError, Rules,
    Variable,
    tensor::{Tensor, TensorOptions, base::DType, memory::Pool},
};

use crate::toy::{self, MUL, POOL, Sum, add, engine, exp, gradient, leaf, max, mul, scale, tensor};

const PASS: OpKind = OpKind::new("pass");

/// An operation that hands on its first input and does nothing else.
fn pass(inputs: &[&Variable]) -> Variable {
    Recording::start(PASS, inputs).finish(inputs[0].tensor().clone()).unwrap()
}

fn of_pass(call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
    let gradient = call.only_gradient()?;
    Ok(call.record().inputs().iter().map(|_| Some(gradient.clone())).collect())
}

fn pass_engine() -> Engine {
    let mut rules = Rules::new();
    rules.register(PASS, of_pass).unwrap();
    Engine::new(rules, Sum)
}

fn live_bytes() -> u64 {
    POOL.with(Pool::usage).total.live_bytes
}

/// Runs on a thread whose stack is far too small for a recursion over many records.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}

const MANY: usize = 1_000_000;

#[test]
fn a_million_records_go_backward_and_are_dropped() {
    on_a_small_stack(|| {
        let x = leaf(&[1.0]);
        let mut y = x.clone();
        for _ in 0..MANY {
            y = pass(&[&y]);
        }
        pass_engine().backward(&y).unwrap();
        assert_eq!(gradient(&x), [1.0]);
        drop(y);
        assert_eq!(Arc::strong_count(x.edge().slot().unwrap()), 1);
    });
}

#[test]
fn a_long_chain_of_pairs_that_is_shared_in_parts_is_dropped() {
    on_a_small_stack(|| {
        let x = leaf(&[1.0]);
        let (mut y, mut halfway) = (x.clone(), None);
        for step in 0..200_000 {
            // A ladder: each record is used by two others.
            let side = pass(&[&y]);
            y = pass(&[&y, &side]);
            if step == 100_000 {
                halfway = Some(y.clone());
            }
        }
        drop(y);
        let halfway = halfway.unwrap();
        assert!(halfway.grad_fn().is_some_and(|record| Arc::strong_count(record) == 1));
        drop(halfway);
        assert_eq!(Arc::strong_count(x.edge().slot().unwrap()), 1);
    });
}

#[test]
fn a_wide_graph_goes_backward_and_is_dropped() {
    on_a_small_stack(|| {
        let x = leaf(&[1.0]);
        let shared = pass(&[&x]);
        let branches: Vec<Variable> = (0..100_000).map(|_| pass(&[&shared])).collect();
        let output = pass(&branches.iter().collect::<Vec<_>>());
        drop(branches);
        pass_engine().backward(&output).unwrap();
        assert_eq!(gradient(&x), [100_000.0]);
        drop(shared);
        drop(output);
        assert_eq!(Arc::strong_count(x.edge().slot().unwrap()), 1);
    });
}

#[test]
fn handles_may_be_dropped_in_any_order() {
    // Five values of one graph, dropped in each of the 120 orders.
    for order in 0..120 {
        let x = leaf(&[1.0]);
        let a = exp(&x).unwrap();
        let b = mul(&a, &x).unwrap();
        let c = max(&b).unwrap();
        let slot = Arc::clone(x.edge().slot().unwrap());
        let mut values = vec![x, a.clone(), b, c, a];
        let mut code = order;
        while !values.is_empty() {
            let index = code % values.len();
            code /= values.len();
            drop(values.swap_remove(index));
        }
        assert_eq!(Arc::strong_count(&slot), 1, "order {order}");
    }
    assert_eq!(live_bytes(), 0);
}

#[test]
fn ten_thousand_forwards_without_backward_leave_memory_flat() {
    let x = leaf(&[1.0; 64]);
    let forward = || {
        let y = exp(&mul(&x, &x).unwrap()).unwrap();
        // Saves its own output: a cycle would show here.
        drop(exp(&y).unwrap());
    };
    forward();
    let (live, classes) = (live_bytes(), POOL.with(Pool::usage).total.idle_bytes);
    let before = allocation_counter::measure(forward);
    for _ in 0..10_000 {
        forward();
    }
    assert_eq!((live_bytes(), POOL.with(Pool::usage).total.idle_bytes), (live, classes));
    assert_eq!(live, 0);
    assert_eq!(before.count_current, 0, "every allocation of a forward is freed with its results");
    assert_eq!(Arc::strong_count(x.edge().slot().unwrap()), 1);
}

/// The live bytes as each rule of a chain of products sees them.
fn live_bytes_seen(options: BackwardOptions) -> Vec<u64> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut rules = Rules::new();
    let log = Arc::clone(&seen);
    rules
        .register(MUL, move |call: &RuleCall<'_>| -> Result<InputGradients, RuleError> {
            log.lock().unwrap().push(live_bytes());
            // Touches the saved tensors, as a rule does, and makes nothing that would be counted.
            let _factor = call.saved(1)?;
            Ok([Some(call.only_gradient()?.clone()), None].into())
        })
        .unwrap();
    let x = leaf(&[1.0; 256]);
    let mut y = x.clone();
    for _ in 0..8 {
        let weight =
            POOL.with(|pool| TensorOptions::new(DType::F32).allocator(pool).zeroed(true).empty(&[256])).unwrap();
        y = mul(&y, &Variable::constant(weight)).unwrap();
    }
    let outputs = [Output::with_gradient(&y, tensor(&[1.0; 256]))];
    Engine::new(rules, Sum).backward_from(&outputs, options).unwrap();
    seen.lock().unwrap().clone()
}

#[test]
fn saved_activations_are_released_while_the_walk_goes_on() {
    let (output, weight) = (1024, 1024);
    let falling: Vec<u64> = (1..=8).rev().map(|left| output + left * weight).collect();
    assert_eq!(live_bytes_seen(BackwardOptions::default()), falling);
    assert_eq!(live_bytes_seen(BackwardOptions { retain_graph: true }), [output + 8 * weight; 8]);
}

#[test]
fn a_second_backward_needs_a_retained_graph() {
    let x = leaf(&[3.0]);
    let y = scale(&mul(&x, &x).unwrap(), 1.0).unwrap();
    let engine = engine();
    engine.backward_from(&[(&y).into()], BackwardOptions { retain_graph: true }).unwrap();
    engine.backward(&y).unwrap();
    assert_eq!(gradient(&x), [12.0]);
    let error = engine.backward(&y).unwrap_err();
    // All behind the output is looked at first: the record that is named is the first one recorded.
    assert!(matches!(error, AutogradError::Released { op: MUL }));
    assert_eq!(gradient(&x), [12.0]);
}

#[test]
fn a_graph_that_saved_nothing_is_released_all_the_same() {
    let x = leaf(&[3.0]);
    let y = add(&x, &x).unwrap();
    engine().backward(&y).unwrap();
    assert!(matches!(engine().backward(&y), Err(AutogradError::Released { .. })));
}

#[test]
fn a_record_is_released_once() {
    let x = leaf(&[3.0]);
    let y = exp(&x).unwrap();
    let record = Arc::clone(y.grad_fn().unwrap());
    let before = live_bytes();
    assert!(!record.is_released());
    record.release().unwrap();
    assert!(record.is_released());
    assert_eq!(live_bytes(), before, "the output is alive");
    assert!(matches!(record.release(), Err(AutogradError::Released { .. })));
    assert!(matches!(engine().backward(&y), Err(AutogradError::Released { .. })));
    drop(y);
    assert_eq!(live_bytes(), before - 64);
}

#[test]
fn a_released_record_frees_the_tensors_it_made() {
    let pool = Pool::new();
    let x = leaf(&[1.0, 2.0]);
    let mut recording = Recording::start(PASS, &[&x]);
    recording.save_owned(TensorOptions::new(DType::F32).allocator(&pool).empty(&[100]).unwrap());
    let y = recording.finish(tensor(&[0.0])).unwrap();
    assert_eq!(pool.usage().total.live_bytes, 448);
    y.grad_fn().unwrap().release().unwrap();
    assert_eq!(pool.usage().total.live_bytes, 0);
}

#[test]
fn what_was_overwritten_before_the_walk_costs_nothing_but_the_walk() {
    let (x, y) = (leaf(&[3.0]), leaf(&[4.0]));
    let first = mul(&x, &y).unwrap();
    let output = exp(&scale(&first, 0.0).unwrap()).unwrap();
    x.tensor().fill(7).unwrap();
    let engine = engine();
    assert!(matches!(engine.backward(&output), Err(AutogradError::Saved { op: MUL, .. })));
    assert!(matches!(engine.backward(&output), Err(AutogradError::Saved { op: MUL, .. })), "and not released");
    assert!(!output.grad_fn().unwrap().is_released());
    assert!(x.gradient().is_none() && y.gradient().is_none());
    // The gradient of x does not need x, so it can still be had, and then the graph is released after all.
    let gradients = engine.grad(&[(&output).into()], &[&x], Default::default()).unwrap();
    assert_eq!(toy::values(gradients[0].as_ref().unwrap().tensor()), [0.0]);
    assert!(output.grad_fn().unwrap().is_released() && first.grad_fn().unwrap().is_released());
}

#[test]
fn a_tensor_that_was_released_is_a_clear_error_and_loses_nothing() {
    let (x, w) = (leaf(&[3.0]), Variable::constant(toy::tensor(&[2.0])));
    let output = exp(&mul(&x, &w).unwrap()).unwrap();
    w.tensor().release().unwrap();
    let error = engine().backward(&output).unwrap_err();
    assert!(error.to_string().starts_with("mul cannot go backward with slot 1 (input 1): "), "{error}");
    assert!(!output.grad_fn().unwrap().is_released());
}

#[test]
fn a_failing_rule_loses_only_what_was_walked() {
    const FLAKY: OpKind = OpKind::new("flaky");
    for panics in [false, true] {
        let fails = Arc::new(Mutex::new(true));
        let mut rules = toy::rules();
        let switch = Arc::clone(&fails);
        rules
            .register(FLAKY, move |call: &RuleCall<'_>| -> Result<InputGradients, RuleError> {
                let fails = *switch.lock().unwrap();
                assert!(!(fails && panics), "in a rule");
                call.saved(0)?;
                if fails { Err("not today".into()) } else { Ok([call.only_gradient()?.clone()].into()) }
            })
            .unwrap();
        let engine = Engine::new(rules, Sum);
        let x = leaf(&[1.0]);
        let below = exp(&x).unwrap();
        let mut recording = Recording::start(FLAKY, &[&below]);
        recording.save_input(0);
        let flaky = recording.finish(tensor(&[2.0])).unwrap();
        let above = exp(&flaky).unwrap();
        let run = |output: &Variable| catch_unwind(AssertUnwindSafe(|| engine.backward(output)));
        match run(&above) {
            Ok(outcome) => {
                assert_eq!(outcome.unwrap_err().to_string(), "the backward rule of flaky failed: not today");
            }
            Err(_) => assert!(panics),
        }
        assert!(x.gradient().is_none());
        let released = [&above, &flaky, &below].map(|variable| variable.grad_fn().unwrap().is_released());
        assert_eq!(released, [true, false, false]);
        *fails.lock().unwrap() = false;
        run(&flaky).unwrap().unwrap();
        assert_eq!(gradient(&x).len(), 1);
    }
}

#[test]
fn slots_are_written_all_or_none() {
    /// Adds, but not at a leaf that has 100 already.
    struct Picky;

    impl stratal_autograd::Accumulate for Picky {
        fn add(&self, first: &Variable, second: &Variable) -> Result<Variable, RuleError> {
            if toy::values(first.tensor()) == [100.0] { Err("full".into()) } else { Sum.add(first, second) }
        }
    }

    let leaves = [leaf(&[1.0]), leaf(&[2.0]), leaf(&[3.0])];
    for (leaf, gradient) in leaves.iter().zip([1.0, 100.0, 2.0]) {
        leaf.edge().slot().unwrap().replace(tensor(&[gradient])).unwrap();
    }
    let sum = add(&add(&leaves[0], &leaves[1]).unwrap(), &leaves[2]).unwrap();
    let engine = Engine::new(toy::rules(), Picky);
    let error = engine.backward(&sum).unwrap_err();
    assert_eq!(error.to_string(), "adding up the gradients of a leaf failed: full");
    assert_eq!(leaves.each_ref().map(gradient), [[1.0], [100.0], [2.0]]);
}

#[test]
fn a_leaf_that_is_used_and_dropped_keeps_its_slot_for_others() {
    let x = leaf(&[3.0]);
    let y = mul(&x, &x).unwrap();
    let slot = Arc::clone(x.edge().slot().unwrap());
    drop(x);
    engine().backward(&y).unwrap();
    assert_eq!(toy::values(&slot.get().unwrap()), [6.0]);
    let stale = Tensor::scalar(1.0_f32).unwrap();
    assert!(slot.replace(stale).is_err());
}
