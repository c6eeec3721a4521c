//! `Selu`: the scaled exponential linear unit.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// `gamma * x` where `x` is positive, else `gamma * alpha * (exp(x) - 1)`.
#[derive(Debug, Clone, Copy)]
pub struct Selu {
    /// The size of the limit toward negative infinity, before it is scaled.
    pub alpha: f32,
    /// The scale.
    pub gamma: f32,
}

impl Selu {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Selu", 22, dtypes::FLOATS, &["alpha", "gamma"], |node| {
        let map::Selu { alpha, gamma } = map::Selu::default();
        Ok(Box::new(Self { alpha: node.float_or("alpha", alpha)?, gamma: node.float_or("gamma", gamma)? }))
    });
}

unary::operator!(Selu, |selu| map::Selu { alpha: selu.alpha, gamma: selu.gamma });
