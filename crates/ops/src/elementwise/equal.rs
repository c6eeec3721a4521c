//! `Equal`: whether elements are equal.

use stratal_kernels::map;

use super::elements::are_equal;
use super::{binary, comparison};
use crate::{Definition, dtypes};

/// Whether the elements of two operands that broadcast are equal. NaN equals nothing; zeros of both signs are equal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Equal;

impl Equal {
    /// What is known of it.
    pub const DEFINITION: Definition = binary::definition("Equal", 19, dtypes::ALL, &[], |_| Ok(Box::new(Self)));
}

comparison::operator!(Equal, |_| map::Equal, are_equal);
