//! Reductions on vectors.

use super::Vector;
use crate::ReductionKernels;

impl ReductionKernels for Vector {}
