//! `IsInf`: which elements are infinite.

use stratal_kernels::map;

use super::{predicate, unary};
use crate::{Definition, dtypes};

/// Whether elements are infinite.
#[derive(Debug, Clone, Copy)]
pub struct IsInf {
    /// Whether negative infinity counts.
    pub negative: bool,
    /// Whether positive infinity counts.
    pub positive: bool,
}

impl IsInf {
    /// What is known of it.
    pub const DEFINITION: Definition =
        unary::definition("IsInf", 20, dtypes::FLOATS, &["detect_negative", "detect_positive"], |node| {
            let (negative, positive) = (node.flag("detect_negative", true)?, node.flag("detect_positive", true)?);
            Ok(Box::new(Self { negative, positive }))
        });
}

predicate::operator!(IsInf, |is_inf| map::IsInf { negative: is_inf.negative, positive: is_inf.positive });
