//! Updates in place: refused while recording, found by whoever saved what was there, and losing nothing when they fail.

use stratal_eager::{EagerError, Var, apply, apply_in_place, no_grad};
use stratal_ops::{self as ops, Operator};
use stratal_tensor::Tensor;
use stratal_tensor::base::DType;

fn leaf() -> Var {
    Var::leaf(&[2.0_f32, 3.0], &[2]).unwrap()
}

type Update = fn(&Var) -> Result<(), EagerError>;

/// Every way to write a variable.
const UPDATES: &[(&str, Update)] = &[
    ("add_in_place", |x| x.add_in_place(1.0)),
    ("sub_in_place", |x| x.sub_in_place(1.0)),
    ("mul_in_place", |x| x.mul_in_place(&Var::from_slice(&[5.0_f32], &[1])?)),
    ("fill", |x| x.fill(10.0)),
    ("Relu", |x| apply_in_place(&ops::Relu, &[Some(x)])),
    ("Clip", |x| apply_in_place(&ops::Clip, &[Some(x), None, Some(&Var::full(&[], 1.0, DType::F32)?)])),
];

#[test]
fn elements_are_replaced() {
    let results: [[f32; 2]; 6] = [[3.0, 4.0], [1.0, 2.0], [10.0, 15.0], [10.0, 10.0], [2.0, 3.0], [1.0, 1.0]];
    for ((name, update), expected) in UPDATES.iter().zip(results) {
        let x = leaf();
        let version = x.tensor().version();
        no_grad(|| update(&x)).unwrap();
        assert_eq!(x.to_vec::<f32>().unwrap(), expected, "{name}");
        assert_eq!(x.tensor().version(), version + 1, "{name}");
        assert!(x.requires_grad() && x.is_leaf());
        // What needs no gradient may be written at any time.
        let constant = leaf().detach();
        update(&constant).unwrap();
        assert_eq!(constant.to_vec::<f32>().unwrap(), expected, "{name}");
    }
}

#[test]
fn while_recording_it_is_an_error_that_names_the_operation() {
    for (name, update) in UPDATES {
        let x = leaf();
        let text = update(&x).unwrap_err().to_string();
        assert_eq!(
            text,
            format!(
                "{name} would overwrite a variable that requires gradients; do it within no_grad, or on a detached one"
            )
        );
        assert_eq!(x.to_vec::<f32>().unwrap(), [2.0, 3.0]);
        assert_eq!(x.tensor().version(), leaf().tensor().version());
    }
    // The other operand's gradient would be lost as silently.
    let (constant, operand) = (leaf().detach(), leaf());
    let text = constant.add_in_place(&operand).unwrap_err().to_string();
    assert_eq!(
        text,
        "add_in_place is not recorded, and input 1 requires gradients; do it within no_grad, or with a detached one"
    );
    no_grad(|| constant.add_in_place(&operand)).unwrap();
    assert_eq!(constant.to_vec::<f32>().unwrap(), [4.0, 6.0]);
}

/// Edge case C1: elements that backward needs, overwritten after they were saved.
#[test]
fn a_saved_value_that_was_overwritten_is_found() {
    let overwritten = |op: &str, what: &str| {
        format!(
            "{op} cannot go backward with {what}: overwritten since it was saved: it was at version 1 and is at \
             version 2; write to it after backward, or to a copy"
        )
    };
    for (name, update) in UPDATES {
        let x = leaf();
        let y = x.square().unwrap().sum(&[], false).unwrap();
        no_grad(|| update(&x)).unwrap();
        assert_eq!(y.backward().unwrap_err().to_string(), overwritten("Mul", "slot 1 (input 1)"), "{name}");
        assert!(x.gradient().is_none(), "{name}");
    }
    // Through another handle, a view, and by an optimiser's step.
    let others: [(&str, Update); 4] = [
        ("detached", |x| x.detach().fill(10.0)),
        ("view", |x| no_grad(|| x.narrow(0, 1, 1)?.add_in_place(1.0))),
        ("set_data", |x| x.set_data(&Tensor::from_slice(&[10.0_f32, 10.0], &[2])?)),
        ("tensor", |x| Ok(x.tensor().fill(10.0)?)),
    ];
    for (name, update) in others {
        let x = leaf();
        let y = x.square().unwrap().sum(&[], false).unwrap();
        update(&x).unwrap();
        assert_eq!(y.backward().unwrap_err().to_string(), overwritten("Mul", "slot 1 (input 1)"), "{name}");
    }
    // A result that was saved.
    let x = leaf();
    let y = x.exp().unwrap();
    no_grad(|| y.mul_in_place(2.0)).unwrap();
    let text = y.sum(&[], false).unwrap().backward().unwrap_err().to_string();
    assert_eq!(text, overwritten("Exp", "slot 0 (output 0)"));
}

