//! `Round`: the nearest integer.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The nearest integer, and of two the even one. Infinities, NaN and the sign of zero stay.
#[derive(Debug, Clone, Copy, Default)]
pub struct Round;

impl Round {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Round", 22, dtypes::FLOATS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Round, |_| map::Round);
