//! `Fact`: what is known of a tensor without its data.

use stratal_kernels::AnyView;
use stratal_tensor_base::{Bool, DType, Scalar, Shape, match_dtype};

use crate::{Extent, SymbolicShape};

/// What is known of a tensor before it is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// The dtype.
    pub dtype: DType,
    /// The extents; none if not even their number is known.
    pub shape: Option<SymbolicShape>,
    /// The elements in row-major order, where shapes are computed from them.
    pub elements: Option<Elements>,
}

/// The elements of a small tensor, such as the extents that `Reshape` is given.
#[derive(Debug, Clone, PartialEq)]
pub enum Elements {
    /// Integers or truths, which may be expressions of symbols.
    Integers(Vec<Extent>),
    /// Floating-point numbers.
    Floats(Vec<f64>),
}

/// The most elements that a fact holds. More than any shape has axes, and than any operator computes shapes from.
pub const MAX_FACT_ELEMENTS: usize = 1024;

impl Fact {
    /// A tensor of a shape, of whose elements nothing is known.
    pub fn new(dtype: DType, shape: impl Into<SymbolicShape>) -> Self {
        Self { dtype, shape: Some(shape.into()), elements: None }
    }

    /// A tensor of which the dtype alone is known.
    pub const fn of_dtype(dtype: DType) -> Self {
        Self { dtype, shape: None, elements: None }
    }

    /// A vector of integers, such as a shape.
    pub fn of_extents(dtype: DType, extents: Vec<Extent>) -> Self {
        let shape = SymbolicShape::from([extents.len() as i64]);
        Self { dtype, shape: Some(shape), elements: Some(Elements::Integers(extents)) }
    }

    /// What a view shows: its shape, and its elements if there are few.
    pub fn of_view(view: &AnyView<'_>) -> Self {
        Self { elements: elements(view), ..Self::of_shape(view.dtype(), view.shape()) }
    }

    /// A tensor of a shape that is known.
    pub fn of_shape(dtype: DType, shape: &Shape) -> Self {
        Self::new(dtype, shape)
    }

    /// With elements, which are dropped if they are too many.
    #[must_use]
    pub fn with_elements(mut self, elements: Option<Elements>) -> Self {
        self.elements = elements.filter(|elements| elements.len() <= MAX_FACT_ELEMENTS);
        self
    }

    /// The elements, if they are integers or truths.
    pub fn integers(&self) -> Option<&[Extent]> {
        match self.elements.as_ref()? {
            Elements::Integers(integers) => Some(integers),
            Elements::Floats(_) => None,
        }
    }

    /// The elements, if they are integers or truths and all are known.
    pub fn known_integers(&self) -> Option<Vec<i64>> {
        self.integers()?.iter().map(Extent::known).collect()
    }

    /// The elements as numbers, if all are known.
    pub fn known_numbers(&self) -> Option<Vec<f64>> {
        match self.elements.as_ref()? {
            Elements::Integers(integers) => integers.iter().map(|extent| Some(extent.known()? as f64)).collect(),
            Elements::Floats(floats) => Some(floats.clone()),
        }
    }
}

impl Elements {
    /// How many there are.
    pub const fn len(&self) -> usize {
        match self {
            Self::Integers(integers) => integers.len(),
            Self::Floats(floats) => floats.len(),
        }
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The elements of a small view; none of integers beyond 63 bits.
fn elements(view: &AnyView<'_>) -> Option<Elements> {
    if view.shape().count() > MAX_FACT_ELEMENTS {
        return None;
    }
    let dtype = view.dtype();
    if dtype.is_float() {
        let numbers = match_dtype!(dtype, T => view.typed::<T>()?.iter().map(|x| Scalar::from(x).cast()).collect());
        return Some(Elements::Floats(numbers));
    }
    if let Some(truths) = view.typed::<Bool>() {
        let integers = truths.iter().map(|truth| i64::from(bool::from(truth)).into()).collect();
        return Some(Elements::Integers(integers));
    }
    let integers = match_dtype!(dtype, T => {
        view.typed::<T>()?.iter().map(|x| Scalar::from(x).try_cast().ok().map(<i64 as Into<Extent>>::into)).collect::<Option<_>>()
    });
    integers.map(Elements::Integers)
}
