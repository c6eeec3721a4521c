//! `IsNaN`: which elements are no numbers.

use stratal_kernels::map;

use super::{predicate, unary};
use crate::{Definition, dtypes};

/// Whether elements are NaN.
#[derive(Debug, Clone, Copy, Default)]
pub struct IsNan;

impl IsNan {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("IsNaN", 20, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

predicate::operator!(IsNan, |_| map::IsNan);
