//! Operators that slide windows over images.

mod global;
mod sliding;
mod windows;

use crate::registry::operators;

pub use max_pool::StorageOrder;
pub use max_roi_pool::RegionPart;
pub use sliding::{Sliding, SlidingPadding};
pub(crate) use sliding::{list, reach};
pub use windows::Windows;

operators! {
    average_pool::AveragePool,
    global_average_pool::GlobalAveragePool,
    global_lp_pool::GlobalLpPool,
    global_max_pool::GlobalMaxPool,
    lp_pool::LpPool,
    max_pool::MaxPool,
    max_roi_pool::MaxRoiPool,
    max_unpool::MaxUnpool,
}
