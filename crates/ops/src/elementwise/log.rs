//! `Log`: the natural logarithm.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The natural logarithm: negative infinity for zeros, NaN below them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Log;

impl Log {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Log", 13, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Log, |_| map::Log);
