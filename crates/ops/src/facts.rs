//! `Facts`: what a rule is told of an operator's inputs.

use stratal_tensor_base::DType;

use crate::{Cause, Extent, ExtentError, Fact, MAX_FACT_ELEMENTS, SymbolicShape};

/// What is known of an operator's inputs, for its rule.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// What stands before the names of new symbols.
    node: &'a str,
    facts: &'a [Option<&'a Fact>],
}

impl<'a> Facts<'a> {
    /// Inputs by position, none for those left out, of a node with a name.
    pub const fn new(node: &'a str, facts: &'a [Option<&'a Fact>]) -> Self {
        Self { node, facts }
    }

    /// The number of inputs, with those left out.
    pub const fn len(&self) -> usize {
        self.facts.len()
    }

    /// Whether there are no inputs.
    pub const fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// An input that may be left out.
    pub fn get(&self, input: usize) -> Option<&'a Fact> {
        self.facts.get(input).copied().flatten()
    }

    /// An input that must be there.
    ///
    /// # Errors
    /// [`Cause::MissingInput`].
    pub fn required(&self, input: usize) -> Result<&'a Fact, Cause> {
        self.get(input).ok_or(Cause::MissingInput { input })
    }

    /// All inputs that are there, with their positions.
    pub fn present(&self) -> impl Iterator<Item = (usize, &'a Fact)> + use<'a> {
        self.facts.iter().enumerate().filter_map(|(input, fact)| Some((input, (*fact)?)))
    }

    /// The dtype of an input, which must be one of some.
    ///
    /// # Errors
    /// [`Cause::MissingInput`], [`Cause::DType`].
    pub fn dtype(&self, input: usize, expected: &'static [DType]) -> Result<DType, Cause> {
        let dtype = self.required(input)?.dtype;
        if expected.contains(&dtype) { Ok(dtype) } else { Err(Cause::DType { input, dtype, expected }) }
    }

    /// Checks that an input, if it is there, has a dtype.
    ///
    /// # Errors
    /// [`Cause::DTypeMismatch`].
    pub fn check_dtype(&self, input: usize, expected: DType) -> Result<(), Cause> {
        match self.get(input) {
            Some(fact) if fact.dtype != expected => Err(Cause::DTypeMismatch { input, dtype: fact.dtype, expected }),
            _ => Ok(()),
        }
    }

    /// Checks that all inputs that are there have a dtype.
    ///
    /// # Errors
    /// [`Cause::DTypeMismatch`].
    pub fn check_dtypes(&self, expected: DType) -> Result<(), Cause> {
        (0..self.len()).try_for_each(|input| self.check_dtype(input, expected))
    }

    /// The shape of an input that must be there.
    ///
    /// # Errors
    /// [`Cause::MissingInput`], [`Cause::UnknownRank`].
    pub fn shape(&self, input: usize) -> Result<&'a SymbolicShape, Cause> {
        self.required(input)?.shape.as_ref().ok_or(Cause::UnknownRank { input })
    }

    /// The shape of an input that must have a number of axes.
    ///
    /// # Errors
    /// Those of [`shape`](Self::shape), and [`Cause::Shape`].
    pub fn shape_of_rank(&self, input: usize, rank: usize) -> Result<&'a SymbolicShape, Cause> {
        let shape = self.shape(input)?;
        if shape.rank() == rank {
            return Ok(shape);
        }
        Err(Cause::Shape { input, shape: shape.to_string(), expected: format!("rank {rank}") })
    }

    /// Checks that an input, if it is there, has these extents, as far as both are known.
    ///
    /// # Errors
    /// [`Cause::UnknownRank`], [`Cause::Shape`].
    pub fn check_shape(&self, input: usize, expected: &SymbolicShape) -> Result<(), Cause> {
        if self.get(input).is_none() {
            return Ok(());
        }
        let shape = self.shape(input)?;
        let fits =
            |(is, should): (&Extent, &Extent)| is.known().zip(should.known()).is_none_or(|(is, should)| is == should);
        if shape.rank() == expected.rank() && shape.iter().zip(expected.iter()).all(fits) {
            return Ok(());
        }
        Err(Cause::Shape { input, shape: shape.to_string(), expected: expected.to_string() })
    }

    /// The shape of all inputs that are there, broadcast.
    ///
    /// # Errors
    /// [`Cause::UnknownRank`], [`Cause::Extent`].
    pub fn broadcast(&self) -> Result<SymbolicShape, Cause> {
        let mut shape = SymbolicShape::default();
        for (input, fact) in self.present() {
            shape = shape.broadcast(fact.shape.as_ref().ok_or(Cause::UnknownRank { input })?)?;
        }
        Ok(shape)
    }

    /// The elements of an input as integers, if it is there and all are known.
    pub fn integers(&self, input: usize) -> Option<Vec<i64>> {
        self.get(input)?.known_integers()
    }

    /// The number of elements of a vector that is an input, if it is known.
    ///
    /// # Errors
    /// Those of [`shape_of_rank`](Self::shape_of_rank).
    pub fn vector_length(&self, input: usize) -> Result<Option<usize>, Cause> {
        let shape = self.shape_of_rank(input, 1)?;
        let length = shape[0].known().and_then(|length| usize::try_from(length).ok());
        // Whoever asks makes as many symbols or axes of it: what a file claims must not decide how much memory that takes.
        match length.filter(|length| *length > MAX_FACT_ELEMENTS) {
            None => Ok(length),
            Some(_) => {
                let expected = format!("at most {MAX_FACT_ELEMENTS} elements");
                Err(Cause::Shape { input, shape: shape.to_string(), expected })
            }
        }
    }

    /// An extent that nothing is known of until the operator is computed. Labels tell those of one operator apart.
    pub fn unknown(&self, label: &str) -> Extent {
        Extent::symbol(format!("{}.{label}", self.node))
    }

    /// An extent that has been computed; unknown if it has more parts than are kept, which is no fault of a model.
    pub(crate) fn or_unknown(&self, label: &str, extent: Result<Extent, ExtentError>) -> Result<Extent, ExtentError> {
        match extent {
            Err(ExtentError::TooLarge) => Ok(self.unknown(label)),
            extent => extent,
        }
    }

    /// A shape of which the rank alone is known.
    pub fn unknown_shape(&self, rank: usize) -> SymbolicShape {
        (0..rank).map(|axis| self.unknown(&axis.to_string())).collect()
    }
}

/// An axis that may count from the end.
///
/// # Errors
/// [`Cause::Axis`].
pub fn axis(axis: i64, rank: usize) -> Result<usize, Cause> {
    let counted = if axis < 0 { axis.checked_add(rank as i64) } else { Some(axis) };
    counted.and_then(|axis| usize::try_from(axis).ok()).filter(|&axis| axis < rank).ok_or(Cause::Axis { axis, rank })
}

/// Axes that may count from the end, in ascending order; one that is named twice counts once.
///
/// # Errors
/// [`Cause::Axis`].
pub fn axes(axes: &[i64], rank: usize) -> Result<Vec<usize>, Cause> {
    let mut axes = axes.iter().map(|&one| axis(one, rank)).collect::<Result<Vec<_>, _>>()?;
    axes.sort_unstable();
    axes.dedup();
    Ok(axes)
}
