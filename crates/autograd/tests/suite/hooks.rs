//! Hooks: what they see, when, and what they may do.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex},
};

use stratal_autograd::{AutogradError, GradOptions, Hook, RuleError, Variable, is_grad_enabled};

use crate::toy::{add, constant, engine, exp, gradient, leaf, mul, scale, split, tensor, values};

type Log = Arc<Mutex<Vec<(&'static str, Vec<f32>)>>>;

/// A hook that writes down what it sees and leaves it.
fn noting(log: &Log, name: &'static str) -> impl Hook + 'static {
    let log = Arc::clone(log);
    move |gradient: &Variable| -> Result<Option<Variable>, RuleError> {
        log.lock().unwrap().push((name, values(gradient.tensor())));
        Ok(None)
    }
}

/// A hook that multiplies.
fn scaling(factor: f64) -> impl Hook + 'static {
    move |gradient: &Variable| -> Result<Option<Variable>, RuleError> { Ok(Some(scale(gradient, factor)?)) }
}

#[test]
fn a_hook_sees_the_complete_gradient_of_a_leaf_and_of_an_interior_value() {
    let log = Log::default();
    let x = leaf(&[3.0]);
    let a = scale(&x, 2.0).unwrap();
    let _ = x.register_hook(noting(&log, "x")).unwrap();
    let _ = a.register_hook(noting(&log, "a")).unwrap();
    engine().backward(&add(&mul(&a, &a).unwrap(), &x).unwrap()).unwrap();
    // x gets 1 from the sum and 24 from behind a; a gets 6 twice.
    assert_eq!(*log.lock().unwrap(), [("a", vec![12.0]), ("x", vec![25.0])]);
}

#[test]
fn hooks_run_in_order_and_replace_the_gradient_for_what_follows() {
    let log = Log::default();
    let x = leaf(&[3.0]);
    let a = scale(&x, 2.0).unwrap();
    let _ = a.register_hook(noting(&log, "first")).unwrap();
    let _ = a.register_hook(scaling(10.0)).unwrap();
    let removed = a.register_hook(scaling(0.0)).unwrap();
    let _ = a.register_hook(noting(&log, "last")).unwrap();
    let _ = x.register_hook(scaling(-1.0)).unwrap();
    removed.remove();
    let y = scale(&a, 1.0).unwrap();
    let options = GradOptions { retain_graph: true, ..GradOptions::default() };
    let gradients = engine().grad(&[(&y).into()], &[&a, &x], options).unwrap();
    let found: Vec<_> = gradients.iter().map(|gradient| values(gradient.as_ref().unwrap().tensor())).collect();
    assert_eq!(found, [[10.0], [-20.0]]);
    engine().backward(&y).unwrap();
    assert_eq!(gradient(&x), [-20.0]);
    let expected = [("first", vec![1.0]), ("last", vec![10.0])];
    assert_eq!(*log.lock().unwrap(), [expected.clone(), expected].concat());
}

#[test]
fn a_hook_is_on_one_output() {
    let log = Log::default();
    let x = leaf(&[1.0, 2.0]);
    let [low, high] = split(&x).unwrap();
    let _ = high.register_hook(noting(&log, "high")).unwrap();
    engine().backward(&scale(&low, 5.0).unwrap()).unwrap();
    assert!(log.lock().unwrap().is_empty(), "the other output has no gradient");
    let [low, high] = split(&x).unwrap();
    let _ = high.register_hook(noting(&log, "high")).unwrap();
    engine().backward(&mul(&low, &high).unwrap()).unwrap();
    assert_eq!(*log.lock().unwrap(), [("high", vec![1.0])]);
}

#[test]
fn a_replacement_must_fit() {
    let x = leaf(&[3.0]);
    let _ = x.register_hook(|_: &Variable| -> Result<_, RuleError> { Ok(Some(constant(&[1.0, 2.0]))) }).unwrap();
    let error = engine().backward(&scale(&x, 1.0).unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "the gradient for a leaf has shape [2] instead of [1]");
    assert!(x.gradient().is_none());
}

#[test]
fn a_hook_that_fails_ends_the_walk_by_name() {
    let x = leaf(&[3.0]);
    let a = exp(&x).unwrap();
    let handle = a.register_hook(|_: &Variable| -> Result<_, RuleError> { Err("not today".into()) }).unwrap();
    let error = engine().backward(&a).unwrap_err();
    assert_eq!(error.to_string(), "a hook on output 0 of exp failed: not today");
    handle.remove();
    engine().backward(&a).unwrap();
    assert!(x.gradient().is_some());
}

#[test]
fn a_panicking_hook_leaves_everything_usable() {
    let x = leaf(&[3.0]);
    let a = exp(&x).unwrap();
    let handle = a.register_hook(|_: &Variable| -> Result<_, RuleError> { panic!("in a hook") }).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| engine().backward(&a))).is_err());
    assert!(is_grad_enabled());
    handle.remove();
    let _ = a.register_hook(scaling(0.0)).unwrap();
    engine().backward(&a).unwrap();
    assert_eq!(gradient(&x), [0.0]);
}

