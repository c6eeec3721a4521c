//! Operators of signal processing: Fourier transforms.

use crate::registry::operators;

operators! {}
