//! Derivatives of recurrent layers.

use super::derivatives;

derivatives! {}
