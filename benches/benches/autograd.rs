//! What gradients cost beside the arithmetic: recording an operation, and going backward per record.
//!
//! The operations compute nothing: they hand on a tensor that exists. What is measured is the machinery alone, beside
//! the least that any of its kind has to do: one counted allocation that keeps two parents.

use std::{hint::black_box, sync::Arc};

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use stratal_autograd::{
    Accumulate, BackwardOptions, Engine, InputGradients, OpKind, Recording, RuleCall, RuleError, Rules, Variable,
    no_grad,
};
use stratal_tensor::{Tensor, base::DType};

criterion_group! {
    name = autograd;
    config = stratal_benches::criterion();
    targets = record, backward
}
criterion_main!(autograd);

const PASS: OpKind = OpKind::new("pass");

/// Two inputs, of which `saved` are saved.
fn pass(left: &Variable, right: &Variable, saved: usize) -> Variable {
    let mut recording = Recording::start(PASS, &[left, right]);
    for index in 0..saved {
        recording.save_input(index);
    }
    recording.finish(left.tensor().clone()).expect("a plain float")
}

fn of_pass(call: &RuleCall<'_>) -> Result<InputGradients, RuleError> {
    let gradient = call.only_gradient()?;
    let of = |input| call.needs(input).then(|| gradient.clone());
    Ok([of(0), of(1)].into())
}

/// Keeps the first: what is measured is the walk, not the sum.
struct First;

impl Accumulate for First {
    fn add(&self, first: &Variable, _: &Variable) -> Result<Variable, RuleError> {
        Ok(first.clone())
    }
}

fn engine() -> Engine {
    let mut rules = Rules::new();
    rules.register(PASS, of_pass).expect("the first rule");
    Engine::new(rules, First)
}

fn leaf() -> Variable {
    Variable::leaf(Tensor::zeros(&[1], DType::F32).expect("memory for it")).expect("a plain float")
}

/// The least a graph can be made of.
struct Node {
    _parents: [Option<Arc<Self>>; 2],
}

fn record(criterion: &mut Criterion) {
    let (x, y) = (leaf(), leaf());
    let constant = x.detach();
    let mut group = criterion.benchmark_group("record");
    for saved in [0, 2] {
        group.bench_function(BenchmarkId::new("stratal", format!("{saved}_saved")), |bencher| {
            bencher.iter(|| pass(black_box(&x), black_box(&y), saved));
        });
    }
    group.bench_function(BenchmarkId::new("stratal", "no_grad"), |bencher| {
        no_grad(|| bencher.iter(|| pass(black_box(&x), black_box(&y), 2)));
    });
    group.bench_function(BenchmarkId::new("stratal", "constants"), |bencher| {
        bencher.iter(|| pass(black_box(&constant), black_box(&constant), 2));
    });
    group.bench_function(BenchmarkId::new("tensor_clone", "no_grad"), |bencher| {
        bencher.iter(|| black_box(&x).tensor().clone());
    });
    let parent = Arc::new(Node { _parents: [None, None] });
    group.bench_function(BenchmarkId::new("counted_node", "0_saved"), |bencher| {
        bencher.iter(|| Arc::new(Node { _parents: [Some(Arc::clone(&parent)), Some(Arc::clone(&parent))] }));
    });
    group.finish();
}

/// Each value from the one before and a constant.
fn chain(x: &Variable, length: u64, saved: usize) -> Variable {
    let constant = x.detach();
    (0..length).fold(x.clone(), |value, _| pass(&value, &constant, saved))
}

/// All from one leaf, put together pairwise: half of the records are beside each other.
fn wide(x: &Variable, width: u64) -> Variable {
    let mut row: Vec<Variable> = (0..width).map(|_| pass(x, x, 0)).collect();
    while row.len() > 1 {
        row = row.chunks(2).map(|pair| pass(&pair[0], &pair[pair.len() - 1], 0)).collect();
    }
    row.remove(0)
}

fn backward(criterion: &mut Criterion) {
    let engine = engine();
    let x = leaf();
    let mut group = criterion.benchmark_group("backward");
    let length = 10_000;
    group.throughput(Throughput::Elements(length));
    for saved in [0, 2] {
        let build = || chain(&x, length, saved);
        group.bench_function(BenchmarkId::new("stratal", format!("chain_{saved}_saved")), |bencher| {
            bencher.iter_batched(build, |output| engine.backward(&output).map(|()| output), BatchSize::PerIteration);
        });
        group.bench_function(BenchmarkId::new("stratal", format!("build_and_drop_chain_{saved}_saved")), |bencher| {
            bencher.iter(build);
        });
    }
    let output = chain(&x, length, 2);
    group.bench_function(BenchmarkId::new("stratal", "chain_2_saved_retained"), |bencher| {
        let options = BackwardOptions { retain_graph: true };
        bencher.iter(|| engine.backward_from(&[(&output).into()], options));
    });
    let width = 8192;
    group.throughput(Throughput::Elements(2 * width - 1));
    group.bench_function(BenchmarkId::new("stratal", "wide"), |bencher| {
        let build = || wide(&x, width);
        bencher.iter_batched(build, |output| engine.backward(&output).map(|()| output), BatchSize::PerIteration);
    });
    group.finish();
}
