//! Exhaustive sweeps.
fn main() {}
