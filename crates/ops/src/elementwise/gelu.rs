//! `Gelu`: the Gaussian error linear unit.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// `x` times the share of a standard normal distribution that lies below `x`. Accurate far below zero too.
#[derive(Debug, Clone, Copy, Default)]
pub struct Gelu {
    /// How exact it is.
    pub approximation: GeluApproximation,
}

/// How exact a [`Gelu`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GeluApproximation {
    /// By the error function.
    #[default]
    None,
    /// `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))`.
    Tanh,
}

impl Gelu {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Gelu", 20, dtypes::FLOATS, &["approximate"], |node| {
        let words = [("none", GeluApproximation::None), ("tanh", GeluApproximation::Tanh)];
        Ok(Box::new(Self { approximation: node.word("approximate", "none or tanh", &words)? }))
    });
}

unary::operator!(
    Gelu,
    dyn |gelu| match gelu.approximation {
        GeluApproximation::None => &map::Gelu,
        GeluApproximation::Tanh => &map::GeluTanh,
    }
);
