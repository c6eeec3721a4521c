//! `Relu`: the rectified linear unit.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// Each element that is positive, and 0 for all others. NaN stays NaN.
#[derive(Debug, Clone, Copy, Default)]
pub struct Relu;

impl Relu {
    /// What is known of it.
    pub const DEFINITION: Definition =
        unary::definition("Relu", 14, dtypes::SIGNED_NUMBERS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Relu, |_| map::Relu, |x| Some(x.larger(&0.into())));
