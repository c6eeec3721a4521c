//! Trains a small network on handwritten digits, as a reference in NumPy does, and prints what it learns.
//!
//! `cargo run --release --example digits [full-batch|sgd|adam]`, all three without a word.
#![expect(clippy::print_stdout, reason = "an example that prints what it learns")]

mod data;
mod network;
mod table;

use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use stratal::Result;
use stratal::prelude::*;

use self::data::Digits;
use self::network::{Network, Recipe, epoch};
use self::table::Confusion;

fn main() -> Result<()> {
    let wanted = std::env::args().nth(1);
    let recipes: Vec<Recipe> =
        Recipe::ALL.into_iter().filter(|recipe| wanted.as_ref().is_none_or(|wanted| wanted == recipe.name())).collect();
    if recipes.is_empty() {
        println!("usage: digits [full-batch|sgd|adam]");
        std::process::exit(2);
    }
    let digits = Digits::load(|count| (0..count).collect(), DType::F32)?;
    first_gradients(&digits)?;
    for recipe in recipes {
        train(recipe, &digits)?;
    }
    Ok(())
}

/// The loss and the gradients before any step, which tell whether all is right.
fn first_gradients(digits: &Digits) -> Result<()> {
    let network = Network::new(DType::F32)?;
    let loss = network.gradients(&digits.train.pixels.clone().into(), &digits.train.classes.clone().into())?;
    println!("before training: loss {loss:.7}; norms of gradients:");
    for (name, parameter) in network.parameters.iter() {
        let mut alone = Parameters::new();
        alone.add(name, parameter.clone())?;
        println!("  {name:<14} {:.7}", stratal::eager::gradient_norm(&alone)?);
    }
    Ok(())
}

fn train(recipe: Recipe, digits: &Digits) -> Result<()> {
    let network = Network::new(DType::F32)?;
    let mut optimizer = recipe.optimizer(network.parameters.clone());
    let steps = recipe.epochs() * digits.train.len().div_ceil(recipe.batch_size());
    println!("\n{}: {} epochs, {} parameters", recipe.name(), recipe.epochs(), network.parameters.count());
    let bar = ProgressBar::new(steps as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} step {pos} of {len} {msg}") {
        bar.set_style(style);
    }
    let start = Instant::now();
    for number in 0..recipe.epochs() {
        let loss = epoch(&network, &digits.train, &mut *optimizer, recipe.batch_size(), || bar.inc(1))?;
        let is_told = recipe != Recipe::FullBatch || number % 20 == 0 || number + 1 == recipe.epochs();
        if is_told {
            let (train, test) = (network.accuracy(&digits.train)?, network.accuracy(&digits.test)?);
            bar.suspend(|| {
                let (train, test) = (100.0 * train, 100.0 * test);
                println!(
                    "epoch {:>3}: loss {loss:.6}, {train:.2} % of training and {test:.2} % of test images",
                    number + 1
                );
            });
        }
    }
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    println!("{steps} steps in {seconds:.2} s, {:.0} us each", 1e6 * seconds / steps as f64);
    println!("{}", Confusion::new(&digits.test.classes.to_vec()?, &network.classes(&digits.test)?));
    Ok(())
}
