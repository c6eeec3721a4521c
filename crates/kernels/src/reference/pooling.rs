//! Pooling, window by window.

use stratal_tensor_base::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use stratal_tensor_base::{DType, Scalar, Shape, match_dtype};

use super::{Reference, scalars, write};
use crate::pool::sum::{root, root_f64, to_power, to_power_f64};
use crate::pool::{Span, Window, unpool};
use crate::simd::{Float, LANES, Portable, Simd};
use crate::{AnyView, AnyViewMut, KernelError, PoolingKernels, check};

impl PoolingKernels for Reference {
    fn max_pool(
        &self,
        window: &Window,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
        indices: Option<&mut AnyViewMut<'_>>,
    ) -> Result<(), KernelError> {
        check::pooling::max_pool(window, x, result, indices.as_deref())?;
        let elements: Vec<Scalar> = scalars(x).collect();
        let found: Vec<usize> =
            windows(window, x.shape(), result.shape()).map(|window| first_maximum(&window, &elements)).collect();
        write(result, found.iter().map(|position| elements[*position]));
        if let Some(indices) = indices {
            let image: usize = x.shape().extents()[2..].iter().map(|extent| *extent as usize).product();
            let within = found.iter().map(|position| (position % image) as i64);
            match indices.dtype() {
                DType::I32 => write(indices, within.map(|index| Scalar::I32(index as i32))),
                _ => write(indices, within.map(Scalar::I64)),
            }
        }
        Ok(())
    }

    fn average_pool(
        &self,
        window: &Window,
        count_padding: bool,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::pooling::average_pool(window, x, result)?;
        let elements: Vec<Scalar> = scalars(x).collect();
        // The divisor is rounded to the type once, like any count.
        let averages = windows(window, x.shape(), result.shape()).map(|window| {
            let count = if count_padding { window.padded_count } else { window.positions.iter().map(Vec::len).sum() };
            match x.dtype() {
                DType::F64 => (window.sum(|position| to_f64(elements[position])) / count as f64).into(),
                dtype => narrow(window.sum(|position| to_f64(elements[position]) as f32) / count as f32, dtype),
            }
        });
        write(result, averages);
        Ok(())
    }

    fn lp_pool(
        &self,
        window: &Window,
        power: i64,
        x: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::pooling::lp_pool(window, power, x, result)?;
        let elements: Vec<Scalar> = scalars(x).collect();
        let on_one =
            |x: f32, function: fn(Portable<1>, <Portable<1> as Simd>::F32, i64) -> <Portable<1> as Simd>::F32| {
                let mut lanes = [x; LANES];
                function(Portable, Portable.load(&lanes), power).store(&mut lanes);
                lanes[0]
            };
        let means = windows(window, x.shape(), result.shape()).map(|window| match x.dtype() {
            DType::F64 => {
                root_f64(window.sum(|position| to_power_f64(to_f64(elements[position]), power)), power).into()
            }
            dtype => {
                let sum = window.sum(|position| on_one(to_f64(elements[position]) as f32, to_power));
                narrow(on_one(sum, root), dtype)
            }
        });
        write(result, means);
        Ok(())
    }

    fn max_unpool(
        &self,
        x: &AnyView<'_>,
        indices: &AnyView<'_>,
        result: &mut AnyViewMut<'_>,
    ) -> Result<(), KernelError> {
        check::pooling::max_unpool(x, indices, result)?;
        let positions = unpool::positions(indices, result.shape().count())?;
        let mut elements: Vec<Scalar> = match_dtype!(x.dtype(), T => {
            let zero: T = bytemuck::Zeroable::zeroed();
            vec![zero.into(); result.shape().count()]
        });
        for (element, position) in scalars(x).zip(positions) {
            elements[position] = element;
        }
        write(result, elements.into_iter());
        Ok(())
    }
}

/// What one output sees.
struct Seen {
    /// Positions of elements in row-major order of the images, one list a row of the window.
    positions: Vec<Vec<usize>>,
    /// Elements of the window within image and padding.
    padded_count: usize,
}

