//! `ReductionKernels`: the part of the seam for reductions, scans, softmax and normalisations.

use std::fmt::Debug;

/// Operations that see a whole row at once: reductions, scans, softmax and normalisations.
pub trait ReductionKernels: Debug + Send + Sync {}
