//! Variables: the language's operators, printing, what is recorded and what is not, hooks, threads, views and second derivatives.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use stratal_eager::{EagerError, GradOptions, GradientCheck, Var, enable_grad, grad, no_grad, set_seed};
use stratal_tensor::Tensor;
use stratal_tensor::base::DType;

/// What a panic says.
fn panic_text(work: impl FnOnce() -> Var) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(work)).err()?;
    Some(panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "no text".into()))
}

#[test]
fn operators_say_what_methods_say() {
    let operands = [
        Var::leaf(&[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]).unwrap(),
        Var::leaf(&[1.0_f32, 2.0], &[2]).unwrap(),
        Var::leaf(&[1.0_f32, 2.0, 3.0], &[3]).unwrap(),
        Var::leaf(&[1.0_f64, 2.0, 3.0], &[3]).unwrap(),
        Var::from_slice(&[1_i64, 2, 3], &[3]).unwrap(),
        Var::full(&[3], 1.0, DType::Bool).unwrap(),
        Var::from_slice::<f32>(&[], &[0]).unwrap(),
        Var::leaf(&[2.0_f32], &[]).unwrap(),
    ];
    // The same text, or the same elements.
    let same = |method: Result<Var, EagerError>, operator: &dyn Fn() -> Var| match method {
        Ok(result) => {
            let found = operator();
            assert_eq!(found.shape(), result.shape());
            assert_eq!(found.dtype(), result.dtype());
            assert_eq!(found.to_string(), result.to_string());
            assert_eq!(found.requires_grad(), result.requires_grad());
            false
        }
        Err(error) => {
            assert_eq!(panic_text(operator), Some(error.to_string()));
            true
        }
    };
    let mut refused = 0;
    for a in &operands {
        refused += usize::from(same(Var::neg(a), &|| -a));
        refused += usize::from(same(Var::neg(a), &|| -a.clone()));
        for number in [2.0, -0.5] {
            refused += usize::from(same(Var::add(a, number), &|| a + number));
            refused += usize::from(same(Var::sub(a, number), &|| a - number));
            refused += usize::from(same(Var::mul(a, number), &|| a.clone() * number));
            refused += usize::from(same(Var::div(a, number), &|| a / number));
        }
        for b in &operands {
            refused += usize::from(same(Var::add(a, b), &|| a + b));
            refused += usize::from(same(Var::sub(a, b), &|| a.clone() - b));
            refused += usize::from(same(Var::mul(a, b), &|| a * b.clone()));
            refused += usize::from(same(Var::div(a, b), &|| a.clone() / b.clone()));
        }
    }
    assert!(refused > 100, "{refused}");
    let texts = [
        panic_text(|| &operands[0] + &operands[1]),
        panic_text(|| &operands[2] * &operands[3]),
        panic_text(|| -&operands[5]),
        panic_text(|| &operands[5] / 2.0),
    ];
    insta::assert_snapshot!(texts.map(Option::unwrap).join("\n"));
}