impl Seen {
    /// Sums of rows, added.
    fn sum<T: Copy + From<f32> + std::ops::Add<Output = T>>(&self, element: impl Fn(usize) -> T) -> T {
        let add = |values: &mut dyn Iterator<Item = T>| values.reduce(|sum, value| sum + value);
        let rows = self.positions.iter().map(|row| add(&mut row.iter().map(|position| element(*position))));
        add(&mut rows.flatten()).unwrap_or_else(|| T::from(0.0))
    }
}

/// The windows of all outputs, in row-major order of the result.
fn windows(window: &Window, images: &Shape, result: &Shape) -> impl Iterator<Item = Seen> + use<> {
    let mut spans = vec![Span::new(&crate::pool::WindowAxis::default(), 1); 3 - window.axes.len()];
    let mut extents = vec![1; spans.len()];
    for (axis, along) in window.axes.iter().enumerate() {
        spans.push(Span::new(along, images.extents()[axis + 2]));
        extents.push(result.extent(axis + 2));
    }
    let count = images.extent(0) * images.extent(1);
    let outputs = extents.iter().product::<usize>();
    let size: usize = spans.iter().map(|span| span.extent as usize).product();
    (0..count * outputs).map(move |output| {
        let (image, within) = (output / outputs, output % outputs);
        let at = [within / (extents[1] * extents[2]), within / extents[2] % extents[1], within % extents[2]];
        // All elements of the window, and which of them are inside.
        let coordinates = |axis: usize, end: i64| -> Vec<i64> {
            let span = &spans[axis];
            let start = at[axis] as i64 * span.stride - span.pad_begin;
            let mut coordinates = Vec::new();
            let mut coordinate = start;
            for _ in 0..span.kernel {
                if coordinate >= span.extent + end {
                    break;
                }
                coordinates.push(coordinate);
                coordinate += span.dilation;
            }
            coordinates
        };
        let inside = |axis: usize| coordinates(axis, 0).into_iter().filter(|coordinate| *coordinate >= 0);
        let padded_count = (0..3).map(|axis| coordinates(axis, spans[axis].pad_end).len()).product();
        let mut positions = Vec::new();
        for depth in inside(0) {
            for line in inside(1) {
                let row = (depth * spans[1].extent + line) * spans[2].extent;
                positions.push(inside(2).map(|column| image * size + (row + column) as usize).collect());
            }
        }
        Seen { positions, padded_count }
    })
}

/// The position of the first NaN, or else of the first of the largest elements.
fn first_maximum(window: &Seen, elements: &[Scalar]) -> usize {
    let mut positions = window.positions.iter().flatten().copied();
    // A checked window sees an element.
    let first = positions.next().unwrap_or(0);
    positions
        .fold(first, |best, position| if comes_before(elements[position], elements[best]) { position } else { best })
}

fn comes_before(x: Scalar, best: Scalar) -> bool {
    if x.dtype().is_float() {
        let (x, best) = (to_f64(x), to_f64(best));
        (x.is_nan() && !best.is_nan()) || x > best
    } else {
        to_i128(x) > to_i128(best)
    }
}

/// A float, exactly.
pub(super) fn to_f64(x: Scalar) -> f64 {
    match x {
        Scalar::F64(x) => x,
        Scalar::F32(x) => x.into(),
        Scalar::F16(x) => f16_to_f32(x).into(),
        Scalar::BF16(x) => bf16_to_f32(x).into(),
        _ => 0.0,
    }
}

/// An integer, exactly.
pub(super) fn to_i128(x: Scalar) -> i128 {
    match x {
        Scalar::U64(x) => x.into(),
        other => other.cast::<i64>().into(),
    }
}

/// An f32 as an element of a dtype of at most 32 bits.
pub(super) fn narrow(x: f32, dtype: DType) -> Scalar {
    match dtype {
        DType::F16 => f32_to_f16(x).into(),
        DType::BF16 => f32_to_bf16(x).into(),
        _ => x.into(),
    }
}
