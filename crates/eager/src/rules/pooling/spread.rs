//! What averages of windows go backward by: each average's share for all elements that its window saw. Its derivative is the
//! average again.

use std::array::from_fn;
use std::ops::Range;

use stratal_kernels::pool::{Window, WindowAxis};
use stratal_ops::{AveragePool, Cause, Context, Definition, Fact, Facts, Inputs, Operator, Outputs, dtypes};
use stratal_tensor_base::{DType, Shape};

use crate::derivative::{Call, Derivative, Gradients};
use crate::private::{Number, definition, with_elements, write_elements};
use crate::rules::windows::Steps;
use crate::{EagerError, Var, apply};

/// The gradient of images of a shape, of that of their averages.
pub(super) fn spread(averages: &Var, pool: &AveragePool, images: &Shape) -> Result<Var, EagerError> {
    apply(&Spread { pool: pool.clone(), images: *images }, &[Some(averages)])
}

#[derive(Debug, Clone)]
pub(crate) struct Spread {
    pool: AveragePool,
    images: Shape,
}

impl Spread {
    pub(crate) const DEFINITION: Definition = definition("AveragePoolGradient", 1);

    fn compute_as<T: Number>(
        &self,
        context: &Context<'_>,
        inputs: &Inputs<'_>,
        outputs: &mut Outputs<'_>,
    ) -> Result<(), Cause> {
        let averages = inputs.required(0)?;
        let window = self.pool.windows.on(&self.images)?;
        let spans = spans(&window, &self.images, averages.shape());
        with_elements::<T, _>(context, averages, |averages| {
            write_elements(context, outputs, |images| {
                images.fill(T::ZERO);
                add(averages, &spans, self.pool.count_padding, images);
                Ok(())
            })
        })
    }
}

impl Operator for Spread {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        Ok(vec![Fact::new(inputs.dtype(0, dtypes::FLOATS)?, &self.images)])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        match inputs.required(0)?.dtype() {
            DType::F64 => self.compute_as::<f64>(context, inputs, outputs),
            // Elements of 16 bits are rounded once, at last.
            _ => self.compute_as::<f32>(context, inputs, outputs),
        }
    }
}

impl Derivative for Spread {
    fn backward(&self, call: &Call<'_>) -> Result<Gradients, EagerError> {
        Ok(apply(&self.pool, &[Some(&call.gradient()?)])?.into())
    }
}

/// A window along an axis, with the extents of image and averages.
#[derive(Debug, Clone, Copy)]
struct Span {
    window: WindowAxis,
    image: usize,
    windows: usize,
}

/// Three axes, of which the first ones may be there for form.
fn spans(window: &Window, images: &Shape, averages: &Shape) -> [Span; 3] {
    let missing = 3_usize.saturating_sub(window.axes.len());
    from_fn(|axis| match axis.checked_sub(missing) {
        None => Span { window: WindowAxis::default(), image: 1, windows: 1 },
        Some(axis) => {
            Span { window: window.axes[axis], image: images.extent(axis + 2), windows: averages.extent(axis + 2) }
        }
    })
}

impl Span {
    /// How many elements of a window count.
    fn count(&self, position: usize, count_padding: bool) -> i64 {
        let WindowAxis { kernel, stride, dilation, pad_begin, pad_end } = self.window;
        let start = position as i64 * stride - pad_begin;
        let up_to = |end: i64| if end > start { (end - 1 - start) / dilation + 1 } else { 0 }.min(kernel);
        let image = self.image as i64;
        if count_padding { up_to(image + pad_end) } else { up_to(image) - up_to(0) }
    }
}

/// Adds to each element of images the share of each average that it is in.
fn add<T: Number>(averages: &[T], spans: &[Span; 3], count_padding: bool, images: &mut [T]) {
    let [z_axis, y_axis, x_axis] = spans;
    let windows: usize = spans.iter().map(|span| span.windows).product();
    let elements: usize = spans.iter().map(|span| span.image).product();
    let counts = spans.map(|span| (0..span.windows).map(|at| span.count(at, count_padding)).collect::<Vec<_>>());
    let mut shares = Vec::with_capacity(windows);
    for (z, y) in counts[0].iter().flat_map(|z| counts[1].iter().map(move |y| (z, y))) {
        shares.extend(counts[2].iter().map(|x| T::rounded(1.0 / (z * y * x) as f64)));
    }
    let mut shared = vec![T::ZERO; windows];
    for (averages, image) in averages.chunks_exact(windows.max(1)).zip(images.chunks_exact_mut(elements.max(1))) {
        for ((shared, average), share) in shared.iter_mut().zip(averages).zip(&shares) {
            *shared = *average * *share;
        }
        for (z, first_z) in along(z_axis) {
            for (y, first_y) in along(y_axis) {
                for (x, first_x) in along(x_axis) {
                    for (step_z, z) in z.clone().enumerate() {
                        let row = first_z + step_z * z_axis.window.stride as usize;
                        for (step_y, y) in y.clone().enumerate() {
                            let row = row * y_axis.image + first_y + step_y * y_axis.window.stride as usize;
                            let to = &mut image[row * x_axis.image + first_x..];
                            let from = &shared[(z * y_axis.windows + y) * x_axis.windows..][x.clone()];
                            for (to, from) in to.iter_mut().step_by(x_axis.window.stride as usize).zip(from) {
                                *to = *to + *from;
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What each element of a window sees along an axis, if anything.
fn along(span: &Span) -> impl Iterator<Item = (Range<usize>, usize)> + use<'_> {
    let WindowAxis { stride, dilation, pad_begin, .. } = span.window;
    let steps = Steps { stride, dilation, pad_begin, image: span.image, windows: span.windows };
    (0..span.window.kernel).map(move |element| steps.seeing(element)).filter(|(windows, _)| !windows.is_empty())
}
