//! Pooling on vectors.

use super::Vector;
use crate::PoolingKernels;

impl PoolingKernels for Vector {}
