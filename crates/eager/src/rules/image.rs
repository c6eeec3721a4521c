//! Derivatives of operators on images.

use super::derivatives;

derivatives! {}
