//! `Abs`: the size of each element.

use stratal_kernels::map;

use super::unary;
use crate::{Definition, dtypes};

/// The size of each element, without its sign. The smallest integer has no opposite, and stays.
#[derive(Debug, Clone, Copy, Default)]
pub struct Abs;

impl Abs {
    /// What is known of it.
    pub const DEFINITION: Definition = unary::definition("Abs", 13, dtypes::NUMBERS, &[], |_| Ok(Box::new(Self)));
}

unary::operator!(Abs, |_| map::Abs, |x| x.is_never_negative().then(|| Ok(x.clone())));
