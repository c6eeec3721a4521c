//! `Or`: whether one of two truths is true.

use stratal_kernels::map;

use super::binary;
use super::elements::truth;
use crate::{Definition, dtypes};

/// Of two truths whether at least one is true. Operands broadcast.
#[derive(Debug, Clone, Copy, Default)]
pub struct Or;

impl Or {
    /// What is known of it.
    pub const DEFINITION: Definition = binary::definition("Or", 7, dtypes::TRUTHS, &[], |_| Ok(Box::new(Self)));
}

binary::operator!(commutative Or, |_| map::Or, |a, b| Some(Ok(i64::from(truth(a)? | truth(b)?).into())));
