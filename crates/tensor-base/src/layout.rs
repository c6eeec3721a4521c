//! `Layout`: where the elements of an image tensor live.

use core::fmt;

use crate::{Geometry, Shape, Strides, ViewError};

/// Where the elements of an image live, whose logical shape is always `[N, C, H, W]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Channel planes, row-major: strides `[C*H*W, H*W, W, 1]`.
    Nchw,
    /// The channels of a pixel side by side: strides `[H*W*C, 1, W*C, C]`.
    Nhwc,
    /// Channels in blocks, the channels of a block side by side, the last block padded; see
    /// [`BlockedImage`](crate::BlockedImage). No strides describe it.
    NchwBlocked(ChannelBlock),
    /// Any other strides, and every rank but 4.
    Strided,
}

/// How many channels a blocked layout keeps side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ChannelBlock {
    /// Blocks of 8 channels.
    Eight = 8,
    /// Blocks of 16 channels.
    Sixteen = 16,
}

impl ChannelBlock {
    /// The number of channels in a block.
    pub const fn channels(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nchw => formatter.pad("NCHW"),
            Self::Nhwc => formatter.pad("NHWC"),
            Self::NchwBlocked(ChannelBlock::Eight) => formatter.pad("NCHW8c"),
            Self::NchwBlocked(ChannelBlock::Sixteen) => formatter.pad("NCHW16c"),
            Self::Strided => formatter.pad("strided"),
        }
    }
}

impl Geometry {
    /// An image of the logical shape `[N, C, H, W]` in this layout, from the start of a buffer.
    ///
    /// # Errors
    /// [`ViewError::LayoutRank`], and [`ViewError::LayoutWithoutStrides`] for the blocked layouts and `Strided`.
    pub fn image(shape: Shape, layout: Layout) -> Result<Self, ViewError> {
        let [_, channels, height, width] = shape.image_extents(layout)?;
        match layout {
            Layout::Nchw => Ok(Self::contiguous(shape)),
            Layout::Nhwc => {
                let strides = [
                    stride_over(&[height, width, channels]),
                    1,
                    stride_over(&[width, channels]),
                    stride_over(&[channels]),
                ];
                Ok(Self::contiguous(shape).with_axes(shape, Strides::from_slice(&strides)))
            }
            Layout::NchwBlocked(_) | Layout::Strided => Err(ViewError::LayoutWithoutStrides { layout }),
        }
    }

    /// The layout that the strides say. Axes of extent 1 are ignored; when both fit, `Nchw` wins.
    ///
    /// ```
    /// use stratal_tensor_base::{Geometry, Layout, Shape};
    ///
    /// let image = Geometry::image(Shape::new(&[1, 3, 4, 5])?, Layout::Nhwc)?;
    /// assert_eq!(image.layout(), Layout::Nhwc);
    /// assert_eq!(image.permute(&[0, 2, 3, 1])?.layout(), Layout::Nchw);
    /// # Ok::<(), stratal_tensor_base::Error>(())
    /// ```
    pub fn layout(&self) -> Layout {
        [Layout::Nchw, Layout::Nhwc].into_iter().find(|layout| self.matches(*layout)).unwrap_or(Layout::Strided)
    }

    /// Whether the elements lie as in `layout`, which more than one layout may say of the same strides.
    pub fn matches(&self, layout: Layout) -> bool {
        match layout {
            Layout::Nchw | Layout::Nhwc => Self::image(*self.shape(), layout).is_ok_and(|image| {
                let mut axes = self.axes().zip(image.strides());
                self.shape().is_empty() || axes.all(|((extent, stride), expected)| extent == 1 || stride == *expected)
            }),
            Layout::NchwBlocked(_) => false,
            Layout::Strided => self.layout() == Layout::Strided,
        }
    }
}

impl Shape {
    /// The four extents of an image.
    pub(crate) fn image_extents(&self, layout: Layout) -> Result<[u32; 4], ViewError> {
        self.extents().try_into().map_err(|_| ViewError::LayoutRank { layout, shape: *self })
    }
}

/// The distance between neighbours with these extents in between; 0 where an empty image makes it too large.
fn stride_over(extents: &[u32]) -> i32 {
    let product = extents.iter().fold(1_u64, |product, extent| product.saturating_mul((*extent).into()));
    i32::try_from(product).unwrap_or(0)
}
