//! Transposed convolution: for each element of the kernel a product over the channels, added into the result where the
//! element falls.

use std::array::from_fn;
use std::ops::Range;

use stratal_tensor_base::DType;

use super::TransposedConvolution;
use super::driver::Fitted;
use super::images::{Images, Steps};
use super::padded::{Layout, Pad};
use super::unrounded::{Lines, multiply, write};
use crate::matmul::{Exact, Finish, Machine, with_bytes};
use crate::rows::Along;
use crate::{AnyViewMut, Epilogue, KernelError, Precision};

/// Computes a transposed convolution.
pub(crate) fn run(
    machine: Machine<'_>,
    convolution: &TransposedConvolution,
    fitted: &Fitted<'_>,
    epilogue: &Epilogue<'_>,
    result: &mut AnyViewMut<'_>,
) -> Result<(), KernelError> {
    let shape = *result.shape();
    if shape.is_empty() {
        return Ok(());
    }
    let along: Along = from_fn(|axis| (2..shape.rank()).contains(&axis));
    let finish = Finish::new(machine.isa, result.dtype(), epilogue, fitted.bias.as_ref(), &along);
    let problem = Problem { machine, convolution, fitted, outputs: Images::new(result.geometry()) };
    let is_in_order = result.geometry().is_contiguous();
    with_bytes(machine, result, is_in_order, finish.reads_result(), |bytes| {
        problem.run(&finish, bytes);
        Ok(())
    })
}

struct Problem<'a> {
    machine: Machine<'a>,
    convolution: &'a TransposedConvolution,
    fitted: &'a Fitted<'a>,
    outputs: Images,
}

impl Problem<'_> {
    fn run(&self, finish: &Finish<'_>, result: &mut [u8]) {
        match (self.machine.precision, self.fitted.x.dtype()) {
            (Precision::Exact, _) => self.run_as::<Exact>(finish, result),
            (Precision::Fast, DType::F64) => self.run_as::<f64>(finish, result),
            (Precision::Fast, _) => self.run_as::<f32>(finish, result),
        }
    }

    /// One image after another: the image and the weights as terms, the sums of each group side by side, and then the
    /// epilogue.
    fn run_as<T: Pad>(&self, finish: &Finish<'_>, result: &mut [u8]) {
        let Self { machine, convolution, fitted, outputs } = self;
        let (images, kernel) = (Images::new(fitted.x.geometry()), Images::new(fitted.weights.geometry()));
        let no_pads = Steps { stride: [1; 3], dilation: [1; 3], pad_begin: [0; 3], pad_end: [0; 3] };
        let (groups, positions) = (convolution.groups, images.positions());
        let layout = Layout::new(&images, &no_pads, false);
        let taps = Taps {
            kernel: kernel.extents(),
            inputs: images.extents(),
            outputs: outputs.extents(),
            steps: Steps::new(&convolution.axes),
        };
        // For each element of the kernel the weights of each output channel, and of each of those a line of channels.
        let (channels, outs) = (images.channels.0 / groups, kernel.channels.0);
        let tap_count = kernel.positions();
        let mut weights = vec![T::zeroed(); tap_count * groups * outs * channels];
        let distances: Vec<isize> =
            (0..channels).map(|channel| kernel.batch.1.wrapping_mul(channel as isize)).collect();
        let starts = (0..tap_count).flat_map(|tap| {
            let (kernel, place) = (&kernel, taps.place(tap));
            (0..groups * outs).map(move |out| kernel.at(out / outs * channels, out % outs, place))
        });
        T::gather(machine.isa, &fitted.weights, starts, &distances, &mut weights);
        let mut copied = vec![T::zeroed(); layout.count()];
        let mut product = vec![T::zeroed(); outs * positions];
        let size = outs * outputs.positions();
        let mut sums = vec![T::zeroed(); size];
        let image_rows = groups * outs;
        for (image, result) in result.chunks_mut(result_bytes(finish, image_rows * outputs.positions())).enumerate() {
            T::pad(machine.isa, &fitted.x, &images, image, &layout, &mut copied);
            for (group, result) in result.chunks_mut(result_bytes(finish, size)).enumerate() {
                sums.fill(T::zeroed());
                for tap in (0..tap_count).filter(|tap| taps.falls_somewhere(*tap)) {
                    let lines = &weights[(tap * groups + group) * outs * channels..][..outs * channels];
                    let left = Lines { elements: lines, line: channels, step: 1 };
                    let image = &copied[group * channels * positions..][..channels * positions];
                    let right = Lines { elements: image, line: 1, step: positions };
                    multiply(*machine, &left, &right, [outs, positions, channels], &mut product);
                    taps.add(tap, &product, &mut sums);
                }
                let finish = finish.without_first(image * image_rows + group * outs);
                write(*machine, &finish, &sums, [outs, outputs.positions()], result);
            }
        }
    }
}

