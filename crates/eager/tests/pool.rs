//! What training takes from the pool, and gives back. The pool is shared by the process, so this is a process of its own, whose
//! tests take turns.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stratal_eager::loss::{self, CrossEntropy, LossReduction};
use stratal_eager::{
    Adam, ConvOptions, EagerError, GradOptions, Initializer, Optimizer, Parameters, PoolOptions, Sgd, Var, grad,
    no_grad,
};
use stratal_tensor::Tensor;
use stratal_tensor::base::{DType, Device};
use stratal_tensor::memory::{Pool, Usage};

fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn usage() -> Usage {
    Pool::shared(Device::Cpu).unwrap().usage().total
}

/// Elements enough that no bookkeeping counts beside them.
const COUNT: i64 = 1 << 16;
const BYTES: u64 = 4 * COUNT as u64;
const DEPTH: u64 = 64;

type Step = fn(&Var, &Var) -> Result<Var, EagerError>;

/// What may be at hand while one operation goes backward: the gradient that comes, those that leave, and what is between.
const AT_HAND: u64 = 4 * BYTES;

/// Operations that save something as large as their operand, which nobody else holds.
const STEPS: [(&str, Step); 7] = [
    ("tanh", |x, _| x.tanh()),
    ("sin", |x, _| x.sin()),
    ("relu", |x, _| x.relu()),
    ("product", |x, w| x.mul(w)),
    ("matrix product", |x, w| x.reshape(&[256, 256])?.matmul(&w.reshape(&[256, 256])?)?.reshape(&[COUNT])),
    ("softmax", |x, _| x.reshape(&[256, 256])?.softmax(1)?.reshape(&[COUNT])),
    ("layer norm", |x, w| x.reshape(&[256, 256])?.layer_norm(1, &w.narrow(0, 0, 256)?, None, 1e-5)?.reshape(&[COUNT])),
];

/// A deep chain, whose saved values go one by one as backward passes them.
#[test]
fn what_was_saved_is_released_as_backward_walks() {
    let _turn = turn();
    for (name, step) in STEPS {
        let before = usage().live_bytes;
        let elements: Vec<f32> = (0..COUNT).map(|element| (element as f32 * 0.37).sin() * 0.1).collect();
        let (x, w) = (Var::leaf(&elements, &[COUNT]).unwrap(), Var::leaf(&elements, &[COUNT]).unwrap());
        // A leaf over a vector takes nothing from the pool; gradients do.
        let leaves = usage().live_bytes - before;
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mut y = x.mul(2.0).unwrap();
        for depth in 0..DEPTH {
            let seen = Arc::clone(&seen);
            let note = move |_: &_| {
                seen.lock().unwrap().push((depth, usage().live_bytes));
                Ok(None)
            };
            let _handle = y.register_hook(note).unwrap();
            y = step(&y, &w).unwrap();
        }
        let sum = y.sum(&[], false).unwrap();
        drop(y);
        let forward = usage().live_bytes - before;
        let peak_before = usage().live_bytes_peak;
        // What one step keeps, at most: a normalisation keeps some numbers for each row beside its operand.
        let kept = forward.div_ceil(DEPTH);
        assert!(forward >= leaves + (DEPTH - 1) * BYTES, "{name}: {forward} bytes do not hold {DEPTH} saved values");
        sum.backward().unwrap();

        let gradients = BYTES * u64::from(x.gradient().is_some()) + BYTES * u64::from(w.gradient().is_some());
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        assert_eq!(seen.len() as u64, DEPTH, "{name}");
        for (depth, live) in seen {
            let most = leaves + (depth + 1) * kept + gradients + AT_HAND;
            assert!(live - before <= most, "{name}: {} bytes at depth {depth}, not {most}", live - before);
        }
        // At no time is there more than at the end of forward, but for what is at hand.
        let most = peak_before.max(before + forward + gradients + AT_HAND);
        assert!(usage().live_bytes_peak <= most, "{name}: at most {}, not {most}", usage().live_bytes_peak);
        // In the end there are leaves and gradients, and the scalar.
        let scalar = 2 * 64;
        let live = usage().live_bytes - before;
        assert!(live <= leaves + gradients + scalar, "{name}: {live} bytes stay of {leaves} and {gradients}");
        drop((x, w, sum));
        assert_eq!(usage().live_bytes, before, "{name}");
    }
}

/// With a graph that is kept, everything stays, and goes when its last variable does.
#[test]
fn a_graph_that_is_kept_lives_as_long_as_its_last_variable() {
    let _turn = turn();
    let before = usage().live_bytes;
    let x = Var::parameter(Tensor::full(&[COUNT], 0.5, DType::F32).unwrap()).unwrap();
    let leaf = usage().live_bytes;
    let mut y = x.clone();
    for _ in 0..DEPTH {
        y = y.tanh().unwrap();
    }
    let sum = y.sum(&[], false).unwrap();
    drop(y);
    let forward = usage().live_bytes;
    let options = GradOptions { retain_graph: true, ..GradOptions::default() };
    drop(grad(&[&sum], &[&x], options).unwrap());
    assert_eq!(usage().live_bytes, forward);
    sum.backward().unwrap();
    drop(sum);
    assert_eq!(usage().live_bytes, leaf + BYTES);
    // Dropped without a walk.
    let mut y = x.clone();
    for _ in 0..DEPTH {
        y = y.tanh().unwrap();
    }
    drop(y);
    assert_eq!(usage().live_bytes, leaf + BYTES);
    drop(x);
    assert_eq!(usage().live_bytes, before);
}

