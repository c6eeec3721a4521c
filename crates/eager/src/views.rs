//! Views: variables that share the elements of others, and whose gradients find the right places.

use std::sync::Arc;

use smallvec::SmallVec;
use stratal_autograd::{AutogradError, Differentiable, OpKind, Recording, RuleCall, RuleError, Rules};
use stratal_tensor::Tensor;
use stratal_tensor_base::Shape;

use crate::derivative::zeros;
use crate::{EagerError, Var};

/// Each of these shares the elements of this variable, except [`reshape`](Self::reshape) where strides do not allow it, and is
/// an operation like any other: gradients go back to where the elements are.
impl Var {
    /// The same elements in another shape; one extent may be -1.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] unless the shape holds as many elements.
    pub fn reshape(&self, extents: &[i64]) -> Result<Self, EagerError> {
        View::Reshape(extents.into()).of(self)
    }

    /// All axes from one to another, which is part of it, as one. Negative ones count from the end.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] for axes that do not exist.
    pub fn flatten(&self, first: i64, last: i64) -> Result<Self, EagerError> {
        let (first, last) = (self.shape().axis(first)?, self.shape().axis(last)?);
        let extents = extents(self.shape());
        if first > last {
            return Err(EagerError::Unfit(format!("cannot flatten axes {first} to {last}")));
        }
        let joined = extents[first..=last].iter().product();
        let around = extents[..first].iter().chain([&joined]).chain(&extents[last + 1..]);
        self.reshape(&around.copied().collect::<Vec<_>>())
    }

    /// The axes in another order.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] unless each axis occurs once.
    pub fn permute(&self, axes: &[i64]) -> Result<Self, EagerError> {
        View::Permute(axes.into()).of(self)
    }

    /// Two axes exchanged.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] for axes that do not exist.
    pub fn transpose(&self, first: i64, second: i64) -> Result<Self, EagerError> {
        let (first, second) = (self.shape().axis(first)?, self.shape().axis(second)?);
        let mut axes: SmallVec<[i64; 8]> = (0..self.rank() as i64).collect();
        axes.swap(first, second);
        View::Permute(axes).of(self)
    }

    /// The last two axes exchanged.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] at rank 0 and 1.
    pub fn t(&self) -> Result<Self, EagerError> {
        self.transpose(-2, -1)
    }

    /// Without these axes, which have extent 1.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] for other extents.
    pub fn squeeze(&self, axes: &[i64]) -> Result<Self, EagerError> {
        let shape = *self.tensor().squeeze(axes)?.shape();
        self.reshape(&extents(&shape))
    }

    /// With one more axis, of extent 1.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] for an axis that the result does not have.
    pub fn unsqueeze(&self, axis: i64) -> Result<Self, EagerError> {
        let shape = *self.tensor().unsqueeze(axis)?.shape();
        self.reshape(&extents(&shape))
    }

    /// Every `step`-th element along an axis from `start` to before `stop`, as in Python.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] for an axis that does not exist, or a step of 0.
    pub fn slice(&self, axis: i64, start: Option<i64>, stop: Option<i64>, step: i64) -> Result<Self, EagerError> {
        View::Window(Window::Slice { axis, start, stop, step }).of(self)
    }

    /// So many elements along an axis, from `start` on.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] for elements that are not there.
    pub fn narrow(&self, axis: i64, start: i64, length: i64) -> Result<Self, EagerError> {
        View::Window(Window::Narrow { axis, start, length }).of(self)
    }

    /// What is at one index of an axis, without that axis.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] for an index that does not exist.
    pub fn select(&self, axis: i64, index: i64) -> Result<Self, EagerError> {
        View::Window(Window::Select { axis, index }).of(self)
    }

    /// A diagonal of two axes, as the last axis.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] for axes that do not exist.
    pub fn diagonal(&self, offset: i64, first: i64, second: i64) -> Result<Self, EagerError> {
        View::Window(Window::Diagonal { offset, first, second }).of(self)
    }

