//! Convolutions in nested loops over lists, in the order of sums that is promised, and one problem of one through every
//! backend.

use std::sync::{Arc, LazyLock};

use stratal_kernels::convolution::{Convolution, Strategy, TransposedConvolution};
use stratal_kernels::map::{Add, Binary, Mul, Unary};
use stratal_kernels::{AnyView, Backend, Epilogue, Kernels, Precision, Selection, Threads};
use stratal_tensor_base::{DType, Scalar, cast, match_dtype};

use crate::array::Array;
use crate::place::Place;
use crate::runner::compare;

/// Each backend with vectors by precision.
pub(crate) static BY_PRECISION: LazyLock<Vec<(Precision, Arc<dyn Kernels>)>> = LazyLock::new(|| {
    let vectors = Backend::available().into_iter().filter(|backend| *backend != Backend::Reference);
    let mut all: Vec<(Precision, Arc<dyn Kernels>)> = vectors
        .flat_map(|backend| {
            [Precision::Fast, Precision::Exact].map(|precision| (precision, kernels(backend, precision)))
        })
        .collect();
    all.push((Precision::Exact, kernels(Backend::Reference, Precision::Exact)));
    all
});

fn kernels(backend: Backend, precision: Precision) -> Arc<dyn Kernels> {
    Selection::new().backend(backend).precision(precision).threads(Threads::calling()).kernels().unwrap()
}

/// What sums are made of.
pub(crate) trait Number: Copy {
    const ZERO: Self;
    fn of(scalar: Scalar) -> Self;
    fn term(self, a: Self, b: Self) -> Self;
    fn add(self, other: Self) -> Self;
    fn rounded(self, dtype: DType) -> Scalar;
}

impl Number for f32 {
    const ZERO: Self = 0.0;

    fn of(scalar: Scalar) -> Self {
        scalar.cast()
    }

    fn term(self, a: Self, b: Self) -> Self {
        a.mul_add(b, self)
    }

    fn add(self, other: Self) -> Self {
        self + other
    }

    fn rounded(self, dtype: DType) -> Scalar {
        match_dtype!(dtype, T => cast::<f32, T>(self).into())
    }
}

impl Number for f64 {
    const ZERO: Self = 0.0;

    fn of(scalar: Scalar) -> Self {
        scalar.cast()
    }

    fn term(self, a: Self, b: Self) -> Self {
        a.mul_add(b, self)
    }

    fn add(self, other: Self) -> Self {
        self + other
    }

    fn rounded(self, _dtype: DType) -> Scalar {
        self.into()
    }
}

/// A problem: extents as (batch, channels, depth, height, width), whatever axes there are.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) convolution: Convolution,
    pub(crate) images: Vec<i64>,
    pub(crate) weights: Vec<i64>,
}

fn five(extents: &[i64]) -> [usize; 5] {
    let mut five = [1; 5];
    five[..2].copy_from_slice(&[extents[0] as usize, extents[1] as usize]);
    for (to, extent) in five[5 - (extents.len() - 2)..].iter_mut().zip(&extents[2..]) {
        *to = *extent as usize;
    }
    five
}

/// Stride, dilation and padding before, along three axes.
fn moves(convolution: &Convolution) -> [[i64; 3]; 3] {
    let mut moves = [[1; 3], [1; 3], [0; 3]];
    let missing = 3 - convolution.axes.len();
    for (number, axis) in convolution.axes.iter().enumerate() {
        moves[0][missing + number] = axis.stride;
        moves[1][missing + number] = axis.dilation;
        moves[2][missing + number] = axis.pad_begin;
    }
    moves
}

impl Problem {
    pub(crate) fn output(&self) -> Vec<i64> {
        let shape = |extents: &[i64]| stratal_tensor_base::Shape::new(extents).unwrap();
        let output = self.convolution.output_shape(&shape(&self.images), &shape(&self.weights)).unwrap();
        output.extents().iter().map(|extent| i64::from(*extent)).collect()
    }

