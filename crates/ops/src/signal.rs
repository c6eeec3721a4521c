//! Operators of signal processing: Fourier transforms.

mod fourier;

use crate::registry::operators;

operators! {
    dft::Dft,
    stft::Stft,
}