#[test]
fn a_hook_may_walk_register_and_remove() {
    let log = Log::default();
    let (x, engine) = (leaf(&[3.0]), Arc::new(engine()));
    let handle = Mutex::new(Some(x.register_hook(scaling(10.0)).unwrap()));
    let a = scale(&x, 2.0).unwrap();
    let (leaf_again, noting_engine, noting_log) = (x.detach(), Arc::clone(&engine), Arc::clone(&log));
    let other = leaf(&[0.0]);
    let slot_of_other = other.clone();
    let _ = a
        .register_hook(move |gradient: &Variable| -> Result<_, RuleError> {
            // Another graph, from within the walk of this one; then hooks that this walk has yet to come to.
            assert!(!is_grad_enabled());
            let inner = stratal_autograd::enable_grad(|| mul(&other, &leaf_again))?;
            noting_engine.backward(&inner)?;
            handle.lock().unwrap().take().unwrap().remove();
            let _ = other.register_hook(noting(&noting_log, "too late"))?;
            Ok(Some(gradient.clone()))
        })
        .unwrap();
    engine.backward(&a).unwrap();
    assert_eq!((gradient(&x), gradient(&slot_of_other)), (vec![2.0], vec![3.0]), "the hook on x was removed in time");
    assert!(log.lock().unwrap().is_empty());
}

#[test]
fn a_hook_that_walks_the_same_graph_ends_the_walk_it_is_part_of() {
    let x = leaf(&[3.0]);
    let a = scale(&x, 2.0).unwrap();
    let y = scale(&a, 1.0).unwrap();
    let record = Arc::clone(a.grad_fn().unwrap());
    let _ = y
        .register_hook(move |_: &Variable| -> Result<_, RuleError> {
            record.release()?;
            Ok(None)
        })
        .unwrap();
    let error = engine().backward(&y).unwrap_err();
    assert!(matches!(error, AutogradError::Released { .. }), "{error}");
    assert!(x.gradient().is_none());
}

#[test]
fn hooks_that_own_each_other_are_dropped_without_recursion() {
    /// Keeps `owned` alive by a hook on `owner`.
    fn keep(owner: &Variable, owned: Variable) {
        let hook = move |_: &Variable| -> Result<_, RuleError> { Ok(Some(owned.clone())) };
        let _ = owner.register_hook(hook).unwrap();
    }

    let small_stack = std::thread::Builder::new().stack_size(256 << 10);
    let work = || {
        let (first, count) = (leaf(&[1.0]), 100_000);
        let slot = Arc::clone(first.edge().slot().unwrap());
        let (mut leaves, mut records) = (first.clone(), first);
        for _ in 0..count {
            let next = leaf(&[1.0]);
            keep(&next, std::mem::replace(&mut leaves, next.clone()));
            let next = scale(&records, 1.0).unwrap();
            keep(&next, std::mem::replace(&mut records, next.clone()));
        }
        drop((leaves, records));
        assert_eq!(Arc::strong_count(&slot), 1);
    };
    small_stack.spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_hook_that_panics_as_it_is_dropped_takes_no_other_hook_along() {
    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("in a destructor");
        }
    }

    let alive = Arc::new(());
    let x = leaf(&[3.0]);
    let inner = leaf(&[3.0]);
    let counted = Arc::clone(&alive);
    let counting = move |_: &Variable| -> Result<_, RuleError> {
        let _ = &counted;
        Ok(None)
    };
    let _ = inner.register_hook(counting.clone()).unwrap();
    let bomb = Bomb;
    let _ = x
        .register_hook(move |_: &Variable| -> Result<_, RuleError> {
            let _ = (&inner, &bomb);
            Ok(None)
        })
        .unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| drop(x))).is_err());
    let y = leaf(&[3.0]);
    let _ = y.register_hook(counting).unwrap();
    drop(y);
    assert_eq!(Arc::strong_count(&alive), 1, "hooks are dropped at once afterwards, as before");
}

#[test]
fn a_handle_may_outlive_what_it_was_for() {
    let x = leaf(&[3.0]);
    let handle = x.register_hook(scaling(1.0)).unwrap();
    drop(x);
    handle.remove();
}

#[test]
fn a_hook_is_dropped_with_its_value_or_when_removed() {
    let log = Log::default();
    let x = leaf(&[3.0]);
    let handle = x.register_hook(noting(&log, "x")).unwrap();
    let _ = scale(&x, 1.0).unwrap().register_hook(noting(&log, "gone")).unwrap();
    assert_eq!(Arc::strong_count(&log), 2);
    handle.remove();
    assert_eq!(Arc::strong_count(&log), 1);
}

#[test]
fn a_value_without_gradient_has_no_hooks() {
    let error = constant(&[1.0]).register_hook(scaling(1.0)).unwrap_err();
    assert!(matches!(error, AutogradError::NothingToHook));
}

#[test]
fn a_hook_in_a_walk_that_creates_a_graph_is_part_of_it() {
    let x = leaf(&[3.0]);
    let y = mul(&x, &x).unwrap();
    let _ =
        x.register_hook(|gradient: &Variable| -> Result<_, RuleError> { Ok(Some(mul(gradient, gradient)?)) }).unwrap();
    let options = GradOptions { create_graph: true, ..GradOptions::default() };
    let first = engine().grad(&[(&y).into()], &[&x], options).unwrap().remove(0).unwrap();
    assert_eq!(values(first.tensor()), [36.0]);
    // (2 x)^2 = 4 x^2, whose derivative 8 x the hook squares again.
    let second = engine().grad(&[(&first).into()], &[&x], GradOptions::default()).unwrap().remove(0).unwrap();
    assert_eq!(values(second.tensor()), [24.0 * 24.0]);
    assert_eq!(values(&tensor(&[1.0])), [1.0]);
}
