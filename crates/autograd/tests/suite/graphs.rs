//! Backward through graphs of every form.

use std::sync::{Arc, Mutex};

use stratal_autograd::{
    AutogradError, BackwardOptions, Differentiable, Engine, InputGradients, OpKind, Output, Recording, RuleCall,
    RuleError, Rules, Variable,
    tensor::{Tensor, base::DType},
};

use crate::toy::{self, Sum, add, constant, engine, exp, flip, gradient, join, leaf, max, mul, scale, split, tensor};

#[test]
fn a_product_has_the_gradients_of_its_factors() {
    let (x, y) = (leaf(&[3.0]), leaf(&[5.0]));
    engine().backward(&mul(&x, &y).unwrap()).unwrap();
    assert_eq!((gradient(&x), gradient(&y)), (vec![5.0], vec![3.0]));
}

#[test]
fn a_repeated_input_gets_both_parts() {
    let x = leaf(&[3.0]);
    engine().backward(&mul(&x, &x).unwrap()).unwrap();
    assert_eq!(gradient(&x), [6.0]);
}

#[test]
fn a_diamond_visits_each_record_once_after_all_its_users() {
    // x -> a -> (b, c) -> d, with a used by b twice and by d as well.
    let x = leaf(&[2.0]);
    let a = scale(&x, 3.0).unwrap();
    let b = mul(&a, &a).unwrap();
    let c = exp(&scale(&a, 0.0).unwrap()).unwrap();
    let d = add(&add(&b, &c).unwrap(), &a).unwrap();
    engine().backward(&d).unwrap();
    // d = 9 x^2 + 1 + 3 x
    assert_eq!(gradient(&x), [39.0]);
}

#[test]
fn shared_subexpressions_are_visited_once_however_many_paths_there_are() {
    // Each step doubles the number of paths; 2^60 of them end in one answer.
    let x = leaf(&[1.0]);
    let mut y = scale(&x, 1.0).unwrap();
    for _ in 0..60 {
        y = add(&y, &y).unwrap();
    }
    engine().backward(&y).unwrap();
    assert_eq!(gradient(&x), [2_f32.powi(60)]);
}

#[test]
fn backward_adds_to_what_the_slot_has() {
    let x = leaf(&[2.0, 3.0]);
    let engine = engine();
    for expected in [[1.0, 10.0], [2.0, 20.0]] {
        let y = scale(&x, 1.0).unwrap();
        engine.backward_from(&[Output::with_gradient(&y, tensor(&[1.0, 10.0]))], BackwardOptions::default()).unwrap();
        assert_eq!(gradient(&x), expected);
    }
    let slot = x.edge().slot().unwrap();
    assert!(slot.take().is_some() && slot.get().is_none());
    assert!(slot.replace(tensor(&[7.0, 7.0])).unwrap().is_none());
    assert_eq!(gradient(&x), [7.0, 7.0]);
    slot.clear();
    assert!(x.gradient().is_none());
}

#[test]
fn an_earlier_gradient_that_was_handed_out_is_not_written() {
    let x = leaf(&[2.0]);
    engine().backward(&scale(&x, 1.0).unwrap()).unwrap();
    let first = x.gradient().unwrap();
    engine().backward(&mul(&x, &x).unwrap()).unwrap();
    assert_eq!((toy::values(&first), gradient(&x)), (vec![1.0], vec![5.0]));
}

#[test]
fn a_seed_is_not_written() {
    let (x, seed) = (leaf(&[2.0, 2.0]), tensor(&[1.0, 1.0]));
    let outputs = [Output::with_gradient(&x, seed.clone()), Output::with_gradient(&x, seed.clone())];
    engine().backward_from(&[&outputs[..], &outputs[..]].concat(), BackwardOptions::default()).unwrap();
    assert_eq!((toy::values(&seed), gradient(&x)), (vec![1.0, 1.0], vec![4.0, 4.0]));
    assert_eq!(seed.version(), 0);
}

