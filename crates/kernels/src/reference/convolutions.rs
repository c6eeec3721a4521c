//! Convolutions, by index: each element of a result is one sum of f64, rounded once.

use stratal_tensor_base::{DType, Scalar};

use super::products::{finish, rounded};
use super::{Reference, scalars, write};
use crate::convolution::{
    Convolution, ConvolutionAxis, Depth, Fitted, Images, Steps, TransposedConvolution, Windows, choose,
};
use crate::{AnyView, AnyViewMut, ConvolutionKernels, Epilogue, KernelError, ZeroPoints, check};

impl ConvolutionKernels for Reference {
    fn convolve(
        &self,
        convolution: &Convolution,
        x: &AnyView<'_>,
        weights: &AnyView<'_>,
        epilogue: &Epilogue<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let fitted = check::convolutions::convolve(convolution, x, weights, epilogue, result)?;
        // There is only one way here, but whether the one asked for fits is the same everywhere.
        choose(convolution, weights)?;
        let problem = Problem::new(&fitted, &convolution.axes, result);
        let (channels, outputs) = (problem.kernel[1], problem.outputs[1] / convolution.groups);
        let depth = Depth { channels, taps: problem.taps() };
        let sum = |image: usize, output: usize, place: [usize; 3]| {
            let first = output / outputs.max(1) * channels;
            depth.terms().fold(0.0, |sum, (channel, tap)| {
                let at = problem.tap(tap);
                let seen = |axis: usize| {
                    let Steps { stride, dilation, pad_begin, .. } = &problem.steps;
                    (place[axis] * stride[axis] + at[axis] * dilation[axis]).checked_sub(pad_begin[axis])
                };
                // Outside the image lie zeros.
                let x = problem.x_at(image, first + channel, [seen(0), seen(1), seen(2)]);
                sum + x * problem.weight_at(output, channel, at)
            })
        };
        problem.write(&fitted, epilogue, result, sum);
        Ok(())
    }

    fn convolve_transposed(
        &self,
        convolution: &TransposedConvolution,
        x: &AnyView<'_>,
        weights: &AnyView<'_>,
        epilogue: &Epilogue<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let fitted = check::convolutions::convolve_transposed(convolution, x, weights, epilogue, result)?;
        let problem = Problem::new(&fitted, &convolution.axes, result);
        let (channels, outputs) = (problem.kernel[0] / convolution.groups, problem.kernel[1]);
        let sum = |image: usize, output: usize, place: [usize; 3]| {
            let (group, output) = (output / outputs, output % outputs);
            (0..problem.taps()).fold(0.0, |sum, tap| {
                let at = problem.tap(tap);
                let from = |axis: usize| {
                    let Steps { stride, dilation, pad_begin, .. } = &problem.steps;
                    let distance = (place[axis] + pad_begin[axis]).checked_sub(at[axis] * dilation[axis])?;
                    let position = distance / stride[axis];
                    let falls = distance.is_multiple_of(stride[axis]) && position < problem.inputs[axis + 2];
                    falls.then_some(position)
                };
                // What falls from nowhere is not added.
                let [Some(z), Some(y), Some(x)] = [from(0), from(1), from(2)] else { return sum };
                sum + (0..channels).fold(0.0, |sum, channel| {
                    let channel = group * channels + channel;
                    let x = problem.x_at(image, channel, [Some(z), Some(y), Some(x)]);
                    sum + x * problem.weight_at(channel, output, at)
                })
            })
        };
        problem.write(&fitted, epilogue, result, sum);
        Ok(())
    }

    fn convolve_integer(
        &self,
        convolution: &Convolution,
        x: &AnyView<'_>,
        weights: &AnyView<'_>,
        zero_points: &ZeroPoints<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        let fitted = check::convolutions::convolve_integer(convolution, x, weights, zero_points, result)?;
        choose(convolution, weights)?;
        let windows = Windows {
            images: Images::new(x.geometry()),
            kernel: Images::new(weights.geometry()),
            outputs: Images::new(result.geometry()),
            steps: Steps::new(&convolution.axes),
        };
        let number =
            |dtype: DType, byte: u8| if dtype == DType::I8 { i32::from(byte.cast_signed()) } else { i32::from(byte) };
        let (outputs, [depth, height, width]) = (windows.outputs.channels.0, windows.outputs.extents());
        let per_group = outputs / convolution.groups;
        let sums: Vec<Scalar> = (0..result.shape().count())
            .map(|index| {
                let (line, column) = (index / width, index % width);
                let (slice, row) = (line / height, line % height);
                let (plane, slice) = (slice / depth, slice % depth);
                let (image, output) = (plane / outputs, plane % outputs);
                let zero = number(weights.dtype(), fitted.zero_weights[output]);
                let sum = windows.terms().fold(0_i32, |sum, (channel, place)| {
                    let seen =
                        [(slice, 0), (row, 1), (column, 2)].map(|(at, axis)| windows.seen(axis, at, place[axis]));
                    // Padding means zero.
                    let [Some(z), Some(y), Some(x_at)] = seen else { return sum };
                    let first = output / per_group * windows.kernel.channels.0;
                    let x_byte = x.bytes()[windows.images.at(image, first + channel, [z, y, x_at])];
                    let weight = weights.bytes()[windows.kernel.at(output, channel, place)];
                    let difference = number(x.dtype(), x_byte) - number(x.dtype(), fitted.zero_x);
                    sum.wrapping_add(difference * (number(weights.dtype(), weight) - zero))
                });
                sum.into()
            })
            .collect();
        write(result, sums.into_iter());
        Ok(())
    }