    /// Backwards along axes.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] for axes that do not exist.
    pub fn flip(&self, axes: &[i64]) -> Result<Self, EagerError> {
        View::Flip(axes.into()).of(self)
    }

    /// The same elements again and again, along new axes and those of extent 1. An extent of -1 stays what it is.
    ///
    /// # Errors
    /// [`EagerError::Tensor`] unless the shape broadcasts to these extents.
    pub fn expand(&self, extents: &[i64]) -> Result<Self, EagerError> {
        View::Expand(extents.into()).of(self)
    }

    /// [`expand`](Self::expand) to a shape.
    pub(crate) fn expand_to(&self, shape: &Shape) -> Result<Self, EagerError> {
        if self.shape() == shape { Ok(self.clone()) } else { self.expand(&extents(shape)) }
    }

    /// The same elements with a place of their own in the graph.
    pub(crate) fn alias(&self) -> Result<Self, EagerError> {
        self.reshape(&extents(self.shape()))
    }

    /// [`reshape`](Self::reshape) to a shape.
    pub(crate) fn reshape_to(&self, shape: &Shape) -> Result<Self, EagerError> {
        if self.shape() == shape { Ok(self.clone()) } else { self.reshape(&extents(shape)) }
    }

    /// The sum of all that was broadcast from a shape: what undoes [`expand_to`](Self::expand_to).
    pub(crate) fn sum_to(&self, shape: &Shape) -> Result<Self, EagerError> {
        if self.shape() == shape {
            return Ok(self.clone());
        }
        let new = self.rank() - shape.rank();
        let broadcast =
            (0..self.rank()).filter(|&axis| axis < new || shape.extent(axis - new) != self.shape().extent(axis));
        let axes: SmallVec<[i64; 8]> = broadcast.map(|axis| axis as i64).collect();
        if axes.is_empty() {
            return self.reshape_to(shape);
        }
        self.sum(&axes, true)?.reshape_to(shape)
    }

    /// Zeros of a shape, with this variable from an index of an axis on.
    pub(crate) fn placed_along(&self, shape: &Shape, axis: i64, start: i64) -> Result<Self, EagerError> {
        let length = self.extent(axis)? as i64;
        self.placed(shape, &Window::Narrow { axis, start, length })
    }

    /// Zeros of a shape, with this variable in a window of them.
    pub(crate) fn placed(&self, shape: &Shape, window: &Window) -> Result<Self, EagerError> {
        let recording = start(PLACE, self, || Place { window: window.clone() });
        let zeros = zeros(shape, self.dtype())?;
        window.of(zeros.tensor())?.copy_from(self.tensor())?;
        Ok(Self(recording.finish(zeros.0.into_tensor())?))
    }
}

/// The extents of a shape, as requests are made of them.
pub(crate) fn extents(shape: &Shape) -> SmallVec<[i64; 8]> {
    shape.extents().iter().map(|&extent| extent.into()).collect()
}

/// A part of a tensor, seen as a view.
#[derive(Debug, Clone)]
pub(crate) enum Window {
    Slice {
        axis: i64,
        start: Option<i64>,
        stop: Option<i64>,
        step: i64,
    },
    Narrow {
        axis: i64,
        start: i64,
        length: i64,
    },
    Select {
        axis: i64,
        index: i64,
    },
    Diagonal {
        offset: i64,
        first: i64,
        second: i64,
    },
    /// A part of a part.
    Nested(Vec<Window>),
}

impl Window {
    fn of(&self, tensor: &Tensor) -> Result<Tensor, EagerError> {
        Ok(match self {
            &Self::Slice { axis, start, stop, step } => tensor.slice(axis, start, stop, step)?,
            &Self::Narrow { axis, start, length } => tensor.narrow(axis, start, length)?,
            &Self::Select { axis, index } => tensor.select(axis, index)?,
            &Self::Diagonal { offset, first, second } => tensor.diagonal(offset, first, second)?,
            Self::Nested(windows) => windows.iter().try_fold(tensor.clone(), |tensor, window| window.of(&tensor))?,
        })
    }
}

