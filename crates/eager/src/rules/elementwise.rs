//! Derivatives of operators that work element by element.

use super::derivatives;

derivatives! {
    add::Add,
    cast::Cast,
    cos::Cos,
    div::Div,
    exp::Exp,
    log::Log,
    mul::Mul,
    neg::Neg,
    reciprocal::Reciprocal,
    select::Where,
    sigmoid::Sigmoid,
    sin::Sin,
    sqrt::Sqrt,
    sub::Sub,
    tanh::Tanh,
}
