//! `CumSum`: running sums.

use stratal_kernels::Accumulation;

use super::cumulative;
use crate::Definition;

/// The sum of the elements up to each one along an axis, which the second input gives. Integers wrap.
#[derive(Debug, Clone, Copy, Default)]
pub struct CumSum {
    /// Without the element itself: the first result is then 0.
    pub exclusive: bool,
    /// From the last element on.
    pub reverse: bool,
}

impl CumSum {
    /// What is known of it.
    pub const DEFINITION: Definition = cumulative::definition("CumSum", 14, |node| {
        let (exclusive, reverse) = cumulative::attributes(node)?;
        Ok(Box::new(Self { exclusive, reverse }))
    });
}

cumulative::operator!(CumSum, Accumulation::Sum);
