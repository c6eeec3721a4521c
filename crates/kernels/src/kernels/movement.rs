//! `MovementKernels`: the part of the seam for moving elements to other places.

use std::fmt::Debug;

/// Operations that choose elements and move them: their bits are kept, NaN included.
pub trait MovementKernels: Debug + Send + Sync {}
