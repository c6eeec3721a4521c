//! Derivatives of operators that choose elements.

use super::derivatives;

derivatives! {}
