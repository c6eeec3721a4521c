//! Derivatives of convolutions.
#![expect(clippy::result_large_err, reason = "a cause is passed on once a use")]

pub(crate) mod correlation;
mod gradient;

use super::derivatives;

derivatives! {
    conv::Conv,
    conv_transpose::ConvTranspose,
    deform_conv::DeformConv,
}
