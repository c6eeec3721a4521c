//! `HardSwish`: a swish of straight lines.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// `x * min(max(x / 6 + 0.5, 0), 1)`. Negative infinity gives NaN: it is multiplied by zero.
#[derive(Debug, Clone, Copy, Default)]
pub struct HardSwish;

impl HardSwish {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("HardSwish", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(HardSwish, |_| map::HardSwish);
