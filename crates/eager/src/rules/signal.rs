//! Derivatives of Fourier transforms.

use super::derivatives;

derivatives! {
    dft::Dft,
    stft::Stft,
}
