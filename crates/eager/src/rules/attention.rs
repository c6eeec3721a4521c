//! Derivatives of attention.

use super::derivatives;

derivatives! {}
