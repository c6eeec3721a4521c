//! The tests of the crate, on a toy set of operations over f32.

mod edge_cases;
mod functional;
mod graphs;
mod hooks;
mod memory;
mod model;
mod recording;
mod refusals;
mod saved;
mod second_order;
mod texts;
mod threads;
mod toy;
