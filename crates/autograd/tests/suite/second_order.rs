//! Gradients of gradients: rules that record.

use std::sync::Arc;

use stratal_autograd::{
    Accumulate, AutogradError, BackwardOptions, Engine, GradOptions, Output, RuleError, Variable, no_grad,
};

use crate::toy::{self, add, engine, exp, gradient, leaf, mul, tensor, values};

const CREATE: GradOptions = GradOptions { retain_graph: false, create_graph: true, allow_unreachable: false };

fn derivative(output: &Variable, input: &Variable) -> Variable {
    engine().grad(&[output.into()], &[input], CREATE).unwrap().remove(0).unwrap()
}

#[test]
fn the_derivatives_of_a_cube_go_on_until_they_are_constant() {
    let x = leaf(&[5.0]);
    let cube = mul(&mul(&x, &x).unwrap(), &x).unwrap();
    let first = derivative(&cube, &x);
    let second = derivative(&first, &x);
    let third = derivative(&second, &x);
    let found = [&first, &second, &third].map(|value| values(value.tensor()));
    assert_eq!(found, [[75.0], [30.0], [6.0]]);
    // The third depends on nothing any more: no record leads on from it.
    assert!(second.requires_grad() && !third.requires_grad());
}

#[test]
fn a_saved_output_leads_to_the_record_that_saved_it() {
    let x = leaf(&[1.5]);
    let y = exp(&x).unwrap();
    let first = derivative(&y, &x);
    let second = derivative(&first, &x);
    let third = derivative(&second, &x);
    for derivative in [&first, &second, &third] {
        assert_eq!(values(derivative.tensor()), values(y.tensor()));
    }
}

#[test]
fn a_graph_of_gradients_keeps_nothing_alive_once_dropped() {
    let x = leaf(&[1.5]);
    let slot = Arc::clone(x.edge().slot().unwrap());
    let y = exp(&mul(&x, &x).unwrap()).unwrap();
    let second = derivative(&derivative(&y, &x), &x);
    let record = Arc::downgrade(y.grad_fn().unwrap());
    drop((x, y));
    assert!(record.upgrade().is_some(), "the second derivative needs the first graph");
    drop(second);
    assert!(record.upgrade().is_none());
    assert_eq!(Arc::strong_count(&slot), 1);
}

#[test]
fn a_penalty_on_the_gradient_reaches_the_slots() {
    let x = leaf(&[3.0]);
    let y = mul(&x, &x).unwrap();
    let slope = derivative(&y, &x);
    // y + slope^2 = x^2 + 4 x^2
    let loss = add(&y, &mul(&slope, &slope).unwrap()).unwrap();
    engine().backward(&loss).unwrap();
    assert_eq!(gradient(&x), [30.0]);
}

#[test]
fn a_graph_is_created_even_where_nothing_is_recorded() {
    let x = leaf(&[3.0]);
    let y = mul(&x, &x).unwrap();
    assert!(no_grad(|| derivative(&y, &x)).requires_grad());
}

#[test]
fn the_gradient_that_a_walk_starts_with_can_be_differentiated() {
    let (x, direction) = (leaf(&[3.0, 5.0]), leaf(&[1.0, 1.0]));
    let y = mul(&x, &x).unwrap();
    let outputs = [Output::with_gradient(&y, direction.clone())];
    let pulled = engine().grad(&outputs, &[&x], CREATE).unwrap().remove(0).unwrap();
    assert_eq!(values(pulled.tensor()), [6.0, 10.0]);
    let outputs = [Output::with_gradient(&pulled, tensor(&[1.0, 10.0]))];
    engine().backward_from(&outputs, BackwardOptions::default()).unwrap();
    assert_eq!(gradient(&direction), [6.0, 100.0]);
    assert_eq!(gradient(&x), [2.0, 20.0]);
}

#[test]
fn a_sum_that_does_not_record_would_lose_derivatives_and_is_refused() {
    /// Adds, and forgets where the terms came from.
    struct Forgetful;

    impl Accumulate for Forgetful {
        fn add(&self, first: &Variable, second: &Variable) -> Result<Variable, RuleError> {
            Ok(no_grad(|| add(first, second))?)
        }
    }

    let engine = Engine::new(toy::rules(), Forgetful);
    let x = leaf(&[3.0]);
    let square = mul(&x, &x).unwrap();
    let refused = engine.grad(&[(&square).into()], &[&x], CREATE).unwrap_err();
    assert!(matches!(refused, AutogradError::SumNotRecorded { .. }), "{refused}");
    // Where no terms lead on, or nobody wants a graph, there is nothing to forget.
    let double = add(&x, &x).unwrap();
    let first = engine.grad(&[(&double).into()], &[&x], CREATE).unwrap().remove(0).unwrap();
    assert_eq!(values(first.tensor()), [2.0]);
    engine.backward(&square).unwrap();
    assert_eq!(gradient(&x), [6.0]);
}
