//! `Window`: which elements of an image each output sees.

use stratal_tensor_base::Shape;

use super::PoolingError;
use crate::KernelError;

/// A window that moves over images of shape (batch, channels, ...): one [`WindowAxis`] for each axis after the channels.
///
/// ```
/// use stratal_kernels::pool::{Window, WindowAxis};
/// use stratal_tensor_base::Shape;
///
/// let axis = WindowAxis { kernel: 3, stride: 2, pad_begin: 1, pad_end: 1, ..WindowAxis::default() };
/// let window = Window { axes: vec![axis; 2], ceil: false };
/// assert_eq!(window.output_shape(&Shape::new(&[1, 64, 112, 112])?)?, Shape::new(&[1, 64, 56, 56])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// One to three axes, outermost first.
    pub axes: Vec<WindowAxis>,
    /// Whether the number of windows is rounded up: a last window may then reach past the padding behind the image, but
    /// one that would start there is dropped (ONNX, `ceil_mode`).
    pub ceil: bool,
}

/// A window along one axis: output `o` sees the elements `o * stride - pad_begin + i * dilation` for `i` below `kernel`, as
/// far as they are inside the image.
///
/// The default is a window of one element that moves by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowAxis {
    /// Elements of the window, at least 1.
    pub kernel: i64,
    /// Elements between the starts of neighbouring windows, at least 1.
    pub stride: i64,
    /// Elements between neighbours within a window, at least 1.
    pub dilation: i64,
    /// Padding before the image, below the kernel.
    pub pad_begin: i64,
    /// Padding behind the image, below the kernel.
    pub pad_end: i64,
}

/// Padding that follows from the extent (ONNX, `auto_pad`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AutoPad {
    /// None.
    Valid,
    /// As many windows as strides begin in the image; of an odd padding the larger half is at the end.
    SameUpper,
    /// As many windows as strides begin in the image; of an odd padding the larger half is at the beginning.
    SameLower,
}

impl Default for WindowAxis {
    fn default() -> Self {
        Self { kernel: 1, stride: 1, dilation: 1, pad_begin: 0, pad_end: 0 }
    }
}

impl WindowAxis {
    /// The same window with padding that follows from the extent. A window that needs none, since strides reach further
    /// than it, gets none.
    ///
    /// # Errors
    /// [`PoolingError::BelowOne`] and [`PoolingError::TooLong`], with axis 0.
    pub fn with_auto_pad(self, padding: AutoPad, extent: u32) -> Result<Self, KernelError> {
        self.check_steps(0)?;
        if padding == AutoPad::Valid {
            return Ok(Self { pad_begin: 0, pad_end: 0, ..self });
        }
        let (extent, stride) = (i128::from(extent), i128::from(self.stride));
        let windows = (extent + stride - 1) / stride;
        let total = ((windows - 1).max(0) * stride + self.reach() - extent).max(0);
        // What does not fit an i64 is no padding that a check would let pass.
        let [less, more] = [total / 2, total - total / 2].map(|half| i64::try_from(half).unwrap_or(i64::MAX));
        let (pad_begin, pad_end) = if padding == AutoPad::SameUpper { (less, more) } else { (more, less) };
        Ok(Self { pad_begin, pad_end, ..self })
    }

    /// From the first element of the window to the last, both included.
    fn reach(self) -> i128 {
        (i128::from(self.kernel) - 1) * i128::from(self.dilation) + 1
    }

    fn check_steps(self, axis: usize) -> Result<(), PoolingError> {
        let steps = [("kernel", self.kernel), ("stride", self.stride), ("dilation", self.dilation)];
        if let Some((what, value)) = steps.into_iter().find(|(_, value)| *value < 1) {
            return Err(PoolingError::BelowOne { what, axis, value });
        }
        // Pads are below it, so no position of a window overflows.
        let (kernel, most) = (self.kernel, i32::MAX.into());
        if kernel > most { Err(PoolingError::TooLong { axis, kernel, most }) } else { Ok(()) }
    }

