//! Gradients as values: `Engine::grad`.

use std::sync::{Arc, Mutex};

use stratal_autograd::{
    AutogradError, Engine, GradOptions, InputGradients, OpKind, Output, Recording, RuleCall, RuleError, Variable,
};

use crate::toy::{Sum, add, constant, engine, exp, leaf, mul, rules, scale, split, tensor, values};

const ONCE: GradOptions = GradOptions { retain_graph: false, create_graph: false, allow_unreachable: false };

fn grad(output: &Variable, inputs: &[&Variable], options: GradOptions) -> Vec<Option<Vec<f32>>> {
    let gradients = engine().grad(&[output.into()], inputs, options).unwrap();
    gradients.into_iter().map(|gradient| gradient.map(|gradient| values(gradient.tensor()))).collect()
}

#[test]
fn no_slot_is_touched() {
    let (x, y) = (leaf(&[3.0]), leaf(&[5.0]));
    let product = mul(&x, &y).unwrap();
    assert_eq!(grad(&product, &[&y, &x], ONCE), [Some(vec![3.0]), Some(vec![5.0])]);
    assert!(x.gradient().is_none() && y.gradient().is_none());
}

#[test]
fn inputs_may_be_interior_repeated_and_behind_one_another() {
    let x = leaf(&[3.0]);
    let a = mul(&x, &x).unwrap();
    let b = scale(&a, 2.0).unwrap();
    let c = mul(&b, &a).unwrap();
    let expected = [Some(vec![108.0 * 2.0]), Some(vec![36.0]), Some(vec![9.0]), Some(vec![36.0]), Some(vec![1.0])];
    // c = 2 x^4: dc/dx = 8 x^3, dc/da = 4 a, dc/db = a.
    assert_eq!(grad(&c, &[&x, &a, &b, &a, &c], ONCE), expected);
}

#[test]
fn an_output_that_is_an_input_has_its_seed() {
    let x = leaf(&[3.0, 4.0]);
    let outputs = [Output::with_gradient(&x, tensor(&[1.0, 2.0])), Output::with_gradient(&x, tensor(&[10.0, 20.0]))];
    let gradients = engine().grad(&outputs, &[&x], ONCE).unwrap();
    assert_eq!(values(gradients[0].as_ref().unwrap().tensor()), [11.0, 22.0]);
}

#[test]
fn only_what_leads_to_the_inputs_is_visited_and_released() {
    let (x, y) = (leaf(&[3.0]), leaf(&[5.0]));
    let (left, right) = (exp(&x).unwrap(), exp(&y).unwrap());
    let output = mul(&left, &right).unwrap();
    assert_eq!(grad(&output, &[&right], ONCE), [Some(values(left.tensor()))]);
    let is_released = |variable: &Variable| variable.grad_fn().unwrap().is_released();
    assert!(is_released(&output) && !is_released(&left) && !is_released(&right));
    engine().backward(&left).unwrap();
    engine().backward(&right).unwrap();
}

#[test]
fn a_rule_is_told_which_gradients_are_needed() {
    const PROBE: OpKind = OpKind::new("probe");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let mut rules = rules();
    let log = Arc::clone(&seen);
    rules
        .register(PROBE, move |call: &RuleCall<'_>| -> Result<InputGradients, RuleError> {
            log.lock().unwrap().push([call.needs(0), call.needs(1), call.needs(2), call.needs(3)]);
            // One gradient too many, for an input that needs none, is dropped.
            let gradient = call.only_gradient()?.clone();
            Ok([Some(gradient.clone()), Some(gradient), None].into())
        })
        .unwrap();
    let engine = Engine::new(rules, Sum);
    let (x, y) = (leaf(&[3.0]), leaf(&[5.0]));
    let z = scale(&y, 1.0).unwrap();
    let output = Recording::start(PROBE, &[&x, &z, &constant(&[0.0])]).finish(tensor(&[0.0])).unwrap();
    let retain = GradOptions { retain_graph: true, ..ONCE };
    engine.grad(&[(&output).into()], &[&y], retain).unwrap();
    engine.grad(&[(&output).into()], &[&x], retain).unwrap();
    engine.grad(&[(&output).into()], &[&z, &x], retain).unwrap();
    engine.backward(&output).unwrap();
    let (first, second, both) = ([false, true, false, false], [true, false, false, false], [true, true, false, false]);
    assert_eq!(*seen.lock().unwrap(), [first, second, both, both]);
}

#[test]
fn an_unreachable_input_is_an_error_or_nothing_by_choice() {
    let (x, other) = (leaf(&[1.0, 2.0]), leaf(&[1.0]));
    let [low, high] = split(&x).unwrap();
    let beyond = scale(&low, 1.0).unwrap();
    // A leaf and a record elsewhere, one that depends on the output, and another output of a record that is visited.
    for unreachable in [&other, &scale(&other, 1.0).unwrap(), &beyond, &high] {
        let refused = engine().grad(&[(&low).into()], &[&x, unreachable], ONCE).unwrap_err();
        assert!(matches!(refused, AutogradError::Unreachable { input: 1 }), "{unreachable:?}: {refused}");
        let options = GradOptions { retain_graph: true, allow_unreachable: true, ..ONCE };
        assert_eq!(grad(&low, &[&x, unreachable], options), [Some(vec![1.0, 0.0]), None], "{unreachable:?}");
    }
    assert!(!low.grad_fn().unwrap().is_released());
}

#[test]
fn a_constant_has_a_gradient_by_no_choice() {
    let x = constant(&[2.0]);
    let leaf = x.with_requires_grad().unwrap();
    let y = exp(&leaf).unwrap();
    let refused = engine().grad(&[(&y).into()], &[&leaf, &x], ONCE).unwrap_err();
    assert!(matches!(refused, AutogradError::InputWithoutGradient { input: 1 }), "{refused}");
    let options = GradOptions { allow_unreachable: true, ..ONCE };
    assert_eq!(grad(&y, &[&leaf, &x], options), [Some(values(y.tensor())), None]);
}

#[test]
fn nothing_to_differentiate_is_nothing() {
    let x = leaf(&[1.0]);
    let y = exp(&x).unwrap();
    assert_eq!(engine().grad(&[(&y).into()], &[], ONCE).unwrap().len(), 0);
    assert!(!y.grad_fn().unwrap().is_released());
    assert_eq!(engine().grad(&[], &[], ONCE).unwrap().len(), 0);
}

#[test]
fn gradients_are_constants_unless_a_graph_is_created() {
    let x = leaf(&[2.0]);
    // The rule of an addition hands on the gradient, and the caller's has an edge here.
    let y = add(&x, &constant(&[1.0])).unwrap();
    let outputs = [Output::with_gradient(&y, leaf(&[1.0]))];
    let gradients = engine().grad(&outputs, &[&x], ONCE).unwrap();
    assert!(!gradients[0].as_ref().unwrap().requires_grad());
}
