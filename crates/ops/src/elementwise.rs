//! Operators that compute each element from the elements at the same index.

#[cfg(test)]
mod all_tests;
mod binary;
mod comparison;
pub(crate) mod elements;
mod of_sum;
mod predicate;
#[cfg(test)]
mod testing;
mod unary;
mod variadic;

use crate::registry::operators;

operators! {
    abs::Abs,
    acos::Acos,
    acosh::Acosh,
    add::Add,
    and::And,
    asin::Asin,
    asinh::Asinh,
    atan::Atan,
    atanh::Atanh,
    bias_gelu::BiasGelu,
    bit_cast::BitCast,
    bit_shift::BitShift,
    bitwise_and::BitwiseAnd,
    bitwise_not::BitwiseNot,
    bitwise_or::BitwiseOr,
    bitwise_xor::BitwiseXor,
    cast::Cast,
    cast_like::CastLike,
    ceil::Ceil,
    celu::Celu,
    clip::Clip,
    cos::Cos,
    cosh::Cosh,
    div::Div,
    dropout::Dropout,
    elu::Elu,
    equal::Equal,
    erf::Erf,
    exp::Exp,
    fast_gelu::FastGelu,
    floor::Floor,
    gelu::Gelu,
    greater::Greater,
    greater_or_equal::GreaterOrEqual,
    hard_sigmoid::HardSigmoid,
    hard_swish::HardSwish,
    identity::Identity,
    is_inf::IsInf,
    is_nan::IsNan,
    leaky_relu::LeakyRelu,
    less::Less,
    less_or_equal::LessOrEqual,
    log::Log,
    max::Max,
    mean::Mean,
    microsoft_gelu::MicrosoftGelu,
    min::Min,
    mish::Mish,
    modulo::Mod,
    mul::Mul,
    neg::Neg,
    not::Not,
    or::Or,
    p_relu::PRelu,
    pow::Pow,
    quick_gelu::QuickGelu,
    reciprocal::Reciprocal,
    relu::Relu,
    round::Round,
    select::Where,
    selu::Selu,
    shrink::Shrink,
    sigmoid::Sigmoid,
    sign::Sign,
    sin::Sin,
    sinh::Sinh,
    softplus::Softplus,
    softsign::Softsign,
    sqrt::Sqrt,
    sub::Sub,
    sum::Sum,
    swi_glu::SwiGlu,
    swish::Swish,
    tan::Tan,
    tanh::Tanh,
    thresholded_relu::ThresholdedRelu,
    xor::Xor,
}

pub use bit_shift::ShiftDirection;
pub use gelu::GeluApproximation;