/// A view, as its record keeps it.
#[derive(Debug, Clone)]
enum View {
    Reshape(SmallVec<[i64; 8]>),
    Permute(SmallVec<[i64; 8]>),
    Flip(SmallVec<[i64; 8]>),
    Expand(SmallVec<[i64; 8]>),
    Window(Window),
}

/// What a record of [`Var::placed`] keeps.
#[derive(Debug)]
struct Place {
    window: Window,
}

const RESHAPE: OpKind = OpKind::new("reshape");
const PERMUTE: OpKind = OpKind::new("permute");
const FLIP: OpKind = OpKind::new("flip");
const EXPAND: OpKind = OpKind::new("expand");
const WINDOW: OpKind = OpKind::new("window");
const PLACE: OpKind = OpKind::new("place");

impl View {
    fn kind(&self) -> OpKind {
        match self {
            Self::Reshape(_) => RESHAPE,
            Self::Permute(_) => PERMUTE,
            Self::Flip(_) => FLIP,
            Self::Expand(_) => EXPAND,
            Self::Window(_) => WINDOW,
        }
    }

    fn of(self, var: &Var) -> Result<Var, EagerError> {
        let tensor = var.tensor();
        let seen = match &self {
            Self::Reshape(extents) => tensor.reshape(extents)?,
            Self::Permute(axes) => tensor.permute(axes)?,
            Self::Flip(axes) => tensor.flip(axes)?,
            Self::Expand(extents) => tensor.expand(extents)?,
            Self::Window(window) => window.of(tensor)?,
        };
        let recording = start(self.kind(), var, || self);
        Ok(Var(recording.finish(seen)?))
    }

    /// The gradient of what was seen, of a shape.
    fn backward(&self, gradient: &Var, shape: &Shape) -> Result<Var, EagerError> {
        match self {
            Self::Reshape(_) => gradient.reshape_to(shape),
            Self::Permute(axes) => {
                let rank = axes.len() as i64;
                let mut inverse: SmallVec<[i64; 8]> = (0..rank).collect();
                for (to, &from) in axes.iter().enumerate() {
                    inverse[from.rem_euclid(rank) as usize] = to as i64;
                }
                gradient.permute(&inverse)
            }
            Self::Flip(axes) => gradient.flip(axes),
            Self::Expand(_) => gradient.sum_to(shape),
            Self::Window(window) => gradient.placed(shape, window),
        }
    }
}

/// Starts to record an operation of one operand, with attributes that are made if they are kept.
fn start<'a, T: Send + Sync + 'static>(kind: OpKind, var: &'a Var, attributes: impl FnOnce() -> T) -> Recording<'a> {
    let mut recording = Recording::start(kind, &[&var.0]);
    if recording.is_active() {
        recording.attributes(Arc::new(attributes()));
    }
    recording
}

/// Adds the rules of views.
pub(crate) fn register(rules: &mut Rules) -> Result<(), AutogradError> {
    for kind in [RESHAPE, PERMUTE, FLIP, EXPAND, WINDOW] {
        rules.register(
            kind,
            Differentiable(|call: &RuleCall<'_>| {
                let view = call.record().attributes::<View>().ok_or_else(|| lost(call))?;
                let gradient = Var(call.only_gradient()?.clone());
                Ok([view.backward(&gradient, &call.record().inputs()[0].shape)?.0].into())
            }),
        )?;
    }
    rules.register(
        PLACE,
        Differentiable(|call: &RuleCall<'_>| {
            let Place { window } = call.record().attributes::<Place>().ok_or_else(|| lost(call))?;
            let gradient = Var(call.only_gradient()?.clone());
            Ok([View::Window(window.clone()).of(&gradient)?.0].into())
        }),
    )
}

fn lost(call: &RuleCall<'_>) -> RuleError {
    EagerError::Unfit(format!("the record of {} holds no view", call.record().op())).into()
}
