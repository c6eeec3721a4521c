//! scratch
#![allow(missing_docs, dead_code, clippy::all, clippy::print_stdout)]
use std::time::Instant;
use stratal::prelude::*;
#[path = "digits/data.rs"]
mod data;
#[path = "digits_convolution/network.rs"]
mod convolution;
#[path = "digits/network.rs"]
mod network;
#[path = "digits_convolution/shuffle.rs"]
mod shuffle;
fn time(name: &str, reps: usize, mut f: impl FnMut()) {
    for _ in 0..reps / 2 { f(); }
    let mut best = f64::MAX;
    for _ in 0..40 {
        let start = Instant::now();
        for _ in 0..reps { f(); }
        best = best.min(start.elapsed().as_nanos() as f64 / reps as f64);
    }
    println!("{name}: {best:.0} ns");
}
fn main() {
    let a = Var::leaf(&[1.0_f32; 8], &[8]).unwrap();
    let b = Var::from_slice(&[1.0_f32; 8], &[8]).unwrap();
    let c = b.detach();
    time("add", 2000, || drop(b.add(&c).unwrap()));
    time("add no_grad", 2000, || no_grad(|| drop(a.add(&b).unwrap())));
    time("add recording", 2000, || drop(a.add(&b).unwrap()));
    time("mul recording", 2000, || drop(a.mul(&b).unwrap()));
    time("tanh", 2000, || drop(b.tanh().unwrap()));
    time("sum", 2000, || drop(b.sum(&[], false).unwrap()));
    time("sum axis", 2000, || drop(b.sum(&[0], false).unwrap()));
    time("reshape", 2000, || drop(b.reshape(&[2, 4]).unwrap()));
    let m = Var::from_slice(&[1.0_f32; 16], &[4, 4]).unwrap();
    time("matmul 4x4", 2000, || drop(m.matmul(&m).unwrap()));
    time("softmax 4x4", 2000, || drop(m.softmax(1).unwrap()));
    time("square sum backward", 1000, || { let y = a.mul(&a).unwrap().sum(&[], false).unwrap(); y.backward().unwrap(); a.clear_gradient(); });
    let digits = data::Digits::load(|count| (0..count).collect(), DType::F32).unwrap();
    let (pixels, classes) = digits.train.batches(32).next().unwrap().unwrap();
    let network = network::Network::new(DType::F32).unwrap();
    let mut optimizer = network::Recipe::Momentum.optimizer(network.parameters.clone());
    time("digits forward", 50, || no_grad(|| drop(network.scores(&pixels).unwrap())));
    time("digits loss", 50, || drop(cross_entropy(&network.scores(&pixels).unwrap(), &classes, CrossEntropy::default()).unwrap()));
    time("digits gradients", 50, || drop(network.gradients(&pixels, &classes).unwrap()));
    time("digits step", 50, || { network.gradients(&pixels, &classes).unwrap(); optimizer.step().unwrap(); });
    let network = convolution::Network::new(1).unwrap();
    let mut optimizer = AdamW::new(network.parameters.clone(), 1e-4);
    time("convolution forward", 10, || no_grad(|| drop(network.scores(&pixels).unwrap())));
    time("convolution gradients", 10, || drop(network.gradients(&pixels, &classes).unwrap()));
    time("convolution step", 10, || { network.gradients(&pixels, &classes).unwrap(); optimizer.step().unwrap(); });
}
