//! Conversion between image layouts: data moves, values and logical shape stay.

use stratal_tensor_base::{BlockedImage, ChannelBlock, Geometry, Layout, ViewError, match_dtype};

use crate::{
    Tensor, TensorError, TensorOptions,
    access::{span_bytes, typed_mut},
    copy::copy_bytes,
    fill::fill_view,
    view::ViewMut,
};

impl Tensor {
    /// The same image in another layout: the tensor itself when its elements lie so already, else a new tensor.
    ///
    /// The padding lanes of a blocked layout are written as zero.
    ///
    /// # Errors
    /// [`ViewError::LayoutRank`] for any rank but 4, [`ViewError::LayoutWithoutStrides`] for [`Layout::Strided`],
    /// [`ShapeError`](stratal_tensor_base::ShapeError) when the padding takes it past a limit,
    /// [`AllocationError`](stratal_memory::AllocationError), [`AccessError`](stratal_memory::AccessError).
    ///
    /// ```
    /// use stratal_tensor::{Tensor, base::{ChannelBlock, DType, Layout}};
    ///
    /// let image = Tensor::arange(0, 12, 1, DType::F32)?.reshape(&[1, 3, 2, 2])?;
    /// let blocked = image.to_layout(Layout::NchwBlocked(ChannelBlock::Eight))?;
    /// assert_eq!(blocked.data::<f32>()?[..8], [0.0, 4.0, 8.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    /// assert_eq!(blocked.to_layout(Layout::Nchw)?.to_vec::<f32>()?, image.to_vec::<f32>()?);
    /// # Ok::<(), stratal_tensor::TensorError>(())
    /// ```
    pub fn to_layout(&self, layout: Layout) -> Result<Self, TensorError> {
        if self.rank() != 4 {
            return Err(ViewError::LayoutRank { layout, shape: *self.shape() }.into());
        }
        if self.matches(layout) && layout != Layout::Strided {
            return Ok(self.clone());
        }
        match (self.blocked(), layout) {
            (None, Layout::NchwBlocked(block)) => self.to_blocked(block),
            // One blocking reaches the other through planes.
            (Some(_), Layout::NchwBlocked(_)) => self.to_layout(Layout::Nchw)?.to_layout(layout),
            (blocked, _) => self.to_strided(Geometry::image(*self.shape(), layout)?, blocked),
        }
    }

    fn to_strided(&self, geometry: Geometry, blocked: Option<BlockedImage>) -> Result<Self, TensorError> {
        let options = TensorOptions::new(self.dtype());
        let image = Self::over(options.allocate(geometry.shape().bytes(self.dtype())?)?, self.dtype(), geometry);
        match blocked {
            None => image.copy_from(self)?,
            Some(blocked) => {
                let (mut target, [source]) = stratal_memory::access(image.buffer(), [self.buffer()])?;
                for (logical, stored) in parts(&geometry, &blocked) {
                    copy_bytes(self.dtype(), &mut target, &logical?, &source, &stored);
                }
            }
        }
        Ok(image)
    }

    fn to_blocked(&self, block: ChannelBlock) -> Result<Self, TensorError> {
        let blocked = BlockedImage::new(*self.shape(), block)?;
        let bytes = blocked.physical_shape().bytes(self.dtype())?;
        let buffer = TensorOptions::new(self.dtype()).allocate(bytes)?;
        let image = Self::over_blocked(buffer, self.dtype(), *self.shape(), block);
        let (mut target, [source]) = stratal_memory::access(image.buffer(), [self.buffer()])?;
        for (logical, stored) in parts(self.plain("to_layout")?, &blocked) {
            copy_bytes(self.dtype(), &mut target, &stored, &source, &logical?);
        }
        if let Some(padding) = blocked.padding() {
            let span = &mut target[span_bytes(&padding, self.dtype())];
            match_dtype!(self.dtype(), T => {
                fill_view(&mut ViewMut::over_span(typed_mut(span), padding.rebased()), <T as bytemuck::Zeroable>::zeroed())?;
            });
        }
        drop((target, source));
        Ok(image)
    }
}

/// For each channel block, where its channels are in a strided image and in the blocked one.
fn parts(image: &Geometry, blocked: &BlockedImage) -> impl Iterator<Item = (Result<Geometry, ViewError>, Geometry)> {
    // An empty image may have any number of blocks with nothing in them.
    let blocks = if image.shape().is_empty() { 0 } else { blocked.blocks() };
    (0..blocks).filter_map(move |number| {
        let stored = blocked.channel_block(number)?;
        let channels = stored.shape().extent(1) as i64;
        let first = (number * blocked.physical_shape().extent(4)) as i64;
        Some((image.narrow(1, first, channels), stored))
    })
}
