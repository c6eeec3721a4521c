//! Derivatives of operators on images.

use super::derivatives;

derivatives! {
    affine_grid::AffineGrid,
    grid_sample::GridSample,
    roi_align::RoiAlign,
}
