//! Derivatives of losses.

use super::derivatives;

derivatives! {}
