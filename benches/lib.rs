//! What the benchmarks share: sizes, how long each is measured, and inputs.
//!
//! A benchmark is named `group/function/value`: the group is the operation, the function is `stratal` or the peer, the
//! value is the size. `cargo xtask bench` prints the peers' times over ours from these names.

#[cfg(target_arch = "x86_64")]
pub mod hand;
pub mod problem;

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use criterion::Criterion;

/// Bytes of f32 data, and their name: in the first-level cache, in the second, in memory.
pub const SIZES: [(usize, &str); 3] = [(4 << 10, "4KiB"), (256 << 10, "256KiB"), (64 << 20, "64MiB")];

/// Short runs: the figures are ratios between neighbours in one run, not records.
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20)
        .without_plots()
}

/// Finite floats of both signs and many magnitudes, subnormal and overflowing binary16 included.
pub fn floats(count: usize) -> Vec<f32> {
    let exponents = 40;
    (0..count)
        .map(|index| {
            let magnitude = 2_f32.powi((index % exponents) as i32 - 22);
            let fraction = 1.0 + (index % 1021) as f32 / 1021.0;
            if index % 3 == 0 { -magnitude * fraction } else { magnitude * fraction }
        })
        .collect()
}

/// Elements that begin on a 64-byte boundary, as those of a tensor do.
#[derive(Debug)]
pub struct Aligned<T> {
    elements: Vec<T>,
    start: usize,
}

impl<T: Copy> Aligned<T> {
    /// The same elements on a boundary.
    pub fn new(mut elements: Vec<T>) -> Self {
        let Some(first) = elements.first().copied() else {
            return Self { elements, start: 0 };
        };
        let count = elements.len();
        elements.reserve_exact(64 / size_of::<T>());
        let start = elements.as_ptr().align_offset(64);
        for _ in 0..start {
            elements.push(first);
        }
        elements.copy_within(..count, start);
        Self { elements, start }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.elements[self.start..]
    }
}

impl<T> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.elements[self.start..]
    }
}
