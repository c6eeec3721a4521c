//! `And`: whether two truths are true.

use stratal_kernels::map;

use super::binary;
use super::elements::truth;
use crate::{Definition, dtypes};

/// Of two truths whether both are true. Operands broadcast.
#[derive(Debug, Clone, Copy, Default)]
pub struct And;

impl And {
    /// What is known of it.
    pub const DEFINITION: Definition = binary::definition("And", 7, dtypes::TRUTHS, &[], |_| Ok(Box::new(Self)));
}

binary::operator!(commutative And, |_| map::And, |a, b| Some(Ok(i64::from(truth(a)? & truth(b)?).into())));