#[test]
fn variables_print_their_elements_and_where_they_come_from() {
    let x = Var::leaf(&[1.0_f32, -2.5, 3.25, 4.0], &[2, 2]).unwrap();
    let y = x.mul(2.0).unwrap();
    let printed = [
        format!("{x}"),
        format!("{x:?}"),
        format!("{y:?}"),
        format!("{:?}", y.detach()),
        format!("{:?}", y.t().unwrap()),
        format!("{:?}", x.split(&[1, 1], 0).unwrap()[1]),
        format!("{}", y.detach()),
        format!("{}", Var::full(&[], 1.0, DType::Bool).unwrap()),
        format!("{:?}", Var::from_slice::<i64>(&[], &[0, 3]).unwrap()),
    ];
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn without_recording_nothing_is_recorded_or_allocated_for_it() {
    let (x, w) = (Var::leaf(&[1.0_f32; 8], &[2, 4]).unwrap(), Var::leaf(&[1.0_f32; 8], &[4, 2]).unwrap());
    let (constant, other) = (x.detach(), w.detach());
    type Work = fn(&Var, &Var) -> Var;
    let works: [(&str, Work); 7] = [
        ("add", |x, _| x + 1.0),
        ("mul", |x, _| x * x),
        ("tanh", |x, _| x.tanh().unwrap()),
        ("t", |x, _| x.t().unwrap()),
        ("matmul", |x, w| x.matmul(w).unwrap()),
        ("sum", |x, _| x.sum(&[0], false).unwrap()),
        ("softmax", |x, _| x.softmax(1).unwrap()),
    ];
    for (name, work) in works {
        // Whatever is made at first use is there then.
        drop((work(&x, &w), no_grad(|| work(&x, &w)), work(&constant, &other)));
        let recorded = allocation_counter::measure(|| drop(work(&x, &w)));
        let plain = allocation_counter::measure(|| drop(work(&constant, &other)));
        let off = allocation_counter::measure(|| drop(no_grad(|| work(&x, &w))));
        assert_eq!((off.count_total, off.bytes_total), (plain.count_total, plain.bytes_total), "{name}");
        assert!(recorded.bytes_total > plain.bytes_total, "{name}");
        let y = no_grad(|| work(&x, &w));
        assert!(!y.requires_grad() && y.is_leaf() && y.as_variable().grad_fn().is_none(), "{name}");
        let y = no_grad(|| enable_grad(|| work(&x, &w)));
        assert!(y.requires_grad() && !y.is_leaf() && y.as_variable().grad_fn().is_some(), "{name}");
        assert!(y.backward_from(&no_grad(|| work(&x, &w))).is_ok());
    }
    let text = no_grad(|| x.sum(&[], false)).unwrap().backward().unwrap_err().to_string();
    assert_eq!(text, "output 0 of the walk requires no gradients, so there is nothing to walk");
}

#[test]
fn detached_ones_share_elements_and_nothing_else() {
    let x = Var::leaf(&[1.0_f64, 2.0], &[2]).unwrap();
    let y = x.square().unwrap();
    let detached = y.detach();
    assert!(detached.tensor().shares_buffer(y.tensor()) && !detached.requires_grad() && detached.is_leaf());
    assert!(detached.gradient().is_none());
    detached.clear_gradient();
    // y * constant(y): one way back alone.
    (&y * &detached).sum(&[], false).unwrap().backward().unwrap();
    assert_eq!(x.gradient().unwrap().to_vec::<f64>().unwrap(), [2.0, 16.0]);
    // A leaf of its own.
    let leaf = y.with_requires_grad().unwrap();
    assert!(leaf.is_leaf() && leaf.tensor().shares_buffer(y.tensor()));
    leaf.sum(&[], false).unwrap().backward().unwrap();
    assert_eq!(leaf.gradient().unwrap().to_vec::<f64>().unwrap(), [1.0, 1.0]);
    assert_eq!(x.gradient().unwrap().to_vec::<f64>().unwrap(), [2.0, 16.0]);
    assert!(Var::from_slice(&[1_i64], &[1]).unwrap().with_requires_grad().is_err());
}

#[test]
fn hooks_see_and_replace_gradients() {
    let x = Var::leaf(&[1.0_f64, 2.0], &[2]).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let y = x.square().unwrap();
    let note = Arc::clone(&seen);
    let handle = y
        .register_hook(move |gradient: &stratal_autograd::Variable| {
            note.lock().unwrap().push(gradient.tensor().to_vec::<f64>()?);
            Ok(Some(Var::from(gradient.clone()).mul(10.0)?.as_variable().clone()))
        })
        .unwrap();
    let loss = (&y + &y).sum(&[], false).unwrap();
    let options = GradOptions { retain_graph: true, ..GradOptions::default() };
    let found = grad(&[&loss], &[&x], options).unwrap().remove(0);
    // The complete gradient, once.
    assert_eq!(*seen.lock().unwrap(), [[2.0, 2.0]]);
    assert_eq!(found.to_vec::<f64>().unwrap(), [40.0, 80.0]);
    handle.remove();
    loss.backward().unwrap();
    assert_eq!(x.gradient().unwrap().to_vec::<f64>().unwrap(), [4.0, 8.0]);
    assert_eq!(seen.lock().unwrap().len(), 1);
    // One that fails ends the walk, and no slot has changed.
    let _handle = x.register_hook(|_: &_| Err("not this one".into())).unwrap();
    let text = x.square().unwrap().sum(&[], false).unwrap().backward().unwrap_err().to_string();
    assert!(text.contains("not this one"), "{text}");
    assert_eq!(x.gradient().unwrap().to_vec::<f64>().unwrap(), [4.0, 8.0]);
    assert!(x.detach().register_hook(|_: &_| Ok(None)).is_err());
}

#[test]
fn threads_go_backward_at_once_over_shared_parameters() {
    let w = Var::leaf(&[1.0_f64, -2.0, 3.0, 4.0], &[2, 2]).unwrap();
    let b = Var::leaf(&[1.0_f64, 1.0], &[2]).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4_i32 {
            let (w, b) = (&w, &b);
            scope.spawn(move || {
                for step in 0..50_i32 {
                    let x = Var::from_slice(&[f64::from(thread), 1.0, f64::from(step), 2.0], &[2, 2]).unwrap();
                    // Whole numbers, so that sums are exact in any order.
                    let y = x.matmul(w).unwrap() + b;
                    y.sum(&[], false).unwrap().backward().unwrap();
                }
            });
        }
    });
    // Each adds the sums of the columns of x, for each column of w.
    let first = 50.0 * (0.0 + 1.0 + 2.0 + 3.0) + 4.0 * f64::from((0..50).sum::<i32>());
    let second = 200.0 * 3.0;
    assert_eq!(w.gradient().unwrap().to_vec::<f64>().unwrap(), [first, first, second, second]);
    assert_eq!(b.gradient().unwrap().to_vec::<f64>().unwrap(), [400.0, 400.0]);
}

