//! Operators that compute each element from the elements at the same index.

mod binary;
mod comparison;
mod unary;

use crate::registry::operators;

operators! {
    abs::Abs,
    add::Add,
    elu::Elu,
    equal::Equal,
}
