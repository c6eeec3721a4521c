//! `Mul`: products.

use stratal_kernels::map;

use super::binary;
use crate::{Definition, dtypes};

/// The product of two operands that broadcast. Integers wrap; zero times infinity is NaN.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mul;

impl Mul {
    /// What is known of it.
    pub const DEFINITION: Definition = binary::definition("Mul", 14, dtypes::NUMBERS, &[], |_| Ok(Box::new(Self)));
}

binary::operator!(commutative Mul, |_| map::Mul, |a, b| Some(a.multiply(b)));
