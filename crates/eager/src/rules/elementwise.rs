//! Derivatives of operators that work element by element.
//!
//! Where a function of pieces has a kink its slope is that of one side, which the rule says, and half way between for ties of
//! operands. What is NaN is on no flat side: its gradient is passed on, or NaN itself, but never a zero that would hide it.

mod band;
mod exponential_unit;
mod extreme;
mod of_sum;
mod one_less_square;
pub(in crate::rules) mod unary;

use super::derivatives;

derivatives! {
    abs::Abs,
    acos::Acos,
    acosh::Acosh,
    add::Add,
    asin::Asin,
    asinh::Asinh,
    atan::Atan,
    atanh::Atanh,
    bias_gelu::BiasGelu as "com.microsoft.BiasGelu",
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
    erf::Erf,
    exp::Exp,
    fast_gelu::FastGelu as "com.microsoft.FastGelu",
    floor::Floor,
    gelu::Gelu,
    hard_sigmoid::HardSigmoid,
    hard_swish::HardSwish,
    identity::Identity,
    leaky_relu::LeakyRelu,
    log::Log,
    max::Max,
    mean::Mean,
    microsoft_gelu::MicrosoftGelu as "com.microsoft.Gelu",
    min::Min,
    mish::Mish,
    modulo::Mod,
    mul::Mul,
    neg::Neg,
    p_relu::PRelu,
    pow::Pow,
    quick_gelu::QuickGelu as "com.microsoft.QuickGelu",
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
}
