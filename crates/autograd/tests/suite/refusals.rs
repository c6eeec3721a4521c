//! What walks refuse: each error, by name, with nothing lost.

use stratal_autograd::{
    AutogradError, BackwardOptions, Engine, GradOptions, InputGradients, OpKind, Output, Place, Recording, RuleCall,
    RuleError, Rules, Variable,
    tensor::{
        Tensor,
        base::{ChannelBlock, DType, Layout},
    },
};

use crate::toy::{self, MAX, Sum, add, constant, engine, exp, gradient, leaf, max, scale, tensor};

const ODD: OpKind = OpKind::new("odd");

/// What backward says when a rule of two inputs returns this.
fn refusal(returned: impl Fn() -> InputGradients + Send + Sync + 'static) -> AutogradError {
    let mut rules = Rules::new();
    rules.register(ODD, move |_: &RuleCall<'_>| -> Result<_, RuleError> { Ok(returned()) }).unwrap();
    let (x, y) = (leaf(&[1.0]), leaf(&[1.0, 2.0]));
    let output = Recording::start(ODD, &[&x, &y]).finish(tensor(&[0.0])).unwrap();
    let error = Engine::new(rules, Sum).backward(&output).unwrap_err();
    assert!(x.gradient().is_none() && y.gradient().is_none());
    assert!(!output.grad_fn().unwrap().is_released());
    error
}

#[test]
fn a_rule_that_returns_something_else_is_refused() {
    let one = || constant(&[1.0]);
    let two = || constant(&[1.0, 1.0]);
    assert!(matches!(refusal(move || [one()].into()), AutogradError::WrongCount { op: ODD, expected: 2, given: 1 }));
    assert!(matches!(
        refusal(move || [one(), two(), two()].into()),
        AutogradError::WrongCount { op: ODD, expected: 2, given: 3 }
    ));
    assert!(matches!(refusal(InputGradients::default), AutogradError::WrongCount { given: 0, .. }));
    assert!(matches!(
        refusal(move || [None, Some(two())].into()),
        AutogradError::MissingGradient { op: ODD, input: 0 }
    ));
    let second = Place::Input { op: ODD, index: 1 };
    let error = refusal(move || [one(), one()].into());
    assert!(matches!(error, AutogradError::WrongShape { place, .. } if place == second), "{error}");
    assert_eq!(error.to_string(), "the gradient for input 1 of odd has shape [1] instead of [2]");
    let error = refusal(move || [one(), Tensor::zeros(&[2], DType::F64).unwrap().into()].into());
    assert!(matches!(
        error,
        AutogradError::WrongDType { place, expected: DType::F32, given: DType::F64 } if place == second
    ));
}

#[test]
fn a_blocked_gradient_is_refused() {
    let mut rules = Rules::new();
    rules
        .register(ODD, |call: &RuleCall<'_>| -> Result<InputGradients, RuleError> {
            let gradient = call.only_gradient()?.tensor().to_layout(Layout::NchwBlocked(ChannelBlock::Eight))?;
            Ok([Variable::constant(gradient)].into())
        })
        .unwrap();
    let x = Variable::leaf(Tensor::zeros(&[1, 1, 1, 1], DType::F32).unwrap()).unwrap();
    let output = Recording::start(ODD, &[&x]).finish(x.tensor().clone()).unwrap();
    let error = Engine::new(rules, Sum).backward(&output).unwrap_err();
    assert!(matches!(error, AutogradError::BlockedGradient { place: Place::Input { op: ODD, index: 0 }, .. }));
}

#[test]
fn a_seed_must_fit_and_may_be_left_out_for_one_element_only() {
    let x = leaf(&[1.0, 2.0]);
    let y = exp(&x).unwrap();
    let engine = engine();
    let refused = engine.backward(&y).unwrap_err();
    assert!(matches!(refused, AutogradError::NoSeed { output: 0, .. }), "{refused}");
    for (seed, is_shape) in [(tensor(&[1.0]), true), (Tensor::zeros(&[2], DType::F64).unwrap(), false)] {
        let outputs = [Output::with_gradient(&y, tensor(&[1.0, 1.0])), Output::with_gradient(&y, seed)];
        match engine.backward_from(&outputs, BackwardOptions::default()).unwrap_err() {
            AutogradError::WrongShape { place: Place::Seed { index: 1 }, .. } => assert!(is_shape),
            AutogradError::WrongDType { place: Place::Seed { index: 1 }, .. } => assert!(!is_shape),
            other => panic!("{other}"),
        }
    }
    // No elements have no gradient that goes without saying.
    let empty = exp(&Variable::leaf(Tensor::zeros(&[0], DType::F32).unwrap()).unwrap()).unwrap();
    assert!(matches!(engine.backward(&empty), Err(AutogradError::NoSeed { .. })));
    let seeded = [Output::with_gradient(&empty, Tensor::zeros(&[0], DType::F32).unwrap())];
    engine.backward_from(&seeded, BackwardOptions::default()).unwrap();
    assert!(!y.grad_fn().unwrap().is_released());
    // One element in any number of axes is one element.
    let x = Variable::leaf(Tensor::ones(&[1, 1, 1], DType::F32).unwrap()).unwrap();
    engine.backward(&x).unwrap();
    assert_eq!(gradient(&x), [1.0]);
}