    /// The sums, in row-major order of the result.
    pub(crate) fn sums<T: Number>(&self, x: &[Scalar], weights: &[Scalar]) -> Vec<T> {
        let [stride, dilation, pad] = moves(&self.convolution);
        let [_, channels_in, depth, height, width] = five(&self.images);
        let [_, channels, taps_z, taps_y, taps_x] = five(&self.weights);
        let [images, outputs, out_z, out_y, out_x] = five(&self.output());
        let per_group = outputs / self.convolution.groups;
        let taps = taps_z * taps_y * taps_x;
        // As many whole blocks of sixteen channels as fit in 256 terms.
        let block = (256 / (16 * taps)).max(1) * 16 * taps;
        let mut order = Vec::new();
        for first in (0..channels).step_by(16) {
            for tap in 0..taps {
                for channel in first..(first + 16).min(channels) {
                    order.push((channel, tap));
                }
            }
        }
        let mut sums = Vec::new();
        for image in 0..images {
            for output in 0..outputs {
                for position in 0..out_z * out_y * out_x {
                    let place = [position / (out_y * out_x), position / out_x % out_y, position % out_x]
                        .map(|place| place as i64);
                    let term = |sum: T, (channel, tap): &(usize, usize)| {
                        let at = [tap / (taps_y * taps_x), tap / taps_x % taps_y, tap % taps_x];
                        let seen: [i64; 3] = std::array::from_fn(|axis| {
                            place[axis] * stride[axis] - pad[axis] + at[axis] as i64 * dilation[axis]
                        });
                        let inside = |axis: usize, extent: usize| (0..extent as i64).contains(&seen[axis]);
                        let channel_in = output / per_group * channels + channel;
                        let value = if inside(0, depth) && inside(1, height) && inside(2, width) {
                            let line = (image * channels_in + channel_in) * depth + seen[0] as usize;
                            T::of(x[(line * height + seen[1] as usize) * width + seen[2] as usize])
                        } else {
                            T::ZERO
                        };
                        sum.term(value, T::of(weights[(output * channels + channel) * taps + tap]))
                    };
                    let mut total = T::ZERO;
                    for (number, block) in order.chunks(block).enumerate() {
                        let sum = block.iter().fold(T::ZERO, term);
                        total = if number == 0 { sum } else { total.add(sum) };
                    }
                    sums.push(total);
                }
            }
        }
        sums
    }
}

/// The elements of a place, in row-major order.
pub(crate) fn scalars(array: &Array, place: &Place) -> Vec<Scalar> {
    let gathered = array.gather(&place.positions());
    match_dtype!(array.dtype, T => gathered.to_vec::<T>().into_iter().map(Scalar::from).collect())
}

/// The elements as an array of a dtype.
pub(crate) fn array_of(dtype: DType, scalars: &[Scalar]) -> Array {
    match_dtype!(dtype, T => Array::of(&scalars.iter().map(|scalar| scalar.get::<T>().unwrap()).collect::<Vec<T>>()))
}

/// What an epilogue makes of an element, by the operations element by element.
pub(crate) fn finish(
    dtype: DType,
    (alpha, beta): (f32, f32),
    activation: Option<&dyn Unary>,
    sum: Scalar,
    before: Scalar,
    bias: Option<Scalar>,
) -> Scalar {
    let factor = |factor: f32| -> Scalar { match_dtype!(dtype, T => cast::<f32, T>(factor).into()) };
    let mut element = sum;
    if alpha != 1.0 {
        element = Mul.element(element, factor(alpha));
    }
    if beta != 0.0 {
        let before = if beta == 1.0 { before } else { Mul.element(before, factor(beta)) };
        element = Add.element(before, element);
    }
    if let Some(bias) = bias {
        element = Add.element(element, bias);
    }
    activation.map_or(element, |activation| activation.element(element))
}

/// How a problem is posed.
#[derive(Debug)]
pub(crate) struct Posed<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) x: (&'a Array, &'a Place),
    pub(crate) weights: (&'a Array, &'a Place),
    /// Of one element an output channel.
    pub(crate) bias: Option<(&'a Array, &'a Place)>,
    pub(crate) result: &'a Place,
    pub(crate) alpha: f32,
    pub(crate) beta: f32,
    pub(crate) activation: Option<&'a dyn Unary>,
}

