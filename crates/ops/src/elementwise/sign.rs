//! `Sign`: whether elements are negative, zero or positive.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// -1 for negative elements, 1 for positive ones. Zeros and NaN stay.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sign;

impl Sign {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Sign", 13, dtypes::NUMBERS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Sign, |_| map::Sign);
