//! Steps of training beside candle: the two networks on digits, on one batch of 32 images.

use candle_core::{DType, Device, Result, Tensor, Var};
use candle_nn::optim::{AdamW, Optimizer, ParamsAdamW};
use criterion::{BenchmarkId, Criterion};
use stratal::prelude as ours;
use stratal::prelude::Optimizer as _;

#[path = "../../../crates/stratal/examples/digits_convolution/network.rs"]
#[expect(dead_code, reason = "shared with the examples")]
mod convolution;
#[path = "../../../crates/stratal/examples/digits/network.rs"]
#[expect(dead_code, reason = "shared with the examples")]
mod network;

pub fn all(criterion: &mut Criterion) {
    let digits = crate::data::Digits::load(|count| (0..count).collect(), ours::DType::F32).expect("the digits");
    let (pixels, classes) = digits.train.batches(32).next().expect("a batch").expect("rows");
    let peer_pixels =
        Tensor::from_vec(pixels.to_vec::<f32>().expect("floats"), (32, 64), &Device::Cpu).expect("a tensor");
    let peer_classes: Vec<u32> = classes.to_vec::<i64>().expect("classes").iter().map(|&class| class as u32).collect();
    let peer_classes = Tensor::from_vec(peer_classes, 32, &Device::Cpu).expect("a tensor");
    small(criterion, &pixels, &classes, &peer_pixels, &peer_classes);
    convolutional(criterion, &pixels, &classes, &peer_pixels, &peer_classes);
    operations(criterion);
}

fn small(
    criterion: &mut Criterion,
    pixels: &ours::Var,
    classes: &ours::Var,
    peer_pixels: &Tensor,
    peer_classes: &Tensor,
) {
    let mut group = criterion.benchmark_group("training_step_digits");
    let network = network::Network::new(ours::DType::F32).expect("a network");
    let mut optimizer = network::Recipe::Momentum.optimizer(network.parameters.clone());
    group.bench_function(BenchmarkId::new("stratal", "32"), |bencher| {
        bencher.iter(|| {
            let loss = network.gradients(pixels, classes).expect("a step");
            optimizer.step().expect("a step");
            loss
        });
    });
    let parameters: Vec<Var> = [vec![64, 32], vec![32], vec![32, 10], vec![10]].into_iter().map(uniform).collect();
    let mut velocities: Vec<Tensor> =
        parameters.iter().map(|parameter| parameter.zeros_like().expect("zeros")).collect();
    group.bench_function(BenchmarkId::new("candle", "32"), |bencher| {
        bencher.iter(|| -> Result<f32> {
            let hidden = peer_pixels.matmul(&parameters[0])?.broadcast_add(&parameters[1])?.tanh()?;
            let scores = hidden.matmul(&parameters[2])?.broadcast_add(&parameters[3])?;
            let loss = candle_nn::loss::cross_entropy(&scores, peer_classes)?;
            let gradients = loss.backward()?;
            for (parameter, velocity) in parameters.iter().zip(&mut velocities) {
                let Some(gradient) = gradients.get(parameter) else { continue };
                *velocity = ((&*velocity * 0.9)? + gradient)?;
                parameter.set(&(parameter.as_tensor() - (&*velocity * 0.1)?)?)?;
            }
            loss.to_scalar()
        });
    });
    group.finish();
}

fn convolutional(
    criterion: &mut Criterion,
    pixels: &ours::Var,
    classes: &ours::Var,
    peer_pixels: &Tensor,
    peer_classes: &Tensor,
) {
    let mut group = criterion.benchmark_group("training_step_digits_convolution");
    let network = convolution::Network::new(1).expect("a network");
    let mut optimizer = ours::AdamW::new(network.parameters.clone(), 1e-4);
    group.bench_function(BenchmarkId::new("stratal", "32"), |bencher| {
        bencher.iter(|| {
            let loss = network.gradients(pixels, classes).expect("a step");
            optimizer.step().expect("a step");
            loss
        });
    });
    let shapes = [vec![16, 1, 3, 3], vec![16], vec![32, 16, 3, 3], vec![32], vec![10, 128], vec![10]];
    let parameters: Vec<Var> = shapes.into_iter().map(uniform).collect();
    let settings = ParamsAdamW { lr: 1e-4, ..ParamsAdamW::default() };
    let mut optimizer = AdamW::new(parameters.clone(), settings).expect("an optimiser");
    let images = peer_pixels.reshape((32, 1, 8, 8)).expect("images");
    group.bench_function(BenchmarkId::new("candle", "32"), |bencher| {
        bencher.iter(|| -> Result<f32> {
            let stage = |x: &Tensor, weight: &Var, bias: &Var| {
                let x = x.conv2d(weight, 1, 1, 1, 1)?.broadcast_add(&bias.reshape((1, (), 1, 1))?)?;
                x.relu()?.max_pool2d(2)
            };
            let seen = stage(&stage(&images, &parameters[0], &parameters[1])?, &parameters[2], &parameters[3])?;
            let scores = seen.flatten_from(1)?.matmul(&parameters[4].t()?)?.broadcast_add(&parameters[5])?;
            let loss = candle_nn::loss::cross_entropy(&scores, peer_classes)?;
            optimizer.backward_step(&loss)?;
            loss.to_scalar()
        });
    });
    group.finish();
}

/// A sum of 8 elements, where the call is everything.
fn operations(criterion: &mut Criterion) {
    let leaf = ours::Var::leaf(&[1.5_f32; 8], &[8]).expect("floats");
    let constant = leaf.detach();
    let peer_leaf = Var::from_vec(vec![1.5_f32; 8], 8, &Device::Cpu).expect("a variable");
    let peer = peer_leaf.detach();
    for (mode, ours, theirs) in [("plain", &constant, &peer), ("recorded", &leaf, peer_leaf.as_tensor())] {
        let mut group = criterion.benchmark_group(format!("eager_add_{mode}"));
        group.bench_function(BenchmarkId::new("stratal", "8"), |bencher| bencher.iter(|| ours.add(&constant)));
        group.bench_function(BenchmarkId::new("candle", "8"), |bencher| bencher.iter(|| theirs + &peer));
        group.finish();
    }
}

fn uniform(shape: Vec<usize>) -> Var {
    let bound = (shape.iter().skip(1).product::<usize>().max(1) as f64).powf(-0.5);
    let tensor = Tensor::rand(-bound, bound, shape, &Device::Cpu).and_then(|tensor| tensor.to_dtype(DType::F32));
    Var::from_tensor(&tensor.expect("numbers")).expect("a variable")
}
