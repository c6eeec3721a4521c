//! Trains a small convolutional network on handwritten digits: the mean of three seeds on a shuffled split, and the figure for
//! the order of the file, where test images are of other writers.
//!
//! `cargo run --release --example digits_convolution`
#![expect(clippy::print_stdout, reason = "an example that prints what it learns")]

#[path = "../digits/data.rs"]
mod data;
mod network;
mod shuffle;

use std::time::Instant;

use indicatif::ProgressBar;
use stratal::Result;
use stratal::prelude::*;

use self::data::{Digits, Images};
use self::network::{EPOCHS, Network, train};
use self::shuffle::shuffled;

fn main() -> Result<()> {
    let start = Instant::now();
    let shuffled = Digits::load(|count| shuffled(count, 42), DType::F32)?;
    println!(
        "shuffled split: {} images to learn from, {} to be tested with",
        shuffled.train.len(),
        shuffled.test.len()
    );
    let seeds = [1, 2, 3];
    let mut sum = 0.0;
    for seed in seeds {
        sum += run(&shuffled, seed)?;
    }
    println!("mean of {} seeds: {:.2} % of test images\n", seeds.len(), sum / seeds.len() as f64);
    println!("order of the file, so test images are of other writers");
    run(&Digits::load(|count| (0..count).collect(), DType::F32)?, 1)?;
    println!("{:.1} s in all", start.elapsed().as_secs_f64());
    Ok(())
}

/// Trains from a seed, and returns the accuracy after the last epoch, in percent.
fn run(digits: &Digits, seed: u64) -> Result<f64> {
    let network = Network::new(seed)?;
    let bar = ProgressBar::new(EPOCHS as u64);
    let start = Instant::now();
    train(&network, &digits.train, seed, |epoch, loss| {
        bar.inc(1);
        if epoch % 5 == 0 {
            let accuracy = percent(&network, &digits.test)?;
            bar.suspend(|| println!("  seed {seed}, epoch {epoch:>2}: loss {loss:.4}, {accuracy:.2} % of test images"));
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    let accuracy = percent(&network, &digits.test)?;
    println!("  seed {seed}: {accuracy:.2} % after {EPOCHS} epochs, in {:.1} s", start.elapsed().as_secs_f64());
    Ok(accuracy)
}

fn percent(network: &Network, images: &Images) -> Result<f64> {
    let found = network.classes(images)?;
    let right = images.classes.to_vec::<i64>()?.iter().zip(&found).filter(|(is, found)| is == found).count();
    Ok(100.0 * right as f64 / images.len() as f64)
}
