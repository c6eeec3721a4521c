//! The proof of maps and movement: the same cases through every backend that this machine runs, bit for bit.
//!
//! [`operations`] lists the operations, [`values`] makes what they are fed, [`place`] where it lies, and [`runner`] compares
//! every backend with the reference. The other modules are cases. An operation is added by one line in the list.

mod array;
mod backends;
mod convolutions;
mod edge_cases;
mod ends_of_memory;
mod errors;
mod exact_functions;
mod fixtures;
mod guarded;
mod in_every_lane;
mod integer_products;
mod laid;
mod layouts;
mod lengths;
#[path = "../../../tensor-base/tests/golden/load.rs"]
mod load;
mod model;
mod movement;
mod operations;
mod place;
mod pooling;
mod products;
mod properties;
mod reductions;
mod resizing;
mod runner;
mod selection;
mod sixteen_bits;
mod sorting;
mod special_values;
mod threads;
mod values;

/// Tests for aarch64 run under emulation, some ten times slower: lists of cases are thinned out there.
const EMULATED: bool = cfg!(target_arch = "aarch64");