#[test]
fn an_output_without_gradient_is_refused() {
    let x = leaf(&[1.0]);
    let y = exp(&x).unwrap();
    let error = engine().backward_from(&[(&y).into(), (&y.detach()).into()], BackwardOptions::default()).unwrap_err();
    assert!(matches!(error, AutogradError::OutputWithoutGradient { output: 1 }));
    let error = engine().grad(&[(&constant(&[1.0])).into()], &[&x], GradOptions::default()).unwrap_err();
    assert!(matches!(error, AutogradError::OutputWithoutGradient { output: 0 }));
    engine().backward(&y).unwrap();
}

#[test]
fn an_operation_without_a_rule_is_found_before_anything_runs() {
    let x = leaf(&[1.0]);
    let odd = Recording::start(ODD, &[&x]).finish(tensor(&[0.0])).unwrap();
    let y = exp(&odd).unwrap();
    let error = engine().backward(&y).unwrap_err();
    assert!(matches!(error, AutogradError::NoRule { op: ODD }));
    assert!(!y.grad_fn().unwrap().is_released());
    // It is in nobody's way where it is not passed.
    let options = GradOptions { retain_graph: true, ..GradOptions::default() };
    assert!(engine().grad(&[(&y).into()], &[&odd], options).is_ok());
}

#[test]
fn rules_are_registered_once_and_found_by_name() {
    let mut rules = toy::rules();
    let count = rules.len();
    assert!(matches!(rules.register(MAX, toy_rule), Err(AutogradError::DuplicateRule { op: MAX })));
    // The name decides, wherever its text is.
    let same_name = OpKind::new(String::from("max").leak());
    assert!(rules.register(same_name, toy_rule).is_err());
    assert!(!rules.get(same_name).unwrap().is_differentiable(), "the rule that was there is there");
    assert!(matches!(rules.get(ODD).map(|_| ()), Err(AutogradError::NoRule { op: ODD })));
    assert_eq!((rules.len(), rules.is_empty(), Rules::new().is_empty()), (count, false, true));
}

fn toy_rule(_: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
    Ok(InputGradients::default())
}

#[test]
fn a_rule_that_asks_for_what_was_not_saved_is_told_so() {
    for slot in [0, 1] {
        let mut rules = Rules::new();
        rules
            .register(ODD, move |call: &RuleCall<'_>| -> Result<InputGradients, RuleError> {
                assert!(!call.has_saved(slot) && call.gradient(1).is_none());
                call.saved(slot)?;
                Ok(InputGradients::default())
            })
            .unwrap();
        let x = leaf(&[1.0]);
        let mut recording = Recording::start(ODD, &[&x]);
        recording.save_nothing();
        let output = recording.finish(tensor(&[0.0])).unwrap();
        let error = Engine::new(rules, Sum).backward(&output).unwrap_err();
        assert!(matches!(error, AutogradError::EmptySlot { op: ODD, slot: named } if named == slot));
    }
}

#[test]
fn a_rule_that_takes_one_output_for_all_is_told_which_was_not_used() {
    let mut rules = Rules::new();
    rules
        .register(ODD, |call: &RuleCall<'_>| -> Result<InputGradients, RuleError> {
            Ok([call.only_gradient()?.clone()].into())
        })
        .unwrap();
    let x = leaf(&[1.0]);
    let [_, second] = Recording::start(ODD, &[&x]).finish_all([tensor(&[0.0]), tensor(&[0.0])]).unwrap();
    let error = Engine::new(rules, Sum).backward(&second).unwrap_err();
    assert!(matches!(error, AutogradError::UnusedOutput { op: ODD, output: 0 }));
}

#[test]
fn a_graph_cannot_be_created_through_a_rule_that_is_not_differentiable() {
    let x = leaf(&[1.0, 3.0]);
    let y = scale(&max(&x).unwrap(), 2.0).unwrap();
    let options = GradOptions { create_graph: true, ..GradOptions::default() };
    let error = engine().grad(&[(&y).into()], &[&x], options).unwrap_err();
    assert!(matches!(error, AutogradError::NotDifferentiable { op: MAX }));
    engine().backward(&y).unwrap();
    assert_eq!(gradient(&x), [0.0, 2.0]);
}

#[test]
fn an_accumulation_that_fails_or_does_not_fit_is_named() {
    struct Odd(bool);

    impl stratal_autograd::Accumulate for Odd {
        fn add(&self, _: &Variable, _: &Variable) -> Result<Variable, RuleError> {
            if self.0 { Err("full".into()) } else { Ok(constant(&[1.0, 2.0])) }
        }
    }

    for (fails, text) in [
        (true, "adding up the gradients of output 0 of exp failed: full"),
        (false, "the gradient for output 0 of exp has shape [2] instead of [1]"),
    ] {
        let x = leaf(&[1.0]);
        let y = exp(&x).unwrap();
        let error = Engine::new(toy::rules(), Odd(fails)).backward(&add(&y, &y).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), text);
    }
}

#[test]
#[should_panic(expected = "odd saves output 1 of 1")]
fn an_output_that_is_not_there_cannot_be_saved() {
    let x = leaf(&[1.0]);
    let mut recording = Recording::start(ODD, &[&x]);
    recording.save_output(1);
    let _ = recording.finish(tensor(&[0.0]));
}
