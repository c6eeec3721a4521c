//! `Add`: sums.

use stratal_kernels::map;

use super::binary;
use crate::{Definition, dtypes};

/// The sum of two operands that broadcast. Integers wrap.
#[derive(Debug, Clone, Copy, Default)]
pub struct Add;

impl Add {
    /// What is known of it.
    pub const DEFINITION: Definition = binary::definition("Add", 14, dtypes::NUMBERS, &[], |_| Ok(Box::new(Self)));
}

binary::operator!(commutative Add, |_| map::Add, |a, b| Some(a.add(b)));
