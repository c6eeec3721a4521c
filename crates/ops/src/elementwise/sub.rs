//! `Sub`: differences.

use stratal_kernels::map;

use super::binary;
use crate::{Definition, dtypes};

/// The difference of two operands that broadcast. Integers wrap.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sub;

impl Sub {
    /// What is known of it.
    pub const DEFINITION: Definition = binary::definition("Sub", 14, dtypes::NUMBERS, &[], |_| Ok(Box::new(Self)));
}

binary::operator!(Sub, |_| map::Sub, |a, b| Some(a.subtract(b)));