#[test]
fn a_rule_may_walk_another_graph_and_is_told_that_its_own_record_is_in_use() {
    const AGAIN: OpKind = OpKind::new("again");
    let (x, y) = (leaf(&[3.0]), Arc::new(Mutex::new(None::<Variable>)));
    let (mut rules, output) = (toy::rules(), Arc::clone(&y));
    rules
        .register(AGAIN, move |_: &RuleCall<'_>| -> Result<InputGradients, RuleError> {
            let output = output.lock().unwrap().take();
            if let Some(output) = output {
                let error = output.grad_fn().map(|record| record.release()).unwrap().unwrap_err();
                assert!(matches!(error, AutogradError::Released { op: AGAIN }));
            }
            // Another graph is nothing special.
            let inner = leaf(&[5.0]);
            let square = stratal_autograd::enable_grad(|| mul(&inner, &inner))?;
            engine().backward(&square)?;
            Ok([Some(inner.gradient().map(Variable::constant).unwrap())].into())
        })
        .unwrap();
    let output = Recording::start(AGAIN, &[&x]).finish(tensor(&[0.0])).unwrap();
    *y.lock().unwrap() = Some(output.clone());
    Engine::new(rules, Sum).backward(&output).unwrap();
    assert_eq!(gradient(&x), [10.0]);
}

#[test]
fn several_outputs_are_walked_at_once() {
    let x = leaf(&[2.0]);
    let shared = mul(&x, &x).unwrap();
    let (y, z) = (scale(&shared, 10.0).unwrap(), add(&shared, &x).unwrap());
    let outputs = [(&y).into(), Output::with_gradient(&z, tensor(&[100.0])), (&y).into()];
    engine().backward_from(&outputs, BackwardOptions::default()).unwrap();
    // 2 * 10 * 2x + 100 * (2x + 1)
    assert_eq!(gradient(&x), [580.0]);
}

#[test]
fn an_output_that_others_depend_on_gets_its_own_seed_too() {
    let x = leaf(&[3.0]);
    let y = mul(&x, &x).unwrap();
    let z = scale(&y, 2.0).unwrap();
    for outputs in [[&y, &z], [&z, &y]] {
        let leaf_before = x.edge().slot().unwrap().take();
        drop(leaf_before);
        engine().backward_from(&outputs.map(Output::from), BackwardOptions { retain_graph: true }).unwrap();
        assert_eq!(gradient(&x), [18.0]);
    }
}

#[test]
fn a_leaf_is_its_own_gradient_path() {
    let x = leaf(&[3.0]);
    engine().backward(&x).unwrap();
    assert_eq!(gradient(&x), [1.0]);
}

#[test]
fn several_outputs_of_one_record_may_be_used_or_not() {
    let x = leaf(&[1.0, 2.0, 3.0, 4.0]);
    let [low, high] = split(&x).unwrap();
    let seed = |values: &[f32]| Variable::constant(tensor(values));
    let both = join(&high, &low).unwrap();
    let outputs = [Output::with_gradient(&both, seed(&[1.0, 2.0, 3.0, 4.0]))];
    engine().backward_from(&outputs, BackwardOptions { retain_graph: true }).unwrap();
    assert_eq!(gradient(&x), [3.0, 4.0, 1.0, 2.0]);
    x.edge().slot().unwrap().clear();
    let outputs = [Output::with_gradient(&high, seed(&[5.0, 6.0]))];
    engine().backward_from(&outputs, BackwardOptions::default()).unwrap();
    assert_eq!(gradient(&x), [0.0, 0.0, 5.0, 6.0]);
}

#[test]
fn a_view_shares_elements_and_has_a_place_in_the_graph_of_its_own() {
    let x = leaf(&[1.0, 2.0]);
    let view = flip(&x).unwrap();
    assert!(view.tensor().shares_buffer(x.tensor()) && view.edge().slot().is_none());
    let y = mul(&view, &constant(&[10.0, 1.0])).unwrap();
    engine().backward_from(&[Output::with_gradient(&y, tensor(&[1.0, 1.0]))], BackwardOptions::default()).unwrap();
    assert_eq!(gradient(&x), [1.0, 10.0]);
    let other = x.with_requires_grad().unwrap();
    assert!(other.tensor().shares_buffer(x.tensor()) && other.gradient().is_none());
}

#[test]
fn a_clone_is_the_same_variable() {
    let x = leaf(&[2.0]);
    let y = mul(&x.clone(), &x).unwrap();
    engine().backward(&y.clone()).unwrap();
    assert_eq!(gradient(&x.clone()), [4.0]);
}

#[test]
fn a_constant_and_a_detached_value_get_nothing() {
    let x = leaf(&[2.0]);
    let y = mul(&x.detach(), &mul(&x, &constant(&[3.0])).unwrap()).unwrap();
    engine().backward(&y).unwrap();
    assert_eq!(gradient(&x), [6.0]);
}

