//! `Celu`: the exponential linear unit with a continuous slope.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// `x` where it is positive, else `alpha * (exp(x / alpha) - 1)`.
#[derive(Debug, Clone, Copy)]
pub struct Celu {
    /// The size of the limit toward negative infinity.
    pub alpha: f32,
}

impl Celu {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Celu", 28, dtypes::FLOATS, &["alpha"], |node| {
        Ok(Box::new(Self { alpha: node.float_or("alpha", 1.0)? }))
    });
}

unary::operator!(Celu, |celu| map::Celu { alpha: celu.alpha });
