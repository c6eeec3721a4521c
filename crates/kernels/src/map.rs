//! Maps: operations that compute each element of the result from the elements at the same index.
//!
//! One operation, one file: what it means at NaN, infinities and zeros of both signs, its formula over the vector
//! vocabulary, the source of its constants and its error bound. What walks strides, dtypes and threads is shared by all
//! of them: [`Unary`], [`Binary`], [`Comparison`] and [`Predicate`] give a formula its dtypes, `driver` its elements.

mod binary;
mod bits;
mod comparison;
mod cursor;
pub(crate) mod driver;
mod half_blocks;
mod in_place;
pub(crate) mod order;
mod predicate;
mod unary;

mod exponential;
#[cfg(test)]
mod formula_tests;
mod logistic;
mod pieces;

mod abs;
mod add;
mod and;
mod ceil;
mod clip;
mod div;
mod equal;
mod erf;
mod exp;
mod floor;
mod gelu;
mod greater;
mod greater_or_equal;
mod hard_sigmoid;
mod hard_swish;
mod is_inf;
mod is_nan;
mod leaky_relu;
mod less;
mod less_or_equal;
mod max;
mod min;
mod modulo;
mod mul;
mod neg;
mod not;
mod not_equal;
mod or;
mod reciprocal;
mod relu;
mod remainder;
mod round;
mod rsqrt;
mod shift_left;
mod shift_right;
mod sigmoid;
mod sign;
mod silu;
mod sqrt;
mod sub;
mod tanh;
mod trunc;
mod xor;

pub use binary::{Binary, BinaryFormula, Fault};
pub use comparison::{Comparison, ComparisonFormula};
pub use predicate::{Predicate, PredicateFormula};
pub use unary::{Unary, UnaryFormula};

pub use abs::Abs;
pub use add::Add;
pub use and::And;
pub use ceil::Ceil;
pub use clip::Clip;
pub use div::Div;
pub use equal::Equal;
pub use erf::Erf;
pub use exp::Exp;
pub use floor::Floor;
pub use gelu::Gelu;
pub use greater::Greater;
pub use greater_or_equal::GreaterOrEqual;
pub use hard_sigmoid::HardSigmoid;
pub use hard_swish::HardSwish;
pub use is_inf::IsInf;
pub use is_nan::IsNan;
pub use leaky_relu::LeakyRelu;
pub use less::Less;
pub use less_or_equal::LessOrEqual;
pub use max::Max;
pub use min::Min;
pub use modulo::Modulo;
pub use mul::Mul;
pub use neg::Neg;
pub use not::Not;
pub use not_equal::NotEqual;
pub use or::Or;
pub use reciprocal::Reciprocal;
pub use relu::Relu;
pub use remainder::Remainder;
pub use round::Round;
pub use rsqrt::Rsqrt;
pub use shift_left::ShiftLeft;
pub use shift_right::ShiftRight;
pub use sigmoid::Sigmoid;
pub use sign::Sign;
pub use silu::Silu;
pub use sqrt::Sqrt;
pub use sub::Sub;
pub use tanh::Tanh;
pub use trunc::Trunc;
pub use xor::Xor;
