//! The proof of movement: the same calls through every backend, the reference against lists within lists.
//!
//! [`calls`] lists the operations and how each is called, [`lists`] says what each means in words of nested lists, [`cases`]
//! makes calls up, and [`runner`] compares every backend with the lists, the bytes around the result included.

mod calls;
mod cases;
mod edge_cases;
mod errors;
mod lists;
mod properties;
mod runner;
mod threads;
