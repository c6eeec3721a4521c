//! Derivatives of operators that move elements.

use super::derivatives;

derivatives! {}
