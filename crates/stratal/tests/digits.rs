//! Training on the digits, beside the reference in NumPy: losses, norms of gradients, accuracies, in f64 and in f32.

#[path = "../examples/digits/data.rs"]
mod data;
#[path = "../examples/digits/network.rs"]
mod network;

use serde_json::Value;
use stratal::prelude::*;

use self::data::Digits;
use self::network::{Network, Recipe, epoch};

fn expected() -> Value {
    serde_json::from_str(include_str!("digits_expected.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

#[track_caller]
fn assert_close(found: f64, expected: f64, bound: f64, what: &str) {
    assert!((found - expected).abs() <= bound, "{what}: {found} instead of {expected}");
}

#[test]
fn the_first_loss_and_gradients_are_those_of_the_reference() {
    let expected = &expected()["first_gradient"];
    for dtype in [DType::F64, DType::F32] {
        let bound = if dtype == DType::F64 { 1e-12 } else { 1e-6 };
        let digits = Digits::load(|count| (0..count).collect(), dtype).unwrap();
        let network = Network::new(dtype).unwrap();
        let train = &digits.train;
        let loss = network.gradients(&train.pixels.clone().into(), &train.classes.clone().into()).unwrap();
        assert_close(loss, expected["loss"].as_f64().unwrap(), bound, "loss");
        // The reference lists weights and bias of the first layer, then of the second.
        for ((name, parameter), norm) in network.parameters.iter().zip(numbers(&expected["norm"])) {
            let mut alone = Parameters::new();
            alone.add(name, parameter.clone()).unwrap();
            assert_close(stratal::eager::gradient_norm(&alone).unwrap(), norm, bound, name);
        }
    }
}

#[test]
fn training_is_that_of_the_reference() {
    let expected = expected();
    for dtype in [DType::F64, DType::F32] {
        let digits = Digits::load(|count| (0..count).collect(), dtype).unwrap();
        for recipe in Recipe::ALL {
            let network = Network::new(dtype).unwrap();
            let mut optimizer = recipe.optimizer(network.parameters.clone());
            let mut losses = Vec::new();
            for _ in 0..recipe.epochs() {
                losses.push(epoch(&network, &digits.train, &mut *optimizer, recipe.batch_size(), || {}).unwrap());
            }
            let name = recipe.name();
            let expected = &expected[name.replace('-', "_")];
            match recipe {
                Recipe::FullBatch => {
                    for (step, loss) in expected["loss_at"].as_object().unwrap() {
                        let found = losses[step.parse::<usize>().unwrap()];
                        assert_close(found, loss.as_f64().unwrap(), 1e-3, &format!("{name}, step {step}, {dtype}"));
                    }
                }
                _ => {
                    for (epoch, loss) in numbers(&expected["mean_loss_per_epoch"]).into_iter().enumerate() {
                        assert_close(losses[epoch], loss, 1e-3, &format!("{name}, epoch {epoch}, {dtype}"));
                    }
                }
            }
            for (images, accuracy) in [(&digits.train, "train_acc"), (&digits.test, "test_acc")] {
                let found = network.accuracy(images).unwrap();
                assert_close(
                    found,
                    expected[accuracy].as_f64().unwrap(),
                    1e-12,
                    &format!("{name}, {accuracy}, {dtype}"),
                );
            }
        }
    }
}
