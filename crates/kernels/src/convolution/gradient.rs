//! The gradient of a convolution with respect to its weights: for each element of the kernel a product over the positions.

use std::array::from_fn;

use stratal_tensor_base::DType;

use super::Convolution;
use super::images::{Images, Steps};
use super::padded::{Layout, Pad};
use super::unrounded::{Lines, multiply, write};
use crate::matmul::{Exact, Finish, Machine, with_bytes};
use crate::rows::Along;
use crate::{AnyView, AnyViewMut, Epilogue, KernelError, Precision};

/// Computes the gradient with respect to weights, from images and the gradient with respect to the result.
pub(crate) fn weight_gradient(
    machine: Machine<'_>,
    convolution: &Convolution,
    x: &AnyView<'_>,
    gradient: &AnyView<'_>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), KernelError> {
    let shape = *result.shape();
    if shape.is_empty() {
        return Ok(());
    }
    let along: Along = from_fn(|axis| axis < shape.rank() && axis > 0);
    let finish = Finish::new(machine.isa, result.dtype(), &Epilogue::default(), None, &along);
    let kernel = Images::new(result.geometry());
    let is_in_order = result.geometry().is_contiguous();
    let dtype = x.dtype();
    with_bytes(machine, result, is_in_order, false, |bytes| {
        match (machine.precision, dtype) {
            (Precision::Exact, _) => sum::<Exact>(machine, convolution, x, gradient, &kernel, &finish, bytes),
            (Precision::Fast, DType::F64) => sum::<f64>(machine, convolution, x, gradient, &kernel, &finish, bytes),
            (Precision::Fast, _) => sum::<f32>(machine, convolution, x, gradient, &kernel, &finish, bytes),
        }
        Ok(())
    })
}

/// Image after image, and in each one element of the kernel after another: the gradients of a group's outputs times what
/// that element saw.
fn sum<T: Pad>(
    machine: Machine<'_>,
    convolution: &Convolution,
    x: &AnyView<'_>,
    gradient: &AnyView<'_>,
    kernel: &Images,
    finish: &Finish<'_>,
    result: &mut [u8],
) {
    let (images, outputs) = (Images::new(x.geometry()), Images::new(gradient.geometry()));
    let (steps, groups) = (Steps::new(&convolution.axes), convolution.groups);
    let layout = Layout::new(&images, &steps, false);
    let no_pads = Steps { pad_begin: [0; 3], pad_end: [0; 3], ..steps };
    let gradient_layout = Layout::new(&outputs, &no_pads, false);
    let (taps, positions, channels) = (kernel.positions(), outputs.positions(), kernel.channels.0);
    let rows = kernel.batch.0 / groups;
    let mut sums = vec![T::zeroed(); kernel.batch.0 * channels * taps];
    let mut copied = vec![T::zeroed(); layout.count()];
    let mut gradients = vec![T::zeroed(); gradient_layout.count()];
    let mut seen = vec![T::zeroed(); channels * positions];
    let mut product = vec![T::zeroed(); rows * channels];
    let (plane, [slice, line, _]) = layout.distances();
    let [_, height, width] = kernel.extents();
    let [depth_out, height_out, width_out] = outputs.extents();
    for image in 0..images.batch.0 {
        T::pad(machine.isa, x, &images, image, &layout, &mut copied);
        T::pad(machine.isa, gradient, &outputs, image, &gradient_layout, &mut gradients);
        for group in 0..groups {
            for tap in 0..taps {
                let place = [tap / (height * width), tap / width % height, tap % width];
                let [z, y, x]: [usize; 3] = from_fn(|axis| place[axis] * steps.dilation[axis]);
                for (channel, seen) in seen.chunks_mut(positions.max(1)).enumerate() {
                    let start = (group * channels + channel) * plane + z * slice + y * line + x;
                    for (row, to) in seen.chunks_mut(width_out.max(1)).enumerate() {
                        let (out_z, out_y) = (row / height_out, row % height_out);
                        debug_assert!(out_z < depth_out);
                        let from = start + out_z * steps.stride[0] * slice + out_y * steps.stride[1] * line;
                        for (to, from) in to.iter_mut().zip(copied[from..].iter().step_by(steps.stride[2])) {
                            *to = *from;
                        }
                    }
                }
                let left = &gradients[group * rows * positions..][..rows * positions];
                let left = Lines { elements: left, line: positions, step: 1 };
                let right = Lines { elements: &seen, line: positions, step: 1 };
                multiply(machine, &left, &right, [rows, channels, positions], &mut product);
                for (row, product) in product.chunks(channels.max(1)).enumerate() {
                    for (channel, product) in product.iter().enumerate() {
                        let sum = &mut sums[((group * rows + row) * channels + channel) * taps + tap];
                        *sum = *sum + *product;
                    }
                }
            }
        }
    }
    write(machine, finish, &sums, [kernel.batch.0, channels * taps], result);
}
