//! `Inputs`: the operands that an operator computes with.

use stratal_kernels::AnyView;
use stratal_tensor_base::{Bool, Element, Scalar, match_dtype};

use crate::Cause;

/// The operands of an operator, by position.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    views: &'a [Option<AnyView<'a>>],
}

impl<'a> Inputs<'a> {
    /// Operands by position, none for those left out.
    pub const fn new(views: &'a [Option<AnyView<'a>>]) -> Self {
        Self { views }
    }

    /// The number of operands, with those left out.
    pub const fn len(&self) -> usize {
        self.views.len()
    }

    /// Whether there are no operands.
    pub const fn is_empty(&self) -> bool {
        self.views.is_empty()
    }

    /// An operand that may be left out.
    pub fn get(&self, input: usize) -> Option<&'a AnyView<'a>> {
        self.views.get(input).and_then(Option::as_ref)
    }

    /// An operand that must be there.
    ///
    /// # Errors
    /// [`Cause::MissingInput`].
    pub fn required(&self, input: usize) -> Result<&'a AnyView<'a>, Cause> {
        self.get(input).ok_or(Cause::MissingInput { input })
    }

    /// All operands that are there.
    pub fn present(&self) -> impl Iterator<Item = &'a AnyView<'a>> + use<'a> {
        self.views.iter().flatten()
    }

    /// The elements of an operand of integers or truths, if it is there: extents, axes, pads.
    ///
    /// # Errors
    /// [`Cause::DType`] for floats, [`Cause::Element`] beyond 63 bits.
    pub fn integers(&self, input: usize) -> Result<Option<Vec<i64>>, Cause> {
        let Some(view) = self.get(input) else { return Ok(None) };
        if let Some(truths) = view.typed::<Bool>() {
            return Ok(Some(truths.iter().map(|truth| i64::from(bool::from(truth))).collect()));
        }
        let dtype = view.dtype();
        if !dtype.is_integer() {
            return Err(Cause::DType { input, dtype, expected: crate::dtypes::INTEGERS });
        }
        match_dtype!(dtype, T => elements::<T>(view).map(|x| integer(input, x.into())).collect::<Result<_, _>>().map(Some))
    }

    /// The only element of an operand of integers, if it is there.
    ///
    /// # Errors
    /// Those of [`integers`](Self::integers), and [`Cause::Shape`] unless there is one element.
    pub fn integer(&self, input: usize) -> Result<Option<i64>, Cause> {
        self.check_single(input)?;
        Ok(self.integers(input)?.and_then(|integers| integers.first().copied()))
    }

    /// The elements of an operand of any dtype as numbers, if it is there.
    pub fn numbers(&self, input: usize) -> Option<Vec<f64>> {
        let view = self.get(input)?;
        Some(match_dtype!(view.dtype(), T => elements::<T>(view).map(|x| Scalar::from(x).cast()).collect()))
    }

    /// The only element of an operand of any dtype as it is, if it is there.
    ///
    /// # Errors
    /// [`Cause::Shape`] unless there is one element.
    pub fn scalar(&self, input: usize) -> Result<Option<Scalar>, Cause> {
        self.check_single(input)?;
        let Some(view) = self.get(input) else { return Ok(None) };
        Ok(match_dtype!(view.dtype(), T => elements::<T>(view).next().map(Scalar::from)))
    }

    fn check_single(&self, input: usize) -> Result<(), Cause> {
        match self.get(input) {
            Some(view) if view.shape().count() != 1 => {
                Err(Cause::Shape { input, shape: view.shape().to_string(), expected: "a single element".into() })
            }
            _ => Ok(()),
        }
    }
}

/// The elements of a view whose dtype was looked at.
fn elements<'a, T: Element>(view: &AnyView<'a>) -> impl Iterator<Item = T> + use<'a, T> {
    view.typed::<T>().into_iter().flat_map(|view| view.iter())
}

fn integer(input: usize, value: Scalar) -> Result<i64, Cause> {
    value.try_cast().map_err(|_| Cause::Element { input, value, expected: "at most 63 bits".into() })
}