    fn convolve_weight_gradient(
        &self,
        convolution: &Convolution,
        x: &AnyView<'_>,
        gradient: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::convolutions::weight_gradient(convolution, x, gradient, result)?;
        choose(convolution, &result.as_view())?;
        // The gradients take the place of the weights.
        let fitted = Fitted { x: *x, weights: *gradient, bias: None };
        let problem = Problem::new(&fitted, &convolution.axes, result);
        let [images, _, positions @ ..] = problem.kernel;
        let (channels, outputs) = (problem.outputs[1], problem.outputs[0] / convolution.groups);
        let sum = |output: usize, channel: usize, tap: [usize; 3]| {
            let channel = output / outputs * channels + channel;
            (0..images).fold(0.0, |sum, image| {
                sum + (0..positions.iter().product()).fold(0.0, |sum, position| {
                    let [_, height, width] = positions;
                    let place = [position / (height * width), position / width % height, position % width];
                    let seen = |axis: usize| {
                        let Steps { stride, dilation, pad_begin, .. } = &problem.steps;
                        (place[axis] * stride[axis] + tap[axis] * dilation[axis]).checked_sub(pad_begin[axis])
                    };
                    let x = problem.x_at(image, channel, [seen(0), seen(1), seen(2)]);
                    sum + problem.weight_at(image, output, place) * x
                })
            })
        };
        problem.write(&fitted, &Epilogue::default(), result, sum);
        Ok(())
    }
}

/// The operands as lists, with five axes each.
struct Problem {
    x: Vec<f64>,
    weights: Vec<f64>,
    inputs: [usize; 5],
    kernel: [usize; 5],
    outputs: [usize; 5],
    steps: Steps,
}

impl Problem {
    fn new(fitted: &Fitted<'_>, axes: &[ConvolutionAxis], result: &AnyViewMut<'_>) -> Self {
        let list = |view: &AnyView<'_>| scalars(view).map(Scalar::cast::<f64>).collect();
        let five = |images: Images| {
            let [depth, height, width] = images.extents();
            [images.batch.0, images.channels.0, depth, height, width]
        };
        Self {
            x: list(&fitted.x),
            weights: list(&fitted.weights),
            inputs: five(Images::new(fitted.x.geometry())),
            kernel: five(Images::new(fitted.weights.geometry())),
            outputs: five(Images::new(result.geometry())),
            steps: Steps::new(axes),
        }
    }

    fn taps(&self) -> usize {
        self.kernel[2..].iter().product()
    }

    fn tap(&self, tap: usize) -> [usize; 3] {
        let [_, _, _, height, width] = self.kernel;
        [tap / (height * width), tap / width % height, tap % width]
    }

    fn x_at(&self, image: usize, channel: usize, place: [Option<usize>; 3]) -> f64 {
        let [Some(z), Some(y), Some(x)] = place else { return 0.0 };
        let [_, channels, depth, height, width] = self.inputs;
        if z >= depth || y >= height || x >= width {
            return 0.0;
        }
        self.x[(((image * channels + channel) * depth + z) * height + y) * width + x]
    }

    fn weight_at(&self, first: usize, second: usize, [z, y, x]: [usize; 3]) -> f64 {
        let [_, seconds, depth, height, width] = self.kernel;
        self.weights[(((first * seconds + second) * depth + z) * height + y) * width + x]
    }

    /// Writes a sum for each index of the result.
    fn write(
        &self,
        fitted: &Fitted<'_>,
        epilogue: &Epilogue<'_>,
        result: &mut AnyViewMut<'_>,
        sum: impl Fn(usize, usize, [usize; 3]) -> f64,
    ) {
        let dtype = result.dtype();
        let [_, channels, depth, height, width] = self.outputs;
        let bias: Option<Vec<Scalar>> = fitted.bias.as_ref().map(|bias| scalars(bias).collect());
        let before: Vec<Scalar> = scalars(&result.as_view()).collect();
        let elements: Vec<Scalar> = before
            .into_iter()
            .enumerate()
            .map(|(index, before)| {
                let (line, x) = (index / width, index % width);
                let (slice, y) = (line / height, line % height);
                let (plane, z) = (slice / depth, slice % depth);
                let element = rounded(dtype, sum(plane / channels, plane % channels, [z, y, x]));
                finish(dtype, epilogue, element, before, bias.as_ref().map(|bias| bias[index]))
            })
            .collect();
        write(result, elements.into_iter());
    }
}
