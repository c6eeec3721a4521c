//! `ResizeError`: what can be wrong with a resize, with the values involved.

use stratal_tensor_base::Shape;

/// A resize that cannot be done.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResizeError {
    /// No such axis.
    #[error("axis {axis} is out of range for {shape}")]
    Axis {
        /// The axis asked for.
        axis: i64,
        /// The operand's shape.
        shape: Shape,
    },
    /// An axis is resized twice.
    #[error("axis {axis} is resized twice")]
    RepeatedAxis {
        /// The axis.
        axis: usize,
    },
    /// A factor is a positive, finite number.
    #[error("cannot resize by a factor of {factor}")]
    Factor {
        /// The factor.
        factor: f64,
    },
    /// The result is longer than an axis may be.
    #[error("{extent} elements times {factor} are too many for an axis")]
    TooLong {
        /// The operand's extent.
        extent: u32,
        /// The factor.
        factor: f64,
    },
    /// The result's extent does not follow from the factor.
    #[error("cannot resize axis {axis} from {from} elements to {to} by a factor of {factor}")]
    Extent {
        /// The axis.
        axis: usize,
        /// The operand's extent.
        from: u32,
        /// The result's extent.
        to: u32,
        /// The factor.
        factor: f64,
    },
    /// Nothing cannot be interpolated.
    #[error("cannot resize axis {axis} from 0 elements to {to}")]
    Empty {
        /// The axis.
        axis: usize,
        /// The result's extent.
        to: u32,
    },
    /// The region is not a pair of numbers.
    #[error("cannot crop axis {axis} to the region from {start} to {end}")]
    Region {
        /// The axis.
        axis: usize,
        /// The region's start.
        start: f64,
        /// The region's end.
        end: f64,
    },
    /// The coefficient of cubic interpolation is not a number.
    #[error("the cubic coefficient is {coefficient}: expected a finite number")]
    Coefficient {
        /// The coefficient.
        coefficient: f64,
    },
}
