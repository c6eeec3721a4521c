//! `Xor`: whether one of two truths is true and the other one is not.

use stratal_kernels::map;

use super::binary;
use super::elements::truth;
use crate::{Definition, dtypes};

/// Of two truths whether just one is true. Operands broadcast.
#[derive(Debug, Clone, Copy, Default)]
pub struct Xor;

impl Xor {
    /// What is known of it.
    pub const DEFINITION: Definition = binary::definition("Xor", 7, dtypes::TRUTHS, &[], |_| Ok(Box::new(Self)));
}

binary::operator!(commutative Xor, |_| map::Xor, |a, b| Some(Ok(i64::from(truth(a)? ^ truth(b)?).into())));
