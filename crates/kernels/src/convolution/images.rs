//! `Images`: tensors of (batch, channels, ...) seen with three spatial axes, whatever they have.

use stratal_tensor_base::Geometry;

use super::ConvolutionAxis;

/// Extents and strides of batch, channels, depth, height and width. Missing axes are the outermost, with an extent of 1.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Images {
    pub(crate) offset: usize,
    pub(crate) batch: (usize, isize),
    pub(crate) channels: (usize, isize),
    pub(crate) spatial: [(usize, isize); 3],
}

impl Images {
    /// Of rank 3 to 5.
    pub(crate) fn new(geometry: &Geometry) -> Self {
        let axis = |axis: usize| (geometry.shape().extents()[axis] as usize, geometry.strides()[axis] as isize);
        let rank = geometry.shape().rank();
        let missing = 5 - rank.clamp(3, 5);
        let spatial = std::array::from_fn(|number| match number.checked_sub(missing) {
            Some(number) => axis(number + 2),
            None => (1, 0),
        });
        Self { offset: geometry.offset(), batch: axis(0), channels: axis(1), spatial }
    }

    /// The elements along each spatial axis.
    pub(crate) fn extents(&self) -> [usize; 3] {
        self.spatial.map(|(extent, _)| extent)
    }

    /// The strides of each spatial axis.
    pub(crate) fn strides(&self) -> [isize; 3] {
        self.spatial.map(|(_, stride)| stride)
    }

    /// The elements of a channel.
    pub(crate) fn positions(&self) -> usize {
        self.extents().iter().product()
    }

    /// How far an element of a channel is from the first one of its image.
    pub(crate) fn distance(&self, channel: usize, [z, y, x]: [usize; 3]) -> isize {
        let [depth, height, width] = self.strides();
        let distances = [
            self.channels.1.wrapping_mul(channel as isize),
            depth.wrapping_mul(z as isize),
            height.wrapping_mul(y as isize),
            width.wrapping_mul(x as isize),
        ];
        distances.into_iter().fold(0, isize::wrapping_add)
    }

    /// Where an element is.
    pub(crate) fn at(&self, image: usize, channel: usize, place: [usize; 3]) -> usize {
        let image = self.offset.wrapping_add_signed(self.batch.1.wrapping_mul(image as isize));
        image.wrapping_add_signed(self.distance(channel, place))
    }
}

/// How a kernel moves along three axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steps {
    pub(crate) stride: [usize; 3],
    pub(crate) dilation: [usize; 3],
    pub(crate) pad_begin: [usize; 3],
    pub(crate) pad_end: [usize; 3],
}

impl Steps {
    /// Of checked axes: none is negative. A stride or dilation that nothing can follow is cut down.
    pub(crate) fn new(axes: &[ConvolutionAxis]) -> Self {
        let missing = 3 - axes.len().min(3);
        let each = |value: fn(&ConvolutionAxis) -> i64, otherwise: usize| {
            std::array::from_fn(|number| match number.checked_sub(missing).and_then(|number| axes.get(number)) {
                Some(axis) => usize::try_from(value(axis)).unwrap_or(otherwise).min(u32::MAX as usize),
                None => otherwise,
            })
        };
        Self {
            stride: each(|axis| axis.stride, 1),
            dilation: each(|axis| axis.dilation, 1),
            pad_begin: each(|axis| axis.pad_begin, 0),
            pad_end: each(|axis| axis.pad_end, 0),
        }
    }
}
