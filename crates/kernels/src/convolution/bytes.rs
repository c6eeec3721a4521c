//! Convolution of bytes: products of bytes of the kernel and of the windows of some positions, packed one group of positions
//! after another.

use bytemuck::{cast_slice, cast_slice_mut};
use stratal_tensor::{View, ViewMut};
use stratal_tensor_base::{DType, Geometry, Shape};

use super::Convolution;
use super::images::{Images, Steps};
use crate::matmul::{Machine, Use, with_bytes, with_scratch};
use crate::{AnyView, AnyViewMut, KernelError, MatMulKernels, ZeroPoints};

/// A convolution of bytes whose operands were checked.
#[derive(Debug)]
pub(crate) struct FittedBytes<'a> {
    pub(crate) x: AnyView<'a>,
    pub(crate) weights: AnyView<'a>,
    /// The byte that means zero in images, and that in the weights of each output channel.
    pub(crate) zero_x: u8,
    pub(crate) zero_weights: Vec<u8>,
}

/// Positions that are computed together: columns of a byte each, for each element of a window.
const TOGETHER: usize = 1024;
/// Bytes that they take, unless those of one position take more.
const ROOM: usize = 4 << 20;

/// Computes a convolution of bytes by the products of a backend.
pub(crate) fn run(
    kernels: &dyn MatMulKernels,
    machine: Machine<'_>,
    convolution: &Convolution,
    fitted: &FittedBytes<'_>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), KernelError> {
    let shape = *result.shape();
    if shape.is_empty() {
        return Ok(());
    }
    let (images, kernel) = (Images::new(fitted.x.geometry()), Images::new(fitted.weights.geometry()));
    let outputs = Images::new(result.geometry());
    let windows = Windows { images, kernel, outputs, steps: Steps::new(&convolution.axes) };
    let depth = kernel.channels.0 * kernel.positions();
    let (rows, positions) = (kernel.batch.0 / convolution.groups, outputs.positions());
    let together = (ROOM / depth.max(1)).clamp(1, TOGETHER);
    // Output channel after output channel, and of each the elements in the order of windows.
    let weights: Vec<u8> = (0..kernel.batch.0)
        .flat_map(|output| windows.terms().map(move |(channel, place)| kernel.at(output, channel, place)))
        .map(|position| fitted.weights.bytes()[position])
        .collect();
    let is_in_order = result.geometry().is_contiguous();
    with_bytes(machine, result, is_in_order, false, |result| {
        let sums: &mut [i32] = cast_slice_mut(result);
        for (number, sums) in sums.chunks_mut(rows * positions).enumerate() {
            let (image, group) = (number / convolution.groups, number % convolution.groups);
            let weights = &weights[group * rows * depth..][..rows * depth];
            let zero_weights = &fitted.zero_weights[group * rows..][..rows];
            for first in (0..positions).step_by(together) {
                let count = together.min(positions - first);
                with_scratch::<u8, _>(Use::Images, depth * count, |room| {
                    windows.pack(fitted, image, group, first..first + count, room);
                    let a = bytes(fitted.weights.dtype(), weights, [rows, depth])?;
                    let b = bytes(fitted.x.dtype(), room, [depth, count])?;
                    let zero_a = bytes(fitted.weights.dtype(), zero_weights, [rows, 1])?;
                    let zero_x = [fitted.zero_x];
                    let zero_b = bytes(fitted.x.dtype(), &zero_x, [1, 1])?;
                    let place = Shape::try_from(&[rows, count][..])?;
                    let strides = [positions as i64, 1];
                    let geometry = Geometry::strided(place, &strides, first as i64, sums.len() as u64);
                    match geometry.ok().and_then(|geometry| ViewMut::new(&mut *sums, geometry).ok()) {
                        Some(target) => {
                            let zero_points = ZeroPoints { a: Some(&zero_a), b: Some(&zero_b) };
                            kernels.matmul_integer(&a, &b, &zero_points, &mut target.into())
                        }
                        // Rows are as far apart as positions, of which these are some: they fit.
                        None => Err(KernelError::ShapeMismatch {
                            operation: "convolve_integer",
                            role: "result",
                            expected: place,
                            found: shape,
                        }),
                    }
                })?;
            }
        }
        Ok(())
    })
}

/// Bytes of a dtype as a matrix.
fn bytes(dtype: DType, elements: &[u8], extents: [usize; 2]) -> Result<AnyView<'_>, KernelError> {
    let geometry = Geometry::contiguous(Shape::try_from(&extents[..])?);
    let refused = |found: usize| KernelError::ListLength {
        operation: "convolve_integer",
        list: "bytes",
        expected: extents[0] * extents[1],
        found,
    };
    match dtype {
        DType::I8 => View::<i8>::new(cast_slice(elements), geometry).map(AnyView::from),
        _ => View::<u8>::new(elements, geometry).map(AnyView::from),
    }
    .map_err(|_| refused(elements.len()))
}

/// What the windows of images see.
pub(crate) struct Windows {
    pub(crate) images: Images,
    pub(crate) kernel: Images,
    pub(crate) outputs: Images,
    pub(crate) steps: Steps,
}

impl Windows {
    /// Channel and place in the kernel of each element of a window.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (usize, [usize; 3])> + use<> {
        let [_, height, width] = self.kernel.extents();
        let taps = self.kernel.positions();
        (0..self.kernel.channels.0).flat_map(move |channel| {
            (0..taps).map(move |tap| (channel, [tap / (height * width), tap / width % height, tap % width]))
        })
    }

    /// Where a window has an element along an axis, if that is inside the image.
    pub(crate) fn seen(&self, axis: usize, window: usize, place: usize) -> Option<usize> {
        let Steps { stride, dilation, pad_begin, .. } = &self.steps;
        let position = (window * stride[axis] + place * dilation[axis]).checked_sub(pad_begin[axis])?;
        (position < self.images.extents()[axis]).then_some(position)
    }

    /// Elements of windows: for each element of a window, that of each position. What is outside is the byte that means zero.
    fn pack(
        &self,
        fitted: &FittedBytes<'_>,
        image: usize,
        group: usize,
        positions: std::ops::Range<usize>,
        to: &mut [u8],
    ) {
        let [_, height, width] = self.outputs.extents();
        let step = self.images.strides()[2].wrapping_mul(self.steps.stride[2] as isize);
        for ((channel, place), to) in self.terms().zip(to.chunks_mut(positions.len().max(1))) {
            let channel = group * self.kernel.channels.0 + channel;
            let mut position = positions.start;
            while position < positions.end {
                // Windows of a row.
                let (z, y, x) = (position / (height * width), position / width % height, position % width);
                let count = (width - x).min(positions.end - position);
                let to = &mut to[position - positions.start..][..count];
                position += count;
                to.fill(fitted.zero_x);
                let (Some(z), Some(y)) = (self.seen(0, z, place[0]), self.seen(1, y, place[1])) else { continue };
                let inside = |window: &usize| self.seen(2, *window, place[2]).is_some();
                let Some(first) = (x..x + count).find(inside) else { continue };
                let Some(seen) = self.seen(2, first, place[2]) else { continue };
                let mut from = self.images.at(image, channel, [z, y, seen]);
                for to in to[first - x..].iter_mut().zip(first..).take_while(|(_, window)| inside(window)) {
                    *to.0 = fitted.x.bytes()[from];
                    from = from.wrapping_add_signed(step);
                }
            }
        }
    }
}
