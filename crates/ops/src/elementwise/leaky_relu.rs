//! `LeakyRelu`: the rectified linear unit that lets a part of negative elements through.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// `x`, times `alpha` where it is negative.
#[derive(Debug, Clone, Copy)]
pub struct LeakyRelu {
    /// The slope of negative elements.
    pub alpha: f32,
}

impl LeakyRelu {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("LeakyRelu", 16, dtypes::FLOATS, &["alpha"], |node| {
        Ok(Box::new(Self { alpha: node.float_or("alpha", 0.01)? }))
    });
}

unary::operator!(LeakyRelu, |relu| map::LeakyRelu { alpha: relu.alpha });
