//! Initialisers: the first elements of parameters, from a seed.

use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Shape};

use crate::{EagerError, Var};

/// How the first elements of a parameter are drawn.
///
/// Widths follow from how many inputs and outputs an element of the result has to do with: `fan_in` and `fan_out`. Of a matrix
/// `[inputs, outputs]` these are its extents; of the weights of a convolution, `[outputs, inputs, ..]`, each times the size of
/// the window. A single axis counts as both. The same seed gives the same elements.
///
/// ```
/// use stratal_eager::Initializer;
/// use stratal_tensor::base::DType;
///
/// let weight = Initializer::KaimingUniform.parameter(&[64, 32], DType::F32, 7)?;
/// let bound = (6.0_f32 / 64.0).sqrt();
/// assert!(weight.to_vec::<f32>()?.iter().all(|element| element.abs() <= bound));
/// # Ok::<(), stratal_eager::EagerError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Initializer {
    /// All 0, for biases.
    Zeros,
    /// One number.
    Constant(f64),
    /// Evenly between two numbers.
    Uniform(f64, f64),
    /// Normally, by mean and deviation.
    Normal(f64, f64),
    /// Evenly, as Glorot and Bengio have it: up to `sqrt(6 / (fan_in + fan_out))`. For tanh and sigmoid.
    XavierUniform,
    /// Normally, as Glorot and Bengio have it: a deviation of `sqrt(2 / (fan_in + fan_out))`.
    XavierNormal,
    /// Evenly, as He and others have it: up to `sqrt(6 / fan_in)`. For relu.
    KaimingUniform,
    /// Normally, as He and others have it: a deviation of `sqrt(2 / fan_in)`.
    KaimingNormal,
    /// Evenly, up to `1 / sqrt(fan_in)`.
    FanInUniform,
}

impl Initializer {
    /// A parameter of these extents.
    ///
    /// # Errors
    /// [`EagerError::Autograd`] for a dtype without gradients; [`EagerError::Tensor`] for extents beyond the limits, or bounds
    /// that are no numbers.
    pub fn parameter(self, extents: &[i64], dtype: DType, seed: u64) -> Result<Var, EagerError> {
        // A matrix multiplies rows from the left; convolutions have outputs first.
        let shape = Shape::new(extents)?;
        let size: f64 = shape.extents().iter().skip(2).map(|&extent| f64::from(extent)).product();
        let extent = |axis: usize| shape.extents().get(axis).map_or(1.0, |&extent| f64::from(extent)) * size;
        let (fan_in, fan_out) = match shape.rank() {
            0 | 1 => (extent(0), extent(0)),
            2 => (extent(0), extent(1)),
            _ => (extent(1), extent(0)),
        };
        self.parameter_with_fans(extents, dtype, seed, fan_in, fan_out)
    }

    /// A parameter whose fans are not those of its extents.
    ///
    /// # Errors
    /// Those of [`parameter`](Self::parameter).
    pub fn parameter_with_fans(
        self,
        extents: &[i64],
        dtype: DType,
        seed: u64,
        fan_in: f64,
        fan_out: f64,
    ) -> Result<Var, EagerError> {
        let tensor = Tensor::zeros(extents, dtype)?;
        // Nothing is drawn for no elements, whose fans may be 0.
        if !tensor.is_empty() {
            match self {
                Self::Zeros => {}
                Self::Constant(value) => tensor.fill(value)?,
                Self::Uniform(low, high) => tensor.fill_uniform(low, high, seed)?,
                Self::Normal(mean, deviation) => tensor.fill_normal(mean, deviation, seed)?,
                Self::XavierUniform => even(&tensor, (6.0 / (fan_in + fan_out)).sqrt(), seed)?,
                Self::XavierNormal => tensor.fill_normal(0.0, (2.0 / (fan_in + fan_out)).sqrt(), seed)?,
                Self::KaimingUniform => even(&tensor, (6.0 / fan_in).sqrt(), seed)?,
                Self::KaimingNormal => tensor.fill_normal(0.0, (2.0 / fan_in).sqrt(), seed)?,
                Self::FanInUniform => even(&tensor, (1.0 / fan_in).sqrt(), seed)?,
            }
        }
        Var::parameter(tensor)
    }
}

fn even(tensor: &Tensor, bound: f64, seed: u64) -> Result<(), EagerError> {
    Ok(tensor.fill_uniform(-bound, bound, seed)?)
}
