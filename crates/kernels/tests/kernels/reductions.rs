//! The proof of operations on rows: the same calls through every backend, bit for bit, wherever the elements lie.
//!
//! [`calls`] lists the operations and compares every backend with the reference on plain rows; the reference itself is held
//! to models that are exact, or in f64.

mod accuracy;
mod calls;
mod edge_cases;
mod errors;
mod in_every_lane;
mod layouts;
mod lengths;
mod properties;
mod threads;
