//! Pooling, by index.

use super::Reference;
use crate::PoolingKernels;

impl PoolingKernels for Reference {}
