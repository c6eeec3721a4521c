//! Which windows see what: the same for convolutions and pooling.

use std::ops::Range;

/// How windows move along an axis of an image.
#[derive(Debug, Clone, Copy)]
pub(super) struct Steps {
    pub(super) stride: i64,
    pub(super) dilation: i64,
    pub(super) pad_begin: i64,
    /// Elements of the image.
    pub(super) image: usize,
    /// How many windows there are.
    pub(super) windows: usize,
}

impl Steps {
    /// The windows whose element of this number lies within the image, and where that of the first of them does.
    pub(super) fn seeing(&self, element: i64) -> (Range<usize>, usize) {
        let shift = i128::from(element) * i128::from(self.dilation) - i128::from(self.pad_begin);
        let (stride, image) = (i128::from(self.stride), self.image as i128);
        let first = if shift < 0 { (stride - 1 - shift) / stride } else { 0 };
        let end = (image - shift + stride - 1).div_euclid(stride).clamp(0, self.windows as i128);
        if first >= end { (0..0, 0) } else { (first as usize..end as usize, (first * stride + shift) as usize) }
    }
}
