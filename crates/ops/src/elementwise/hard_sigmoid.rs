//! `HardSigmoid`: a logistic function of straight lines.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// `alpha * x + beta`, at least 0 and at most 1. NaN stays NaN.
#[derive(Debug, Clone, Copy)]
pub struct HardSigmoid {
    /// The slope.
    pub alpha: f32,
    /// The value at 0.
    pub beta: f32,
}

impl HardSigmoid {
    /// What is known of it.
    pub const DEFINITION: Definition =
        unary::definition("HardSigmoid", 22, dtypes::FLOATS, &["alpha", "beta"], |node| {
            Ok(Box::new(Self { alpha: node.float_or("alpha", 0.2)?, beta: node.float_or("beta", 0.5)? }))
        });
}

unary::operator!(HardSigmoid, |sigmoid| map::HardSigmoid { alpha: sigmoid.alpha, beta: sigmoid.beta });
