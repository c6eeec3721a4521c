//! `BlockedImage`: the index map of the channel-blocked layouts.

use crate::{ChannelBlock, Geometry, Layout, Shape, ViewError};

/// Where the elements of an image in [`Layout::NchwBlocked`] live.
///
/// With blocks of `B` channels the physical order is N, ceil(C / B), H, W, B: the `B` channels of one pixel lie side by
/// side. Channels from C up to the next multiple of `B` are padding, which exists physically and has no logical index.
///
/// ```
/// use stratal_tensor_base::{BlockedImage, ChannelBlock, Shape};
///
/// let image = BlockedImage::new(Shape::new(&[1, 3, 2, 2])?, ChannelBlock::Eight)?;
/// assert_eq!(image.physical_shape().extents(), [1, 1, 2, 2, 8]);
/// assert_eq!(image.physical_index([0, 1, 0, 1]), Some(9));
/// # Ok::<(), stratal_tensor_base::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockedImage {
    /// Of rank 4.
    shape: Shape,
    block: ChannelBlock,
    /// N, ceil(C / B), H, W, B.
    physical_shape: Shape,
}

impl BlockedImage {
    /// The image of the logical shape `[N, C, H, W]`.
    ///
    /// # Errors
    /// [`ViewError::LayoutRank`], and [`ShapeError::TooManyElements`](crate::ShapeError) when the padding takes it past the limit.
    pub fn new(shape: Shape, block: ChannelBlock) -> Result<Self, ViewError> {
        let [batch, channels, height, width] = shape.image_extents(Layout::NchwBlocked(block))?;
        let width_of_block = block.channels() as u32;
        let blocks = channels.div_ceil(width_of_block);
        let physical_shape = Shape::from_extents(&[batch, blocks, height, width, width_of_block])?;
        Ok(Self { shape, block, physical_shape })
    }

    /// The logical shape, `[N, C, H, W]`.
    pub const fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The layout.
    pub const fn layout(&self) -> Layout {
        Layout::NchwBlocked(self.block)
    }

    /// The shape of what is stored, `[N, ceil(C / B), H, W, B]`. Its count is the number of stored elements.
    pub const fn physical_shape(&self) -> &Shape {
        &self.physical_shape
    }

    /// The number of channel blocks, `ceil(C / B)`.
    pub fn blocks(&self) -> usize {
        self.physical_shape.extent(1)
    }

    /// The stored position of a logical index; none when a coordinate is past its extent.
    pub fn physical_index(&self, index: [usize; 4]) -> Option<usize> {
        let is_inside = index.iter().zip(self.shape.extents()).all(|(index, extent)| *index < *extent as usize);
        let [batch, channel, row, column] = index;
        let block = self.block.channels();
        let (height, width) = (self.shape.extent(2), self.shape.extent(3));
        is_inside.then(|| {
            let plane = batch * self.blocks() + channel / block;
            ((plane * height + row) * width + column) * block + channel % block
        })
    }

    /// The channels of one block as a strided image of shape `[N, B, H, W]` over the stored elements, with fewer
    /// channels in a last block that is not full; none past the last block. Copies from and to the other layouts go
    /// block by block.
    pub fn channel_block(&self, block: usize) -> Option<Geometry> {
        let first = block.checked_mul(self.block.channels())?;
        let left = self.shape.extent(1).checked_sub(first).filter(|left| *left > 0)?;
        self.lanes(block, 0, left.min(self.block.channels())).ok()
    }

    /// The padding lanes as a strided image of shape `[N, B - C % B, H, W]` over the stored elements; none when C is a
    /// multiple of the block, or nothing is stored.
    pub fn padding(&self) -> Option<Geometry> {
        let used = self.shape.extent(1) % self.block.channels();
        if used == 0 || self.physical_shape.is_empty() {
            return None;
        }
        self.lanes(self.blocks() - 1, used, self.block.channels() - used).ok()
    }

    /// `count` lanes of a block from lane `first` on, for all pixels of all images.
    fn lanes(&self, block: usize, first: usize, count: usize) -> Result<Geometry, ViewError> {
        let stored = Geometry::contiguous(self.physical_shape);
        // Cut before moved: whole blocks in front might pass a limit that the image itself keeps.
        stored.select(1, block as i64)?.narrow(-1, first as i64, count as i64)?.movedim(-1, 1)
    }
}
