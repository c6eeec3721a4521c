//! `Neg`: the opposite of each element.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The opposite of each element. The smallest integer has none, and stays.
#[derive(Debug, Clone, Copy, Default)]
pub struct Neg;

impl Neg {
    /// What is known of it.
    pub const DEFINITION: Definition =
        unary::definition("Neg", 13, dtypes::SIGNED_NUMBERS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Neg, |_| map::Neg, |x| Some(x.multiply(&(-1).into())));