fn result_bytes(finish: &Finish<'_>, elements: usize) -> usize {
    (elements * finish.dtype().size()).max(1)
}

/// The elements of a kernel, and where they fall.
struct Taps {
    kernel: [usize; 3],
    inputs: [usize; 3],
    outputs: [usize; 3],
    steps: Steps,
}

impl Taps {
    /// Where an element of the kernel is in it.
    fn place(&self, tap: usize) -> [usize; 3] {
        let [_, height, width] = self.kernel;
        [tap / (height * width), tap / width % height, tap % width]
    }

    /// Whether an element of the kernel reaches the result from any position.
    fn falls_somewhere(&self, tap: usize) -> bool {
        let place = self.place(tap);
        (0..3).all(|axis| !self.span(axis, place[axis]).0.is_empty())
    }

    /// Adds what an element of the kernel makes of each position of an image, channel by channel.
    fn add<T: Pad>(&self, tap: usize, product: &[T], sums: &mut [T]) {
        let place = self.place(tap);
        let spans: [(Range<usize>, usize); 3] = from_fn(|axis| self.span(axis, place[axis]));
        let [_, in_height, in_width] = self.inputs;
        let [_, out_height, out_width] = self.outputs;
        let (inputs, outputs) = (self.inputs.iter().product::<usize>(), self.outputs.iter().product::<usize>());
        let [stride_z, stride_y, stride_x] = self.steps.stride;
        for (product, sums) in product.chunks(inputs.max(1)).zip(sums.chunks_mut(outputs.max(1))) {
            for z in spans[0].0.clone() {
                for y in spans[1].0.clone() {
                    let from = (z * in_height + y) * in_width;
                    let out_z = spans[0].1 + (z - spans[0].0.start) * stride_z;
                    let out_y = spans[1].1 + (y - spans[1].0.start) * stride_y;
                    let to = (out_z * out_height + out_y) * out_width + spans[2].1;
                    let from = &product[from + spans[2].0.start..from + spans[2].0.end];
                    for (from, to) in from.iter().zip(sums[to..].iter_mut().step_by(stride_x)) {
                        *to = *to + *from;
                    }
                }
            }
        }
    }

    /// The positions along an axis of the image from which an element of the kernel falls into the result, and where that of
    /// the first one falls.
    fn span(&self, axis: usize, place: usize) -> (Range<usize>, usize) {
        let Steps { stride, dilation, pad_begin, .. } = self.steps;
        let (stride, shift) = (stride[axis] as i128, (place * dilation[axis]) as i128 - pad_begin[axis] as i128);
        let (inputs, outputs) = (self.inputs[axis] as i128, self.outputs[axis] as i128);
        // Positions `i` with 0 <= i * stride + shift < outputs.
        let first = if shift < 0 { (-shift + stride - 1) / stride } else { 0 };
        let end = ((outputs - shift + stride - 1).div_euclid(stride)).clamp(0, inputs);
        if first >= end {
            return (0..0, 0);
        }
        (first as usize..end as usize, (first * stride + shift) as usize)
    }
}
