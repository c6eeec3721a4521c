//! What variables cost: small operations with and without a record, and steps of training.
//!
//! `benches/peers` has the same steps in candle.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use stratal::prelude::*;

#[path = "../../crates/stratal/examples/digits_convolution/network.rs"]
#[expect(dead_code, reason = "shared with the examples")]
mod convolution;
#[path = "../../crates/stratal/examples/digits/data.rs"]
#[expect(dead_code, reason = "shared with the examples")]
mod data;
#[path = "../../crates/stratal/examples/digits/network.rs"]
#[expect(dead_code, reason = "shared with the examples")]
mod network;
#[path = "../../crates/stratal/examples/digits_convolution/shuffle.rs"]
mod shuffle;

criterion_group! {
    name = eager;
    config = stratal_benches::criterion();
    targets = operations, training
}
criterion_main!(eager);

/// On 8 elements, where the call is everything.
fn operations(criterion: &mut Criterion) {
    let leaf = Var::leaf(&[1.5_f32; 8], &[8]).expect("floats");
    let constant = leaf.detach();
    let mut group = criterion.benchmark_group("eager_8");
    let mut row = |name: &str, x: &Var, operation: &dyn Fn(&Var) -> Var| {
        group.bench_function(BenchmarkId::new("stratal", name), |bencher| bencher.iter(|| operation(black_box(x))));
    };
    for (mode, x) in [("plain", &constant), ("recorded", &leaf)] {
        row(&format!("add_{mode}"), x, &|x| x + &constant);
        row(&format!("mul_{mode}"), x, &|x| x * &constant);
        row(&format!("tanh_{mode}"), x, &|x| x.tanh().expect("a float"));
        row(&format!("sum_{mode}"), x, &|x| x.sum(&[], false).expect("a float"));
    }
    row("square_sum_backward", &leaf, &|x| {
        let sum = (x * x).sum(&[], false).expect("a float");
        sum.backward().expect("a graph");
        x.clear_gradient();
        sum
    });
    group.finish();
}

/// A step of the two programs on digits: 32 images forward and backward, and the optimiser.
fn training(criterion: &mut Criterion) {
    let digits = data::Digits::load(|count| (0..count).collect(), DType::F32).expect("the digits");
    let (pixels, classes) = digits.train.batches(32).next().expect("a batch").expect("rows");
    let mut group = criterion.benchmark_group("training_step");
    let network = network::Network::new(DType::F32).expect("a network");
    let mut optimizer = network::Recipe::Momentum.optimizer(network.parameters.clone());
    group.bench_function(BenchmarkId::new("stratal", "digits"), |bencher| {
        bencher.iter(|| {
            let loss = network.gradients(&pixels, &classes).expect("a step");
            optimizer.step().expect("a step");
            loss
        });
    });
    let network = convolution::Network::new(1).expect("a network");
    let mut optimizer = AdamW::new(network.parameters.clone(), 1e-4);
    group.bench_function(BenchmarkId::new("stratal", "digits_convolution"), |bencher| {
        bencher.iter(|| {
            let loss = network.gradients(&pixels, &classes).expect("a step");
            optimizer.step().expect("a step");
            loss
        });
    });
    group.finish();
}
