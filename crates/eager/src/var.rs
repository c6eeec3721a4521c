//! `Var`: a tensor that knows where it came from.

use std::fmt;

use stratal_autograd::{Edge, Hook, HookHandle, Variable};
use stratal_tensor::Tensor;
use stratal_tensor_base::{DType, Element, Scalar, Shape};

use crate::{EagerError, engine};

/// A tensor that knows where it came from, so that gradients find their way back.
///
/// A clone is the same variable: it shares elements, place in the graph and gradient. Methods return a `Result`; the operators
/// `+`, `-`, `*`, `/` and unary `-` on references compute the same, and panic with the error's text where the methods return it.
///
/// ```
/// use stratal_eager::Var;
///
/// let x = Var::leaf(&[1.0_f32, 2.0, 3.0], &[3])?;
/// let y = (&x * &x).sum(&[], false)?;
/// y.backward()?;
/// assert_eq!(x.gradient().unwrap().to_vec::<f32>()?, [2.0, 4.0, 6.0]);
/// # Ok::<(), stratal_eager::EagerError>(())
/// ```
#[derive(Clone)]
pub struct Var(pub(crate) Variable);

impl Var {
    /// A constant: a tensor that needs no gradient.
    pub fn constant(tensor: Tensor) -> Self {
        Self(Variable::constant(tensor))
    }

    /// A constant of these elements.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] unless there are as many as the extents say.
    pub fn from_slice<T: Element>(elements: &[T], extents: &[i64]) -> Result<Self, EagerError> {
        Ok(Self::constant(Tensor::from_slice(elements, extents)?))
    }

    /// A leaf of these elements: a variable whose gradient is collected.
    ///
    /// # Errors
    /// Those of [`from_slice`](Self::from_slice), and [`EagerError::Autograd`] for elements that have no gradient.
    pub fn leaf<T: Element>(elements: &[T], extents: &[i64]) -> Result<Self, EagerError> {
        Self::parameter(Tensor::from_slice(elements, extents)?)
    }

    /// A leaf over a tensor, whose memory it shares: a variable whose gradient is collected.
    ///
    /// # Errors
    /// [`EagerError::Autograd`] for a dtype without gradients, or a blocked tensor.
    pub fn parameter(tensor: Tensor) -> Result<Self, EagerError> {
        Ok(Self(Variable::leaf(tensor)?))
    }

    /// One number in each place.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] for extents beyond the limits, or a number that the dtype cannot hold.
    pub fn full(extents: &[i64], value: impl Into<Scalar>, dtype: DType) -> Result<Self, EagerError> {
        Ok(Self::constant(Tensor::full(extents, value, dtype)?))
    }

    /// The same elements, without a way back.
    #[must_use]
    pub fn detach(&self) -> Self {
        Self(self.0.detach())
    }

    /// The same elements as a leaf of its own. This variable stays what it was.
    ///
    /// # Errors
    /// Those of [`parameter`](Self::parameter).
    pub fn with_requires_grad(&self) -> Result<Self, EagerError> {
        Ok(Self(self.0.with_requires_grad()?))
    }

    /// Whether a gradient is wanted.
    pub fn requires_grad(&self) -> bool {
        self.0.requires_grad()
    }

    /// Whether no operation made this variable.
    pub fn is_leaf(&self) -> bool {
        self.0.is_leaf()
    }

    /// The extents.
    pub fn shape(&self) -> &Shape {
        self.0.shape()
    }

    /// The number of axes.
    pub fn rank(&self) -> usize {
        self.shape().rank()
    }

    /// The extent of an axis, counted from the end if it is negative.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] for an axis that does not exist.
    pub fn extent(&self, axis: i64) -> Result<usize, EagerError> {
        Ok(self.shape().extent(self.shape().axis(axis)?))
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.0.dtype()
    }

    /// The tensor, as a plain handle: what is written through it is not refused, but found by whoever saved it.
    pub fn tensor(&self) -> &Tensor {
        self.0.tensor()
    }

    /// The variable of the layer below, which custom rules and engines work with.
    pub fn as_variable(&self) -> &Variable {
        &self.0
    }

