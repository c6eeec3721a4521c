//! Movement on vectors.

use super::Vector;
use crate::MovementKernels;

impl MovementKernels for Vector {}
