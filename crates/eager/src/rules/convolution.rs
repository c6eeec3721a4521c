//! Derivatives of convolutions.

mod correlation;
mod gradient;

use super::derivatives;

pub(crate) use correlation::PRIVATE;

derivatives! {
    conv::Conv,
    conv_transpose::ConvTranspose,
    deform_conv::DeformConv,
}
