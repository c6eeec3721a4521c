//! `Min`: the least of some elements.

use stratal_kernels::map;

use super::variadic;
use crate::{Definition, dtypes};

/// The least of the elements of any number of operands, which broadcast. NaN in any of them gives NaN.
#[derive(Debug, Clone, Copy, Default)]
pub struct Min;

impl Min {
    /// What is known of it.
    pub const DEFINITION: Definition = variadic::definition("Min", 13, dtypes::NUMBERS, |_| Ok(Box::new(Self)));
}

variadic::operator!(Min, map::Min, |a, b| Some(a.smaller(b)));
