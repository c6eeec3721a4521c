//! `Padded`: copies of images with their padding, as terms of sums, in which patches are found without looking for borders.

use bytemuck::cast_slice;
use stratal_tensor_base::{DType, bf16, f16};

use super::images::{Images, Steps};
use crate::AnyView;
use crate::matmul::{Exact, Source, Term};
use crate::simd::{Isa, Simd, Task};

/// Elements behind a copy that may be read, of no meaning: patches are read by whole vectors, two at a time.
pub(crate) const BEHIND: usize = 48;

/// How copies of images lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    /// Extents along depth, height and width, with padding.
    pub(crate) extents: [usize; 3],
    pub(crate) pad_begin: [usize; 3],
    pub(crate) channels: usize,
    /// Whether the channels of a position are neighbours; else the positions of a channel are.
    pub(crate) is_interleaved: bool,
}

impl Layout {
    pub(crate) fn new(images: &Images, steps: &Steps, is_interleaved: bool) -> Self {
        let extents = images.extents();
        let extents = std::array::from_fn(|axis| extents[axis] + steps.pad_begin[axis] + steps.pad_end[axis]);
        Self { extents, pad_begin: steps.pad_begin, channels: images.channels.0, is_interleaved }
    }

    /// The elements of an image.
    pub(crate) fn count(&self) -> usize {
        self.channels * self.extents.iter().product::<usize>()
    }

    /// The distances of channels, and of neighbours along depth, height and width.
    pub(crate) fn distances(&self) -> (usize, [usize; 3]) {
        let [_, height, width] = self.extents;
        if self.is_interleaved {
            let channels = self.channels;
            (1, [height * width * channels, width * channels, channels])
        } else {
            (self.extents.iter().product(), [height * width, width, 1])
        }
    }
}

/// A type of terms that images of floats can be copied to.
pub(crate) trait Pad: Term + Source<Self> {
    /// Copies an image. The room has the elements that the layout says.
    fn pad(isa: Isa, x: &AnyView<'_>, images: &Images, image: usize, layout: &Layout, to: &mut [Self]);

    /// Copies elements at certain positions.
    fn gather(x: &AnyView<'_>, positions: impl Iterator<Item = usize>, to: &mut [Self]);
}

macro_rules! pads {
    ($($term:ty: $($dtype:ident $element:ty),+;)+) => {$(
        impl Pad for $term {
            fn pad(isa: Isa, x: &AnyView<'_>, images: &Images, image: usize, layout: &Layout, to: &mut [Self]) {
                match x.dtype() {
                    $(DType::$dtype => {
                        let elements = cast_slice::<u8, $element>(x.bytes());
                        isa.run(Copy { elements, images, image, layout, to });
                    })+
                    _ => debug_assert!(false, "{} as terms of a convolution", x.dtype()),
                }
            }

            fn gather(x: &AnyView<'_>, positions: impl Iterator<Item = usize>, to: &mut [Self]) {
                match x.dtype() {
                    $(DType::$dtype => {
                        let elements = cast_slice::<u8, $element>(x.bytes());
                        for (to, position) in to.iter_mut().zip(positions) {
                            *to = <$element as Source<$term>>::term(elements[position]);
                        }
                    })+
                    _ => debug_assert!(false, "{} as terms of a convolution", x.dtype()),
                }
            }
        }
    )+};
}

pads! {
    f32: F32 f32, F16 f16, BF16 bf16;
    f64: F64 f64;
    Exact: F32 f32, F16 f16, BF16 bf16, F64 f64;
}

struct Copy<'a, E, T> {
    elements: &'a [E],
    images: &'a Images,
    image: usize,
    layout: &'a Layout,
    to: &'a mut [T],
}

impl<E: Source<T>, T: Term> Task for Copy<'_, E, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        let Self { elements, images, image, layout, to } = self;
        let [depth, height, width] = images.extents();
        let (channel_distance, [slice, row, column]) = layout.distances();
        let [before_z, before_y, before_x] = layout.pad_begin;
        to.fill(T::zeroed());
        // Rows are as many elements as lie side by side: of one channel, or all channels of a line.
        let step = images.strides()[2];
        for z in 0..depth {
            for y in 0..height {
                let at = (z + before_z) * slice + (y + before_y) * row + before_x * column;
                if layout.is_interleaved {
                    for x in 0..width {
                        let to = &mut to[at + x * column..][..layout.channels];
                        copy_line(elements, images.at(image, 0, [z, y, x]), images.channels.1, to);
                    }
                } else {
                    for channel in 0..layout.channels {
                        let to = &mut to[at + channel * channel_distance..][..width];
                        copy_line(elements, images.at(image, channel, [z, y, 0]), step, to);
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn copy_line<E: Source<T>, T: Term>(elements: &[E], start: usize, step: isize, to: &mut [T]) {
    if step == 1 {
        for (to, from) in to.iter_mut().zip(&elements[start..]) {
            *to = from.term();
        }
    } else {
        let mut position = start;
        for to in to {
            *to = elements[position].term();
            position = position.wrapping_add_signed(step);
        }
    }
}
