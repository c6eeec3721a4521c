//! The methods of variables that compute, by family. Whatever has no method is reached by [`apply`](crate::apply).

mod arithmetic;
mod attention;
mod convolution;
mod elementwise;
mod movement;
mod normalization;
mod product;
mod reduction;
mod selection;

pub use convolution::{ConvOptions, PoolOptions};
