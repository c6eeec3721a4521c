//! `CumProd`: running products.

use stratal_kernels::Accumulation;

use super::cumulative;
use crate::Definition;

/// The product of the elements up to each one along an axis, which the second input gives. Integers wrap.
#[derive(Debug, Clone, Copy, Default)]
pub struct CumProd {
    /// Without the element itself: the first result is then 1.
    pub exclusive: bool,
    /// From the last element on.
    pub reverse: bool,
}

impl CumProd {
    /// What is known of it.
    pub const DEFINITION: Definition = cumulative::definition("CumProd", 26, |node| {
        let (exclusive, reverse) = cumulative::attributes(node)?;
        Ok(Box::new(Self { exclusive, reverse }))
    });
}

cumulative::operator!(CumProd, Accumulation::Product);
