//! Operators that slide weights over images.

mod weights;

use crate::registry::operators;

pub(crate) use weights::{Weights, by_channel, check_bias, check_quantized};

operators! {
    conv::Conv,
    conv_integer::ConvInteger,
    conv_transpose::ConvTranspose,
    deform_conv::DeformConv,
}
