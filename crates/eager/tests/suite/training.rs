//! Parameters that change between forward and backward: whoever goes on with values that are gone is told so, by the operation,
//! both versions, and what to do.

use stratal_eager::{Adam, AdamW, EagerError, Optimizer, Parameters, Sgd, Var, no_grad};
use stratal_tensor::Tensor;

type Change = Box<dyn Fn(&Parameters) -> Result<(), EagerError>>;

/// A weight, and what may happen to it.
fn changes() -> Vec<(&'static str, Change)> {
    fn step(build: fn(Parameters) -> Box<dyn Optimizer>) -> Change {
        Box::new(move |parameters| {
            let weight = parameters.get("weight").unwrap();
            weight.set_gradient(Tensor::from_slice(&[1.0_f64; 4], &[2, 2])?)?;
            build(parameters.clone()).step()
        })
    }
    fn on(change: fn(&Var) -> Result<(), EagerError>) -> Change {
        Box::new(move |parameters| change(parameters.get("weight").unwrap()))
    }
    vec![
        ("Sgd", step(|parameters| Box::new(Sgd::new(parameters, 0.1)))),
        ("momentum", step(|parameters| Box::new(Sgd::new(parameters, 0.1).nesterov(0.9).weight_decay(0.1)))),
        ("Adam", step(|parameters| Box::new(Adam::new(parameters, 0.1).weight_decay(0.1)))),
        ("AdamW", step(|parameters| Box::new(AdamW::new(parameters, 0.1)))),
        ("set_data", on(|weight| weight.set_data(&Tensor::from_slice(&[0.0_f64], &[])?))),
        ("a view", on(|weight| no_grad(|| weight.t()?.select(0, 1)?.fill(0.0)))),
        ("a view's set_data", on(|weight| weight.narrow(1, 0, 1)?.set_data(&Tensor::from_slice(&[0.0_f64], &[])?))),
        ("a detached one", on(|weight| weight.detach().mul_in_place(2.0))),
        ("another leaf", on(|weight| weight.with_requires_grad()?.set_data(&Tensor::from_slice(&[0.0_f64], &[])?))),
    ]
}

type Use = fn(&Var, &Var) -> Result<Var, EagerError>;

/// What saves a weight, directly or seen through a view.
const USES: [(&str, &str, Use); 6] = [
    ("MatMul", "slot 1 (input 1)", |x, weight| x.matmul(weight)),
    ("Gemm", "slot 1 (input 1)", |x, weight| x.linear(weight, None)),
    ("Mul", "slot 1 (input 1)", |x, weight| x.mul(weight)),
    ("Mul", "slot 1 (input 1)", |x, weight| x.mul(&weight.t()?)),
    ("MatMul", "slot 1 (input 1)", |x, weight| x.matmul(&weight.narrow(1, 1, 1)?)),
    ("Sin", "slot 0 (input 0)", |_, weight| weight.sin()),
];

#[test]
fn a_weight_that_changed_is_found() {
    for (change_name, change) in changes() {
        for (place, (op, slot, of)) in USES.iter().enumerate() {
            let mut parameters = Parameters::new();
            let weight = parameters.add("weight", Var::leaf(&[1.0_f64, 2.0, 3.0, 4.0], &[2, 2]).unwrap()).unwrap();
            let x = Var::leaf(&[1.0_f64; 4], &[2, 2]).unwrap();
            let loss = of(&x, &weight).unwrap().sum(&[], false).unwrap();
            let before = weight.tensor().version();
            change(&parameters).unwrap();
            let now = weight.tensor().version();
            assert!(now > before);
            weight.clear_gradient();
            let text = loss.backward().unwrap_err().to_string();
            let expected = format!(
                "{op} cannot go backward with {slot}: overwritten since it was saved: it was at version {before} and is \
                 at version {now}; write to it after backward, or to a copy"
            );
            assert_eq!(text, expected, "{change_name}, use {place}");
            assert!(x.gradient().is_none() && weight.gradient().is_none());
            // The next forward pass is as good as any.
            of(&x, &weight).unwrap().sum(&[], false).unwrap().backward().unwrap();
        }
    }
}

/// Training as it should be: forward, backward, step; the loss never sees an old weight.
#[test]
fn steps_after_backward_are_fine() {
    for change in changes() {
        let mut parameters = Parameters::new();
        let weight = parameters.add("weight", Var::leaf(&[1.0_f64, 2.0, 3.0, 4.0], &[2, 2]).unwrap()).unwrap();
        for _ in 0..3 {
            parameters.clear_gradients();
            weight.square().unwrap().sum(&[], false).unwrap().backward().unwrap();
            change.1(&parameters).unwrap();
        }
    }
}

/// Data that does not fit changes nothing, not even the version.
#[test]
fn data_that_does_not_fit_is_refused() {
    let weight = Var::leaf(&[1.0_f64, 2.0], &[2]).unwrap();
    let loss = weight.square().unwrap().sum(&[], false).unwrap();
    let texts = [
        weight.set_data(&Tensor::from_slice(&[1.0_f32, 2.0], &[2]).unwrap()).unwrap_err().to_string(),
        weight.set_data(&Tensor::from_slice(&[1.0_f64; 3], &[3]).unwrap()).unwrap_err().to_string(),
        weight.set_data(&Tensor::from_slice(&[1.0_f64; 2], &[1, 2]).unwrap()).unwrap_err().to_string(),
        weight.set_gradient(Tensor::from_slice(&[1.0_f32, 2.0], &[2]).unwrap()).unwrap_err().to_string(),
        weight.set_gradient(Tensor::from_slice(&[1.0_f64], &[1]).unwrap()).unwrap_err().to_string(),
        loss.set_gradient(Tensor::from_slice(&[1.0_f64], &[]).unwrap()).unwrap_err().to_string(),
    ];
    insta::assert_snapshot!(texts.join("\n"));
    assert!(weight.gradient().is_none());
    loss.backward().unwrap();
    assert_eq!(weight.gradient().unwrap().to_vec::<f64>().unwrap(), [2.0, 4.0]);
}
