//! Operators that sample images, and boxes in them.

use crate::registry::operators;

operators! {
    affine_grid::AffineGrid,
    grid_sample::GridSample,
    roi_align::RoiAlign,
}

pub use grid_sample::{GridMode, GridPadding};
pub use roi_align::RoiMode;
