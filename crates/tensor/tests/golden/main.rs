//! The golden vectors, through tensors: casts, views, layouts and comparisons give the written results.

// The fixtures of the layer below, and how they are read.
#[path = "../../../tensor-base/tests/golden/load.rs"]
mod load;

mod all_close;
mod cast;
mod layouts;
mod views;
