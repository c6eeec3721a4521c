//! What the benchmarks share: sizes, how long each is measured, and inputs.
//!
//! A benchmark is named `group/function/value`: the group is the operation, the function is `stratal` or the peer, the
//! value is the size. `cargo xtask bench` prints the peers' times over ours from these names.

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