    /// Where the gradient goes.
    pub fn edge(&self) -> &Edge {
        self.0.edge()
    }

    /// All elements, in row-major order.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] for another element type, a stale tensor or one that is being written.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>, EagerError> {
        Ok(self.tensor().to_vec()?)
    }

    /// The only element, as f64.
    ///
    /// # Errors
    /// [`EagerError::Unfit`] unless there is one element, [`EagerError::Tensor`] when it cannot be read.
    pub fn item(&self) -> Result<f64, EagerError> {
        let tensor = self.tensor();
        if tensor.count() != 1 {
            return Err(EagerError::Unfit(format!("cannot take one item of shape {}", self.shape())));
        }
        let index = [0; stratal_tensor_base::MAX_RANK];
        Ok(stratal_tensor_base::match_dtype!(self.dtype(), T => {
            Scalar::from(tensor.item::<T>(&index[..tensor.rank()])?).cast()
        }))
    }

    /// The gradient collected so far, if this is a leaf that has one.
    pub fn gradient(&self) -> Option<Tensor> {
        self.0.gradient()
    }

    /// Forgets the gradient collected so far.
    pub fn clear_gradient(&self) {
        if let Some(slot) = self.edge().slot() {
            slot.clear();
        }
    }

    /// Puts another gradient in the place of the one there.
    ///
    /// # Errors
    /// [`EagerError::Autograd`] for one that does not fit, [`EagerError::Unfit`] if this is no leaf.
    pub fn set_gradient(&self, gradient: Tensor) -> Result<(), EagerError> {
        let slot = self.edge().slot().ok_or_else(|| EagerError::Unfit("only a leaf collects a gradient".into()))?;
        slot.replace(gradient)?;
        Ok(())
    }

    /// Adds the gradient of this variable, which has one element, to all leaves that it depends on, and lets go of the graph.
    ///
    /// # Errors
    /// [`EagerError::Autograd`]: no element or several, nothing to go back to, or a saved tensor that was overwritten.
    pub fn backward(&self) -> Result<(), EagerError> {
        Ok(engine()?.backward(&self.0)?)
    }

    /// [`backward`](Self::backward) for a variable of any shape, from a gradient of its own.
    ///
    /// # Errors
    /// Those of [`backward`](Self::backward), and a gradient that does not fit.
    pub fn backward_from(&self, gradient: &Self) -> Result<(), EagerError> {
        let output = stratal_autograd::Output::with_gradient(&self.0, gradient.0.clone());
        Ok(engine()?.backward_from(&[output], stratal_autograd::BackwardOptions::default())?)
    }

    /// Replaces the elements by those of a tensor that broadcasts to them, as the step of an optimiser does.
    ///
    /// It is no part of any graph, so gradients need not be off. Whoever saved the elements before finds them overwritten.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] for another dtype, a shape that does not fit, or elements in use.
    pub fn set_data(&self, data: &Tensor) -> Result<(), EagerError> {
        Ok(self.tensor().copy_from(data)?)
    }

    /// Has a function see each complete gradient of this variable, and replace it if it returns another.
    ///
    /// # Errors
    /// [`EagerError::Autograd`] if this variable needs no gradient.
    pub fn register_hook(&self, hook: impl Hook + 'static) -> Result<HookHandle, EagerError> {
        Ok(self.0.register_hook(hook)?)
    }

    /// A scalar of the dtype of this variable.
    pub(crate) fn number(&self, value: f64) -> Result<Self, EagerError> {
        number(self.dtype(), value)
    }
}

/// A scalar constant.
pub(crate) fn number(dtype: DType, value: f64) -> Result<Var, EagerError> {
    Ok(Var::constant(stratal_tensor_base::match_dtype!(dtype, T => {
        Tensor::scalar::<T>(Scalar::from(value).cast())?
    })))
}

impl From<Tensor> for Var {
    fn from(tensor: Tensor) -> Self {
        Self::constant(tensor)
    }
}

impl From<Variable> for Var {
    fn from(variable: Variable) -> Self {
        Self(variable)
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Var {} {:?}, edge: {:?}", self.dtype(), self.shape(), self.edge())
    }
}

impl fmt::Display for Var {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.tensor(), formatter)
    }
}