/// Without recording a deep chain needs two places, whatever its depth.
#[test]
fn nothing_is_kept_without_recording() {
    let _turn = turn();
    let x = Var::parameter(Tensor::full(&[COUNT], 0.5, DType::F32).unwrap()).unwrap();
    let before = usage().live_bytes;
    no_grad(|| {
        let mut y = x.clone();
        for _ in 0..DEPTH {
            y = y.tanh().unwrap();
            assert_eq!(usage().live_bytes, before + BYTES);
        }
    });
    let mut y = x.detach();
    for _ in 0..DEPTH {
        y = y.tanh().unwrap();
        assert_eq!(usage().live_bytes, before + BYTES);
    }
}

/// The share of blocks that were idle before, of those rented in 50 steps after five.
fn hit_rate(mut step: impl FnMut()) -> (f64, Usage, Usage) {
    for _ in 0..5 {
        step();
    }
    let before = usage();
    for _ in 0..50 {
        step();
    }
    let after = usage();
    assert!(after.rents > before.rents);
    ((after.hits - before.hits) as f64 / (after.rents - before.rents) as f64, before, after)
}

fn parameter(parameters: &mut Parameters, name: &str, extents: &[i64]) -> Var {
    let initializer = if extents.len() == 1 { Initializer::Zeros } else { Initializer::KaimingUniform };
    parameters.add(name, initializer.parameter(extents, DType::F32, parameters.len() as u64).unwrap()).unwrap()
}

fn inputs(extents: &[i64]) -> Var {
    let tensor = Tensor::zeros(extents, DType::F32).unwrap();
    tensor.fill_normal(0.0, 1.0, 3).unwrap();
    tensor.into()
}

fn assert_steady(what: &str, (rate, before, after): (f64, Usage, Usage)) {
    assert!(rate > 0.99, "{what}: a hit rate of {rate}");
    assert_eq!(after.live_bytes, before.live_bytes, "{what}");
    assert_eq!(after.live_bytes_peak, before.live_bytes_peak, "{what}");
}

#[test]
fn training_a_perceptron_rents_what_is_idle() {
    let _turn = turn();
    let (x, classes) = (inputs(&[100, 64]), Var::from_slice(&[3_i64; 100], &[100]).unwrap());
    let mut parameters = Parameters::new();
    let [w1, b1] = [("w1", &[64, 32][..]), ("b1", &[32])].map(|(name, e)| parameter(&mut parameters, name, e));
    let [w2, b2] = [("w2", &[32, 10][..]), ("b2", &[10])].map(|(name, e)| parameter(&mut parameters, name, e));
    let mut optimizer = Sgd::new(parameters, 0.1).momentum(0.9).weight_decay(1e-4);
    let mut losses = Vec::new();
    let found = hit_rate(|| {
        optimizer.clear_gradients();
        let hidden = (x.matmul(&w1).unwrap() + &b1).relu().unwrap();
        let scores = hidden.matmul(&w2).unwrap() + &b2;
        let loss = loss::cross_entropy(&scores, &classes, CrossEntropy::default()).unwrap();
        loss.backward().unwrap();
        optimizer.step().unwrap();
        losses.push(loss.item().unwrap());
    });
    assert_steady("a perceptron", found);
    assert!(losses[54] < losses[0] / 10.0, "{losses:?}");
}

#[test]
fn training_a_convolutional_net_rents_what_is_idle() {
    let _turn = turn();
    let (images, targets) = (inputs(&[16, 1, 8, 8]), inputs(&[16, 4]));
    let mut parameters = Parameters::new();
    let kernel = parameter(&mut parameters, "kernel", &[8, 1, 3, 3]);
    let bias = parameter(&mut parameters, "bias", &[8]);
    let (scale, shift) = (parameter(&mut parameters, "scale", &[8]), parameter(&mut parameters, "shift", &[8]));
    scale.set_data(&Tensor::full(&[], 1.0, DType::F32).unwrap()).unwrap();
    let weight = parameter(&mut parameters, "weight", &[4, 128]);
    let mut optimizer = Adam::new(parameters, 0.01);
    let running = [Var::full(&[8], 0.0, DType::F32).unwrap(), Var::full(&[8], 1.0, DType::F32).unwrap()];
    let mut losses = Vec::new();
    let found = hit_rate(|| {
        optimizer.clear_gradients();
        let options = ConvOptions { padding: [1, 1], ..Default::default() };
        let maps = images.conv2d(&kernel, Some(&bias), options).unwrap();
        let (maps, _) = maps.batch_norm([&scale, &shift], [&running[0], &running[1]], 0.9, 1e-5).unwrap();
        let pooled = maps.relu().unwrap().max_pool2d([2, 2], PoolOptions::default()).unwrap();
        let scores = pooled.flatten(1, -1).unwrap().linear(&weight, None).unwrap();
        let loss = loss::mse(&scores, &targets, LossReduction::Mean).unwrap();
        loss.backward().unwrap();
        stratal_eager::clip_gradient_norm(optimizer.parameters(), 1.0).unwrap();
        optimizer.step().unwrap();
        losses.push(loss.item().unwrap());
    });
    assert_steady("a convolutional net", found);
    assert!(losses[54] < losses[0] / 2.0, "{losses:?}");
}

/// Clears, computes and goes backward by hand, without an optimiser, and with gradients of gradients.
#[test]
fn second_derivatives_rent_what_is_idle() {
    let _turn = turn();
    let x = Var::parameter(Tensor::full(&[64, 64], 0.5, DType::F32).unwrap()).unwrap();
    let found = hit_rate(|| {
        let y = x.tanh().unwrap().matmul(&x).unwrap().sum(&[], false).unwrap();
        let options = GradOptions { create_graph: true, ..GradOptions::default() };
        let slope = grad(&[&y], &[&x], options).unwrap().remove(0);
        x.clear_gradient();
        slope.square().unwrap().sum(&[], false).unwrap().backward().unwrap();
    });
    assert_steady("second derivatives", found);
}