impl Posed<'_> {
    /// Compares every strategy on every backend with the sums.
    pub(crate) fn check(&self) {
        let dtype = self.x.0.dtype;
        let (x, weights) = (scalars(self.x.0, self.x.1), scalars(self.weights.0, self.weights.1));
        let fast: Vec<Scalar> = match dtype {
            DType::F64 => self.problem.sums::<f64>(&x, &weights).into_iter().map(|sum| sum.rounded(dtype)).collect(),
            _ => self.problem.sums::<f32>(&x, &weights).into_iter().map(|sum| sum.rounded(dtype)).collect(),
        };
        let exact = self.expected(None);
        let fast = self.expected(Some(fast));
        for (precision, kernels) in BY_PRECISION.iter() {
            let expected = if *precision == Precision::Fast { &fast } else { &exact };
            for strategy in [None, Some(Strategy::Implicit), Some(Strategy::Direct), Some(Strategy::Pointwise)] {
                self.compare(&**kernels, strategy, expected);
            }
        }
    }

    /// The result in its buffer: of these sums, or of those of the reference without an epilogue.
    fn expected(&self, sums: Option<Vec<Scalar>>) -> Array {
        let dtype = self.x.0.dtype;
        let positions = self.result.positions();
        let sums = sums.unwrap_or_else(|| {
            let mut array = Array::canary(dtype, self.result.buffer);
            let convolution = Convolution { strategy: None, ..self.problem.convolution.clone() };
            let (_, kernels) = BY_PRECISION.last().unwrap();
            let (x, weights) = (self.x.0.view(self.x.1), self.weights.0.view(self.weights.1));
            let mut result = array.view_mut(self.result);
            kernels.convolve(&convolution, &x, &weights, &Epilogue::default(), &mut result).unwrap();
            scalars(&array, self.result)
        });
        let mut whole = Array::canary(dtype, self.result.buffer);
        let before = scalars(&whole, self.result);
        let bias = self.bias.map(|(array, place)| scalars(array, place));
        let of_channel: usize = self.result.extents[2..].iter().product::<i64>() as usize;
        let channels = self.result.extents[1] as usize;
        let elements: Vec<Scalar> = sums
            .iter()
            .zip(before)
            .enumerate()
            .map(|(index, (sum, before))| {
                let bias = bias.as_ref().map(|bias| bias[index / of_channel % channels]);
                finish(dtype, (self.alpha, self.beta), self.activation, *sum, before, bias)
            })
            .collect();
        whole.scatter(&positions, &array_of(dtype, &elements));
        whole
    }

    fn compare(&self, kernels: &dyn Kernels, strategy: Option<Strategy>, expected: &Array) {
        let convolution = Convolution { strategy, ..self.problem.convolution.clone() };
        let bias: Option<AnyView<'_>> = self.bias.map(|(array, place)| array.view(place));
        let epilogue =
            Epilogue { alpha: self.alpha, beta: self.beta, bias: bias.as_ref(), activation: self.activation };
        let mut found = Array::canary(self.x.0.dtype, self.result.buffer);
        let (x, weights) = (self.x.0.view(self.x.1), self.weights.0.view(self.weights.1));
        let outcome = kernels.convolve(&convolution, &x, &weights, &epilogue, &mut found.view_mut(self.result));
        if strategy == Some(Strategy::Pointwise) && outcome.is_err() {
            return;
        }
        outcome.unwrap();
        compare(&found, expected, &self.result.positions(), false, || {
            format!("{self:?} by {strategy:?} on {kernels:?}")
        });
    }
}

/// The result of a transposed convolution in nested loops: one element of the kernel after another, of each the sum over the
/// channels in blocks of 256.
pub(crate) fn transposed<T: Number>(
    convolution: &TransposedConvolution,
    (images, x): (&[i64], &[Scalar]),
    (kernel, weights): (&[i64], &[Scalar]),
    output: &[i64],
) -> Vec<T> {
    let as_convolution = Convolution { axes: convolution.axes.clone(), groups: convolution.groups, strategy: None };
    let [stride, dilation, pad] = moves(&as_convolution);
    let [batch, channels, depth, height, width] = five(images);
    let [_, outputs, taps_z, taps_y, taps_x] = five(kernel);
    let [_, all_outputs, out_z, out_y, out_x] = five(output);
    let (groups, taps) = (convolution.groups, taps_z * taps_y * taps_x);
    let in_group = channels / groups;
    let mut result = vec![T::ZERO; batch * all_outputs * out_z * out_y * out_x];
    for image in 0..batch {
        for tap in 0..taps {
            let at = [tap / (taps_y * taps_x), tap / taps_x % taps_y, tap % taps_x];
            for position in 0..depth * height * width {
                let from = [position / (height * width), position / width % height, position % width];
                let to: [i64; 3] = std::array::from_fn(|axis| {
                    from[axis] as i64 * stride[axis] - pad[axis] + at[axis] as i64 * dilation[axis]
                });
                let extents = [out_z, out_y, out_x];
                if (0..3).any(|axis| !(0..extents[axis] as i64).contains(&to[axis])) {
                    continue;
                }
                for output in 0..all_outputs {
                    let group = output / outputs;
                    let channels_of_group: Vec<usize> = (group * in_group..(group + 1) * in_group).collect();
                    let mut total = T::ZERO;
                    for (number, block) in channels_of_group.chunks(256).enumerate() {
                        let sum = block.iter().fold(T::ZERO, |sum, channel| {
                            let x = x[(image * channels + channel) * depth * height * width + position];
                            let weight = weights[(channel * outputs + output % outputs) * taps + tap];
                            sum.term(T::of(weight), T::of(x))
                        });
                        total = if number == 0 { sum } else { total.add(sum) };
                    }
                    let line = ((image * all_outputs + output) * out_z + to[0] as usize) * out_y + to[1] as usize;
                    let place = &mut result[line * out_x + to[2] as usize];
                    *place = place.add(total);
                }
            }
        }
    }
    result
}
