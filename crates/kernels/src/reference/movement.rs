//! Movement, by index.

use super::Reference;
use crate::MovementKernels;

impl MovementKernels for Reference {}
