//! The proof of convolutions: every strategy, layout and backend against sums written down here, term by term.

mod bytes;
mod edge_cases;
mod errors;
mod gradients;
mod model;
mod properties;
mod threads;
