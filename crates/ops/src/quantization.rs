//! Operators between numbers and the integers that stand for them.

mod granularity;
mod linear;

use crate::registry::operators;

pub(crate) use dynamic_quantize_linear::Range as ByteRange;
pub use granularity::Granularity;

operators! {
    dequantize_linear::DequantizeLinear,
    dynamic_quantize_linear::DynamicQuantizeLinear,
    dynamic_quantize_mat_mul::DynamicQuantizeMatMul,
    mat_mul_integer_to_float::MatMulIntegerToFloat,
    q_linear_conv::QLinearConv,
    q_linear_mat_mul::QLinearMatMul,
    quantize_linear::QuantizeLinear,
}
