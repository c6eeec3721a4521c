//! `PoolingKernels`: the part of the seam for pooling.

use std::fmt::Debug;

/// Operations on windows of images.
pub trait PoolingKernels: Debug + Send + Sync {}
