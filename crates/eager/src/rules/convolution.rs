//! Derivatives of convolutions.

use super::derivatives;

derivatives! {}
