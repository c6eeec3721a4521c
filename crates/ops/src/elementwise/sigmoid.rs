//! `Sigmoid`: the logistic function.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The logistic function `1 / (1 + exp(-x))`, accurate far from zero too, and never outside of 0 to 1.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sigmoid;

impl Sigmoid {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Sigmoid", 13, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Sigmoid, |_| map::Sigmoid);
