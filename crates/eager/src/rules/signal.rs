//! Derivatives of Fourier transforms.

use super::derivatives;

derivatives! {}
