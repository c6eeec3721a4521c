//! Reductions, by index.

use super::Reference;
use crate::ReductionKernels;

impl ReductionKernels for Reference {}
