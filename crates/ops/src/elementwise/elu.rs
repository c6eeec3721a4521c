//! `Elu`: the exponential linear unit.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// `x` where it is positive, else `alpha * (exp(x) - 1)`.
#[derive(Debug, Clone, Copy)]
pub struct Elu {
    /// The size of the limit toward negative infinity.
    pub alpha: f32,
}

impl Elu {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Elu", 22, dtypes::FLOATS, &["alpha"], |node| {
        Ok(Box::new(Self { alpha: node.float_or("alpha", 1.0)? }))
    });
}

unary::operator!(Elu, |elu| map::Elu { alpha: elu.alpha });
