//! `Padded`: copies of images with their padding, as terms of sums, in which patches are found without looking for borders.

use std::ops::Add;

use bytemuck::cast_slice;
use stratal_tensor_base::{DType, bf16, f16};

use super::images::{Images, Steps};
use crate::AnyView;
use crate::matmul::{Exact, Source, Term};
use crate::simd::{Isa, LANES, Simd, Task};

/// Elements behind a copy that may be read, of no meaning: up to eight vectors are read at a time.
pub(crate) const BEHIND: usize = 8 * LANES;

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
pub(crate) trait Pad: Term + Source<Self> + Add<Output = Self> {
    /// Copies an image. The room has the elements that the layout says.
    fn pad(isa: Isa, x: &AnyView<'_>, images: &Images, image: usize, layout: &Layout, to: &mut [Self]);

    /// Copies lines: for each start, the elements at certain distances from it.
    fn gather(isa: Isa, x: &AnyView<'_>, starts: impl Iterator<Item = usize>, distances: &[isize], to: &mut [Self]);
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

            fn gather(
                isa: Isa,
                x: &AnyView<'_>,
                starts: impl Iterator<Item = usize>,
                distances: &[isize],
                to: &mut [Self],
            ) {
                match x.dtype() {
                    $(DType::$dtype => {
                        let elements = cast_slice::<u8, $element>(x.bytes());
                        for (start, to) in starts.zip(to.chunks_mut(distances.len().max(1))) {
                            isa.run(Gather { elements, start, distances, to });
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

struct Gather<'a, E, T> {
    elements: &'a [E],
    start: usize,
    distances: &'a [isize],
    to: &'a mut [T],
}

impl<E: Source<T>, T: Term> Task for Gather<'_, E, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _simd: S) {
        for (to, distance) in self.to.iter_mut().zip(self.distances) {
            *to = self.elements[self.start.wrapping_add_signed(*distance)].term();
        }
    }
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
        let [_, padded_height, padded_width] = layout.extents;
        let (_, [slice, row, column]) = layout.distances();
        let [before_z, before_y, before_x] = layout.pad_begin;
        // A plane is a channel, or all of them; its rows are written from one end to the other, padding included.
        let (planes, channels) = if layout.is_interleaved { (1, layout.channels) } else { (layout.channels, 1) };
        let step = images.strides()[2];
        let plane_size = slice * layout.extents[0];
        for (number, plane) in to.chunks_mut(plane_size.max(1)).enumerate().take(planes) {
            for (index, to) in plane.chunks_mut(row.max(1)).enumerate() {
                let inside = |position: usize, before: usize, extent: usize| {
                    position.checked_sub(before).filter(|position| *position < extent)
                };
                let z = inside(index / padded_height, before_z, depth);
                let y = inside(index % padded_height, before_y, height);
                let (Some(z), Some(y)) = (z, y) else {
                    to.fill(T::zeroed());
                    continue;
                };
                let (padding, rest) = to.split_at_mut(before_x * column);
                let (row, padding_behind) = rest.split_at_mut(width * column);
                padding.fill(T::zeroed());
                padding_behind.fill(T::zeroed());
                debug_assert_eq!(padding.len() + row.len() + padding_behind.len(), padded_width * column);
                if layout.is_interleaved {
                    for (x, to) in row.chunks_mut(channels.max(1)).enumerate() {
                        copy_line(elements, images.at(image, 0, [z, y, x]), images.channels.1, to);
                    }
                } else {
                    copy_line(elements, images.at(image, number, [z, y, 0]), step, row);
                }
            }
        }
    }
}

#[inline(always)]
fn copy_line<E: Source<T>, T: Term>(elements: &[E], start: usize, step: isize, to: &mut [T]) {
    if to.is_empty() {
        // Where nothing is, no position means anything.
        return;
    }
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