#[test]
fn a_saved_index_is_enough_for_a_maximum() {
    let x = leaf(&[3.0, 3.0, 1.0]);
    engine().backward(&max(&x).unwrap()).unwrap();
    assert_eq!(gradient(&x), [1.0, 0.0, 0.0]);
}

#[test]
fn an_integer_output_requires_no_gradient() {
    const TOP: OpKind = OpKind::new("top");
    let x = leaf(&[1.0, 4.0]);
    let recording = Recording::start(TOP, &[&x]);
    let [value, index] = recording.finish_all([tensor(&[4.0]), Tensor::scalar(1_i64).unwrap()]).unwrap();
    assert!(value.requires_grad() && !index.requires_grad());
    let recording = Recording::start(TOP, &[&x]);
    let both = recording.finish_vec(vec![Tensor::scalar(1_i64).unwrap(), tensor(&[4.0])]).unwrap();
    assert_eq!(both[1].edge().record().unwrap().1, 1);
    assert!(!both[0].requires_grad());
}

#[test]
fn every_floating_point_dtype_has_gradients() {
    const ECHO: OpKind = OpKind::new("echo");
    let mut rules = Rules::new();
    rules
        .register(ECHO, |call: &RuleCall<'_>| -> Result<InputGradients, RuleError> {
            Ok([call.only_gradient()?.clone()].into())
        })
        .unwrap();
    let engine = Engine::new(rules, Sum);
    for dtype in DType::ALL.into_iter().filter(|dtype| dtype.is_float()) {
        let x = Variable::leaf(Tensor::zeros(&[1, 1], dtype).unwrap()).unwrap();
        let y = Recording::start(ECHO, &[&x]).finish(x.tensor().clone()).unwrap();
        engine.backward(&y).unwrap();
        let gradient = x.gradient().unwrap();
        assert_eq!((gradient.dtype(), gradient.shape().extents()), (dtype, &[1, 1][..]));
        assert_eq!(gradient.cast(DType::F32).unwrap().to_vec::<f32>().unwrap(), [1.0]);
    }
}

/// Operations that write down the order in which their rules run.
fn order_of_visits(build: impl Fn(&Variable) -> Variable) -> Vec<f64> {
    let visits = Arc::new(Mutex::new(Vec::new()));
    let mut rules = Rules::new();
    let log = Arc::clone(&visits);
    let noting = move |call: &RuleCall<'_>| -> Result<InputGradients, RuleError> {
        log.lock().unwrap().push(call.record().floats()[0]);
        let gradient = call.only_gradient()?;
        Ok(call.record().inputs().iter().map(|_| Some(gradient.clone())).collect())
    };
    rules.register(NOTED, Differentiable(noting)).unwrap();
    Engine::new(rules, Sum).backward(&build(&leaf(&[1.0]))).unwrap();
    Arc::into_inner(visits).map_or_else(Vec::new, |visits| visits.into_inner().unwrap())
}

const NOTED: OpKind = OpKind::new("noted");

fn noted(number: u32, inputs: &[&Variable]) -> Variable {
    let mut recording = Recording::start(NOTED, inputs);
    recording.floats(&[number.into()]);
    recording.finish(inputs[0].tensor().clone()).unwrap()
}

#[test]
fn the_order_of_visits_follows_from_the_graph_alone() {
    let build = |x: &Variable| {
        let a = noted(1, &[x]);
        let (b, c) = (noted(2, &[&a]), noted(3, &[&a, x]));
        let d = noted(4, &[&c]);
        noted(5, &[&b, &d, &a])
    };
    let expected = [5.0, 4.0, 3.0, 2.0, 1.0];
    let other_garbage: Vec<Vec<u8>> = (0..20).map(|size| vec![0; size * 100]).collect();
    for _ in 0..10 {
        assert_eq!(order_of_visits(build), expected);
        // Made in another order, and so at other addresses, the graph is the same.
        let rebuilt = order_of_visits(|x| {
            let a = noted(1, &[x]);
            let c = noted(3, &[&a, x]);
            let d = noted(4, &[&c]);
            let b = noted(2, &[&a]);
            noted(5, &[&b, &d, &a])
        });
        assert_eq!(rebuilt, expected);
    }
    drop(other_garbage);
}
