//! Derivatives of windows of images.

use super::derivatives;

derivatives! {}
