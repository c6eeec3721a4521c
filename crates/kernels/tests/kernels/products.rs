//! The proof of products: every backend, fast and exact, against sums written out.
//!
//! [`model`] writes the two orders of summation out, in plain Rust; [`problem`] is a product of operands where they lie, with
//! what is done to it afterwards, and [`problem::check`] runs it through every backend, packed before and not. The other
//! modules are cases.

mod alone;
mod bounds;
mod edge_cases;
mod ends_of_memory;
mod errors;
mod model;
mod packed;
mod problem;
mod properties;
mod threads;
