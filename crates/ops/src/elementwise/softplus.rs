//! `Softplus`: a smooth rectified linear unit.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// `log(1 + exp(x))`, which does not overflow: for great elements it is the element.
#[derive(Debug, Clone, Copy, Default)]
pub struct Softplus;

impl Softplus {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Softplus", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Softplus, |_| map::Softplus);
