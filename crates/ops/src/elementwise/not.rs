//! `Not`: the opposite of each truth.

use stratal_kernels::map;

use super::elements::truth;
use super::unary;
use crate::{Definition, dtypes};

/// The opposite of each truth.
#[derive(Debug, Clone, Copy, Default)]
pub struct Not;

impl Not {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Not", 1, dtypes::TRUTHS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Not, |_| map::Not, |x| truth(x).map(|truth| Ok(i64::from(!truth).into())));
