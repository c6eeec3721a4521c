//! Operators that slide weights over images.

mod filter;

use crate::registry::operators;

pub use filter::Filter;
pub(crate) use filter::{by_channel, check_bias, check_quantized};

operators! {
    conv::Conv,
    conv_integer::ConvInteger,
    conv_transpose::ConvTranspose,
    deform_conv::DeformConv,
}
