//! Operators that slide weights over images.

mod weights;

use crate::registry::operators;

pub(crate) use weights::Weights;

operators! {
    conv::Conv,
    conv_integer::ConvInteger,
    conv_transpose::ConvTranspose,
    deform_conv::DeformConv,
}