    /// The number of windows on an image that is not empty.
    fn output_extent(self, axis: usize, extent: u32, ceil: bool) -> Result<i64, PoolingError> {
        self.check_steps(axis)?;
        let Self { kernel, stride, pad_begin, pad_end, .. } = self;
        let is_inside = |pad: i64| (0..kernel).contains(&pad);
        if !is_inside(pad_begin) || !is_inside(pad_end) {
            return Err(PoolingError::Padding { axis, begin: pad_begin, end: pad_end, kernel });
        }
        let image = i128::from(extent);
        let (begin, padding) = (i128::from(pad_begin), i128::from(pad_begin) + i128::from(pad_end));
        let room = image + padding - self.reach();
        let stride = i128::from(stride);
        let clamp = |value: i128| i64::try_from(value).unwrap_or(i64::MAX);
        if room < 0 {
            let (reach, padding) = (clamp(self.reach()), clamp(padding));
            return Err(PoolingError::NoOutput { axis, reach, extent, padding });
        }
        let mut windows = room / stride + 1;
        // One more that is cut off at the end, unless it would start behind image and leading padding.
        if ceil && room % stride != 0 && windows * stride < image + begin {
            windows += 1;
        }
        Ok(clamp(windows))
    }
}

impl Window {
    /// A window that sees each image whole.
    ///
    /// # Errors
    /// [`PoolingError::Rank`] unless the shape has a batch, channels and one to three axes more.
    pub fn global(images: &Shape) -> Result<Self, KernelError> {
        let axes = images.rank().saturating_sub(2);
        if !(1..=3).contains(&axes) {
            return Err(PoolingError::AxisCount { axes }.into());
        }
        let axis = |extent: &u32| WindowAxis { kernel: (*extent).into(), ..WindowAxis::default() };
        Ok(Self { axes: images.extents()[2..].iter().map(axis).collect(), ceil: false })
    }

    /// The shape of the result for images of a shape.
    ///
    /// # Errors
    /// Those of [`PoolingError`] that concern windows, and [`KernelError::Shape`].
    pub fn output_shape(&self, images: &Shape) -> Result<Shape, KernelError> {
        let axes = self.axes.len();
        if !(1..=3).contains(&axes) {
            return Err(PoolingError::AxisCount { axes }.into());
        }
        if images.rank() != axes + 2 {
            return Err(PoolingError::Rank { axes, shape: *images }.into());
        }
        let mut extents: Vec<i64> = images.extents().iter().map(|extent| i64::from(*extent)).collect();
        for (axis, window) in self.axes.iter().enumerate() {
            let extent = images.extents()[axis + 2];
            window.check_steps(axis)?;
            if extent == 0 {
                return Err(PoolingError::EmptyImage { axis, shape: *images }.into());
            }
            extents[axis + 2] = window.output_extent(axis, extent, self.ceil)?;
        }
        Ok(Shape::new(&extents)?)
    }

    /// Whether each of these windows touches its image.
    pub(crate) fn check_touches(&self, images: &Shape, result: &Shape) -> Result<(), PoolingError> {
        for (axis, window) in self.axes.iter().enumerate() {
            let span = Span::new(window, images.extents()[axis + 2]);
            for position in 0..result.extents()[axis + 2] as usize {
                if span.inside(position).is_empty() {
                    let (start, dilation, extent) = (span.start(position), window.dilation, span.extent as u32);
                    return Err(PoolingError::Untouched { axis, position, start, dilation, extent });
                }
            }
        }
        Ok(())
    }
}

/// A checked window along an axis of a certain extent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub(crate) kernel: i64,
    pub(crate) stride: i64,
    pub(crate) dilation: i64,
    pub(crate) pad_begin: i64,
    pub(crate) pad_end: i64,
    pub(crate) extent: i64,
}

impl Span {
    pub(crate) fn new(window: &WindowAxis, extent: u32) -> Self {
        let WindowAxis { kernel, stride, dilation, pad_begin, pad_end } = *window;
        Self { kernel, stride, dilation, pad_begin, pad_end, extent: extent.into() }
    }

    /// Where a window starts; positions of a checked result do not overflow.
    pub(crate) fn start(&self, position: usize) -> i64 {
        position as i64 * self.stride - self.pad_begin
    }

    /// Which elements of a window are inside the image, by number.
    pub(crate) fn inside(&self, position: usize) -> std::ops::Range<i64> {
        let start = self.start(position);
        let first = if start < 0 { (-start + self.dilation - 1) / self.dilation } else { 0 };
        let end = if start < self.extent { (self.extent - 1 - start) / self.dilation + 1 } else { 0 };
        first..end.min(self.kernel)
    }

    /// How many elements of a window are inside the image, and inside image and padding.
    pub(crate) fn counts(&self, position: usize) -> [u64; 2] {
        let inside = self.inside(position);
        let padded_end = self.extent + self.pad_end;
        let within = ((padded_end - 1 - self.start(position)) / self.dilation + 1).min(self.kernel);
        [(inside.end - inside.start).max(0) as u64, within.max(0) as u64]
    }
}
