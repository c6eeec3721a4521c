//! Resizing: elements of a result at coordinates between the elements of an operand (ONNX, `Resize`).
//!
//! # The rules
//! - Axes are resized one after the other in ascending order, each to its end, rounding between them; so the result is the
//!   product of one-dimensional interpolations.
//! - A coordinate follows from the exact ratio of extents, in integers, where [`Scale::Extents`] says so; from a factor it
//!   is computed in f64.
//! - Weights are computed in f64. Those of elements that lie outside the operand go to the element at its end, added in
//!   ascending order, or are left out and the others divided by their sum (`exclude_outside`). Weights of zero are dropped,
//!   so that what falls onto an element is that element.
//! - Products are added from the lowest index up, multiplied and added one after the other: in f32 with weights rounded to
//!   f32 for f32, 16-bit floats and integers of up to 16 bits; in f64 for f64 and the wider integers. 16-bit floats are
//!   narrowed once at the end; integers are rounded half to even and saturate.
//! - The nearest element is moved, bits unchanged, of any dtype.

mod coordinates;
pub(crate) mod driver;
mod error;
pub(crate) mod table;

pub use error::ResizeError;
use stratal_tensor_base::Shape;

use crate::KernelError;

/// How an operand is resized.
///
/// ```
/// use stratal_kernels::resize::{Coordinates, Interpolation, Resize, ResizeAxis};
/// use stratal_kernels::{Kernels, Selection};
/// use stratal_tensor::{View, ViewMut};
/// use stratal_tensor_base::{Geometry, Shape};
///
/// let resize = Resize { axes: vec![ResizeAxis::of_extents(0)], ..Resize::new(Interpolation::Linear, Coordinates::HalfPixel) };
/// let x = [0.0_f32, 4.0];
/// let mut result = [0.0_f32; 4];
/// let geometry = |extent| Shape::new(&[extent]).map(Geometry::contiguous);
/// let kernels = Selection::new().kernels()?;
/// let (x, to) = (View::new(&x, geometry(2)?)?, ViewMut::new(&mut result, geometry(4)?)?);
/// kernels.resize(&resize, &x.into(), &mut to.into())?;
/// assert_eq!(result, [0.0, 1.0, 3.0, 4.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Resize {
    /// What is made of the elements near a coordinate.
    pub interpolation: Interpolation,
    /// Which coordinate of the operand each element of the result has.
    pub coordinates: Coordinates,
    /// The axes that change, each at most once. All others have equal extents.
    pub axes: Vec<ResizeAxis>,
    /// Whether linear and cubic interpolation look at as many more elements as the result is smaller.
    pub antialias: bool,
    /// Whether elements outside the operand have no weight, instead of being those at its ends.
    pub exclude_outside: bool,
    /// What is outside the operand with [`Coordinates::CropAndResize`].
    pub extrapolation: f32,
}

/// How one axis is resized.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResizeAxis {
    /// The axis; negative ones count from the end.
    pub axis: i64,
    /// How the result's length relates to the operand's.
    pub scale: Scale,
    /// The part that [`Coordinates::CropAndResize`] takes, in lengths of the operand from its first element to its last.
    pub region: [f64; 2],
}

/// How the length of a result relates to the length of its operand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scale {
    /// By the exact ratio of their extents.
    Extents,
    /// By a factor; the result's extent is within 1 of the operand's times that.
    Factor(f64),
}

/// What is made of the elements near a coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Interpolation {
    /// The nearest element.
    Nearest(Nearest),
    /// A line between the two neighbours.
    Linear,
    /// A cubic polynomial through four neighbours (Keys) with this coefficient, usually -0.75 or -0.5.
    Cubic(f64),
}

/// Which element is the nearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nearest {
    /// The nearest, of two the lower.
    RoundPreferFloor,
    /// The nearest, of two the upper.
    RoundPreferCeil,
    /// The next at or below.
    Floor,
    /// The next at or above.
    Ceil,
}

/// Which coordinate `x` of the operand the element `i` of the result has, for extents `n` and `m` and a factor `s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coordinates {
    /// Elements are cells: `(i + 0.5) / s - 0.5`.
    HalfPixel,
    /// Half pixels about the middle of the operand, where the extent `m` is not `n * s`.
    HalfPixelSymmetric,
    /// Half pixels, but 0 for a result of one element.
    PytorchHalfPixel,
    /// The ends fall onto the ends: `i * (n - 1) / (m - 1)`, and 0 for a result of one element.
    AlignCorners,
    /// `i / s`.
    Asymmetric,
    /// The ends fall onto the ends of a region, in the middle of it for a result of one element.
    CropAndResize,
}

impl Resize {
    /// Without axes, antialiasing or exclusion; outside is 0.
    pub const fn new(interpolation: Interpolation, coordinates: Coordinates) -> Self {
        Self {
            interpolation,
            coordinates,
            axes: Vec::new(),
            antialias: false,
            exclude_outside: false,
            extrapolation: 0.0,
        }
    }

    /// The axes in ascending order, each with its number.
    pub(crate) fn sorted_axes(&self, shape: &Shape) -> Result<Vec<(usize, ResizeAxis)>, ResizeError> {
        let mut axes = Vec::new();
        for axis in &self.axes {
            let number = shape.axis(axis.axis).map_err(|_| ResizeError::Axis { axis: axis.axis, shape: *shape })?;
            axes.push((number, *axis));
        }
        axes.sort_by_key(|(axis, _)| *axis);
        match axes.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(ResizeError::RepeatedAxis { axis: pair[0].0 }),
            None => Ok(axes),
        }
    }
}

impl ResizeAxis {
    /// By the exact ratio of extents.
    pub const fn of_extents(axis: i64) -> Self {
        Self { axis, scale: Scale::Extents, region: [0.0, 1.0] }
    }

    /// By a factor.
    pub const fn of_factor(axis: i64, factor: f64) -> Self {
        Self { axis, scale: Scale::Factor(factor), region: [0.0, 1.0] }
    }
}

impl Scale {
    /// The extent of a result that is a factor longer: rounded down from the exact product (ONNX).
    ///
    /// # Errors
    /// [`ResizeError::Factor`] for one that is not a positive number, and [`ResizeError::TooLong`].
    pub fn output_extent(factor: f64, extent: u32) -> Result<u32, KernelError> {
        check_factor(factor)?;
        let product = f64::from(extent) * factor;
        // An f32 times an extent is exact in f64; of other factors the product is rounded once.
        if product >= f64::from(stratal_tensor_base::MAX_EXTENT) + 1.0 {
            return Err(ResizeError::TooLong { extent, factor }.into());
        }
        Ok(product as u32)
    }
}

pub(crate) fn check_factor(factor: f64) -> Result<(), ResizeError> {
    if factor > 0.0 && factor.is_finite() { Ok(()) } else { Err(ResizeError::Factor { factor }) }
}
