//! Inputs at the edges: extremes of integers, NaN and infinities, empty shapes, odd windows and slices.
//!
//! Each is computed by the reference and by the fastest kernels, from operands in several layouts, and in place; all
//! must agree: see `every_way`. What is right was found by hand or by exact arithmetic, and follows `docs/numerics.md`.

mod attention;
mod convolution;
mod every_way;
mod floats;
mod integers;
mod movement;
mod normalization;
mod pooling;
mod products;
mod quantised;
mod reductions;
mod selection;
mod shapes;