/// One graph, walked by several threads: all of them, as long as it is kept.
#[test]
fn threads_share_a_graph_that_is_kept() {
    let x = Var::leaf(&[1.0_f64, 2.0, 3.0], &[3]).unwrap();
    let loss = x.exp().unwrap().mul(&x).unwrap().tanh().unwrap().sum(&[], false).unwrap();
    let options = GradOptions { retain_graph: true, ..GradOptions::default() };
    let expected = grad(&[&loss], &[&x], options).unwrap().remove(0).to_vec::<f64>().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let found = grad(&[&loss], &[&x], options).unwrap().remove(0);
                    assert_eq!(found.to_vec::<f64>().unwrap(), expected);
                }
            });
        }
    });
    assert!(x.gradient().is_none());
}

#[test]
fn gradients_with_respect_to_views() {
    let x = Var::leaf(&[1.0_f64, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3]).unwrap();
    let row = x.select(0, 1).unwrap();
    let turned = x.t().unwrap().flip(&[0]).unwrap();
    let loss = (row.square().unwrap().sum(&[], false).unwrap()) + turned.select(0, 0).unwrap().sum(&[], false).unwrap();
    let found = grad(&[&loss], &[&row, &turned, &x], GradOptions::default()).unwrap();
    assert_eq!(found[0].to_vec::<f64>().unwrap(), [8.0, 10.0, 12.0]);
    assert_eq!(found[1].to_vec::<f64>().unwrap(), [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(found[2].to_vec::<f64>().unwrap(), [0.0, 0.0, 1.0, 8.0, 10.0, 13.0]);
    // A leaf that is a view itself.
    let whole = Tensor::from_slice(&[1.0_f64, 2.0, 3.0, 4.0], &[4]).unwrap();
    let leaf = Var::parameter(whole.slice(0, None, None, -2).unwrap()).unwrap();
    leaf.square().unwrap().sum(&[], false).unwrap().backward().unwrap();
    assert_eq!(leaf.gradient().unwrap().to_vec::<f64>().unwrap(), [8.0, 4.0]);
}

#[test]
fn what_no_output_depends_on_has_no_gradient() {
    let (x, y) = (Var::leaf(&[1.0_f64], &[]).unwrap(), Var::leaf(&[2.0_f64], &[]).unwrap());
    let loss = x.square().unwrap();
    let text = |result: Result<Vec<Var>, EagerError>| result.unwrap_err().to_string();
    let keep = GradOptions { retain_graph: true, ..GradOptions::default() };
    let texts = [
        text(grad(&[&loss], &[&x, &y], keep)),
        text(grad(&[&loss], &[&y], GradOptions { allow_unreachable: true, ..keep })),
        text(grad(&[&loss], &[&y.detach()], keep)),
        text(grad(&[&loss.detach()], &[&x], keep)),
        text(grad(&[&Var::leaf(&[1.0_f64; 2], &[2]).unwrap()], &[&x], keep)),
    ];
    insta::assert_snapshot!(texts.join("\n"));
    // None of it did any harm.
    assert_eq!(grad(&[&loss], &[&x], keep).unwrap()[0].item().unwrap(), 2.0);
    assert_eq!(grad(&[&loss], &[&loss], keep).unwrap()[0].item().unwrap(), 1.0);
    assert_eq!(grad(&[&loss], &[], keep).unwrap().len(), 0);
    loss.backward().unwrap();
    assert!(y.gradient().is_none());
    let again = loss.backward().unwrap_err().to_string();
    assert!(again.starts_with("the saved tensors of Mul are gone"), "{again}");
}

#[test]
fn second_derivatives_of_a_network_are_those_of_differences() {
    let parameter = |seed: u64, extents: &[i64]| {
        let tensor = Tensor::zeros(extents, DType::F64).unwrap();
        tensor.fill_normal(0.0, 0.7, seed).unwrap();
        Var::parameter(tensor).unwrap()
    };
    let inputs =
        [parameter(1, &[4, 3]), parameter(2, &[3, 5]), parameter(3, &[5]), parameter(4, &[2, 5]), parameter(5, &[2])];
    let classes = Var::from_slice(&[0_i64, 1, 1, 0], &[4]).unwrap();
    let network = |inputs: &[Var]| {
        let hidden = inputs[0].matmul(&inputs[1])?.add(&inputs[2])?.tanh()?;
        let scores = hidden.linear(&inputs[3], Some(&inputs[4]))?;
        let options = stratal_eager::loss::CrossEntropy::default();
        Ok(vec![stratal_eager::loss::cross_entropy(&scores, &classes, options)?, scores.log_softmax(1)?])
    };
    let check = GradientCheck { second_order: true, ..GradientCheck::default() };
    let report = check.run(network, &inputs).unwrap();
    assert!(report.is_close(), "{report}");
    assert_eq!(report.compared, 2 * (12 + 15 + 5 + 10 + 2));
}

#[test]
fn seeds_say_what_is_dropped() {
    let x = Var::leaf(&[1.0_f32; 256], &[256]).unwrap();
    let drawn = |seed| {
        set_seed(seed).unwrap();
        [x.dropout(0.5).unwrap(), x.dropout(0.5).unwrap()].map(|y| y.to_vec::<f32>().unwrap())
    };
    let [first, second] = drawn(7);
    assert_ne!(first, second);
    assert_eq!(drawn(7), [first.clone(), second.clone()]);
    assert_ne!(drawn(8)[0], first);
    // Each thread has its own, from 0 on.
    let fresh = || {
        let x = Var::leaf(&[1.0_f32; 256], &[256]).unwrap();
        x.dropout(0.5).unwrap().to_vec::<f32>().unwrap()
    };
    let here = drawn(0)[0].clone();
    assert_eq!(std::thread::spawn(fresh).join().unwrap(), here);
    // What was dropped has no gradient, and the rest its scale.
    set_seed(7).unwrap();
    x.dropout(0.5).unwrap().sum(&[], false).unwrap().backward().unwrap();
    assert_eq!(x.gradient().unwrap().to_vec::<f32>().unwrap(), first);
    for ratio in [-0.1, 1.0, 1.5, f64::NAN] {
        assert!(x.dropout(ratio).is_err(), "{ratio}");
    }
    assert_eq!(x.dropout(0.0).unwrap().to_vec::<f32>().unwrap(), [1.0; 256]);
}