#[test]
fn what_backward_does_not_need_may_be_overwritten() {
    // A sum needs neither operand, and an exponential its result alone.
    let x = leaf();
    let sum = x.add(&x).unwrap().sum(&[], false).unwrap();
    no_grad(|| x.fill(10.0)).unwrap();
    sum.backward().unwrap();
    assert_eq!(x.gradient().unwrap().to_vec::<f32>().unwrap(), [2.0, 2.0]);
    let x = leaf();
    let power = x.exp().unwrap().sum(&[], false).unwrap();
    no_grad(|| x.fill(0.0)).unwrap();
    power.backward().unwrap();
    let found = x.gradient().unwrap().to_vec::<f32>().unwrap();
    assert!((found[0] - 2.0_f32.exp()).abs() < 1e-5 && (found[1] - 3.0_f32.exp()).abs() < 1e-5);
    // A constant factor needs no gradient, so the other operand is not saved.
    let x = leaf();
    let product = x.mul(3.0).unwrap().sum(&[], false).unwrap();
    no_grad(|| x.fill(0.0)).unwrap();
    product.backward().unwrap();
    assert_eq!(x.gradient().unwrap().to_vec::<f32>().unwrap(), [3.0, 3.0]);
}

#[test]
fn operands_may_share_elements_with_what_is_written() {
    let x = leaf().detach();
    x.mul_in_place(&x).unwrap();
    assert_eq!(x.to_vec::<f32>().unwrap(), [4.0, 9.0]);
    x.sub_in_place(&x.flip(&[0]).unwrap()).unwrap();
    assert_eq!(x.to_vec::<f32>().unwrap(), [-5.0, 5.0]);
    let matrix = Var::from_slice(&[1.0_f32, 2.0, 3.0, 4.0], &[2, 2]).unwrap();
    matrix.select(0, 0).unwrap().add_in_place(&matrix.select(1, 1).unwrap()).unwrap();
    assert!(matches!(matrix.to_vec::<f32>().unwrap()[..], [_, _, 3.0, 4.0]));
    // Views are written through.
    let transposed = matrix.t().unwrap();
    transposed.fill(0.0).unwrap();
    transposed.add_in_place(&Var::from_slice(&[1.0_f32, 2.0], &[2]).unwrap()).unwrap();
    assert_eq!(matrix.to_vec::<f32>().unwrap(), [1.0, 1.0, 2.0, 2.0]);
}

#[test]
fn what_does_not_fit_is_refused_and_writes_nothing() {
    let x = leaf();
    let y = x.square().unwrap().sum(&[], false).unwrap();
    let refused = |update: &dyn Fn() -> Result<(), EagerError>| no_grad(update).unwrap_err().to_string();
    let texts = [
        refused(&|| x.add_in_place(&Var::from_slice(&[1.0_f32; 3], &[3])?)),
        refused(&|| x.add_in_place(&Var::from_slice(&[1.0_f32; 2], &[2, 1])?)),
        refused(&|| x.add_in_place(&Var::from_slice(&[1.0_f64; 2], &[2])?)),
        refused(&|| apply_in_place(&ops::Cast { to: DType::F64 }, &[Some(&x)])),
        refused(&|| apply_in_place(&ops::MatMul, &[Some(&x), Some(&x)])),
        refused(&|| apply_in_place(&ops::Add, &[None, Some(&x)])),
        refused(&|| apply_in_place(&ops::Add, &[])),
        refused(&|| x.expand(&[2, 2])?.add_in_place(1.0)),
    ];
    insta::assert_snapshot!(texts.join("\n"));
    // Nobody has to know of what was refused.
    assert_eq!(x.to_vec::<f32>().unwrap(), [2.0, 3.0]);
    assert_eq!(x.tensor().version(), leaf().tensor().version());
    y.backward().unwrap();
    assert_eq!(x.gradient().unwrap().to_vec::<f32>().unwrap(), [4.0, 6.0]);
}

#[test]
fn in_place_is_what_it_is_elsewhere() {
    let x = Var::from_slice(&[-2.5_f32, -0.5, 0.0, 0.5, 2.5, 7.0], &[2, 3]).unwrap();
    let operators: [&dyn Operator; 5] = [&ops::Abs, &ops::Exp, &ops::Sigmoid, &ops::Softmax { axis: -1 }, &ops::Neg];
    for operator in operators {
        let elsewhere = stratal_ops::Context::new().unwrap().run(operator, &[Some(x.tensor())]).unwrap().remove(0);
        let copy = Var::constant(x.tensor().copied().unwrap());
        apply_in_place(operator, &[Some(&copy)]).unwrap();
        assert_eq!(copy.to_vec::<f32>().unwrap(), elsewhere.to_vec::<f32>().unwrap(), "{operator:?}");
    }
    let (a, b) = (Var::from_slice(&[7_i64, -7], &[2]).unwrap(), Var::from_slice(&[2_i64], &[]).unwrap());
    let quotient = apply(&ops::Div, &[Some(&a), Some(&b)]).unwrap();
    apply_in_place(&ops::Div, &[Some(&a), Some(&b)]).unwrap();
    assert_eq!(a.to_vec::<i64>().unwrap(), quotient.to_vec::<i64>().unwrap());
}
