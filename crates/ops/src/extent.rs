//! `Extent`: an integer that may not be known yet, such as `2*seq + 1`.

mod bound;
mod display;
mod polynomial;

use std::sync::Arc;

use polynomial::{Atom, Polynomial};

/// Why an extent cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtentError {
    /// Beyond 64 bits.
    #[error("an extent overflows 64 bits")]
    Overflow,
    /// A quotient by zero.
    #[error("cannot divide extent {dividend} by zero")]
    DivisionByZero {
        /// What was to be divided.
        dividend: String,
    },
    /// More parts than any real model has: what is built from untrusted files stays small.
    #[error("an extent has more than {} parts", polynomial::MAX_SIZE)]
    TooLarge,
    /// Two axes that do not fit each other.
    #[error("cannot broadcast {left} with {right}")]
    Broadcast {
        /// One extent.
        left: String,
        /// The other one.
        right: String,
    },
    /// A symbol without a value.
    #[error("extent {symbol} is not known")]
    UnknownSymbol {
        /// Its name.
        symbol: Arc<str>,
    },
}

/// An integer that is known, or an expression of symbols: an extent, or an element of a tensor of extents.
///
/// Expressions are polynomials in one normal form, so that those which are equal as polynomials are equal as values.
/// Quotients, maxima and minima of unknown extents are symbols of a kind.
///
/// ```
/// use stratal_ops::Extent;
///
/// let height = Extent::symbol("height");
/// // A window of 3 that moves by 2, over a height padded by 1 on both ends.
/// let output = height.add(&Extent::from(2 - 3))?.divide_floor(&2.into())?.add(&1.into())?;
/// assert_eq!(output.to_string(), "floor((height - 1) / 2) + 1");
/// assert_eq!(output.evaluate(&|name| (name == "height").then_some(224))?, 112);
/// assert_eq!(height.multiply(&4.into())?.divide_floor(&2.into())?, height.add(&height)?);
/// # Ok::<(), stratal_ops::ExtentError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Extent(Repr);

/// Most extents are known, and cost nothing then.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Repr {
    Known(i64),
    /// Never a constant.
    Expression(Arc<Polynomial>),
}

impl Extent {
    /// An extent with a name.
    pub fn symbol(name: impl Into<Arc<str>>) -> Self {
        Self::of(Polynomial::symbol(name.into()))
    }

    /// Its value, if it is known.
    pub fn known(&self) -> Option<i64> {
        match &self.0 {
            Repr::Known(value) => Some(*value),
            Repr::Expression(_) => None,
        }
    }

    /// Whether it is known to be this number.
    pub fn is(&self, value: i64) -> bool {
        self.known() == Some(value)
    }

    /// Whether it cannot be negative whatever its symbols are, for they are extents. One that is not known to be so may
    /// still never be negative.
    pub fn is_never_negative(&self) -> bool {
        self.lower_bound().is_some_and(|bound| bound >= 0)
    }

    /// The sum.
    ///
    /// # Errors
    /// [`ExtentError::Overflow`], [`ExtentError::TooLarge`].
    pub fn add(&self, other: &Self) -> Result<Self, ExtentError> {
        if let Some((a, b)) = self.both_known(other) {
            return a.checked_add(b).map(Self::from).ok_or(ExtentError::Overflow);
        }
        Ok(Self::of(self.polynomial().add(&other.polynomial())?))
    }

    /// The difference.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    pub fn subtract(&self, other: &Self) -> Result<Self, ExtentError> {
        self.add(&other.multiply(&(-1).into())?)
    }

    /// The product.
    ///
    /// # Errors
    /// Those of [`add`](Self::add).
    pub fn multiply(&self, other: &Self) -> Result<Self, ExtentError> {
        if let Some((a, b)) = self.both_known(other) {
            return a.checked_mul(b).map(Self::from).ok_or(ExtentError::Overflow);
        }
        Ok(Self::of(self.polynomial().multiply(&other.polynomial())?))
    }

    /// The quotient, rounded toward negative infinity.
    ///
    /// # Errors
    /// [`ExtentError::DivisionByZero`], and those of [`add`](Self::add).
    pub fn divide_floor(&self, other: &Self) -> Result<Self, ExtentError> {
        if other.is(0) {
            return Err(ExtentError::DivisionByZero { dividend: self.to_string() });
        }
        if let Some((a, b)) = self.both_known(other) {
            return divide_floor(a, b).map(Self::from).ok_or(ExtentError::Overflow);
        }
        Ok(Self::of(self.polynomial().divide_floor(&other.polynomial())?))
    }

    /// The quotient, rounded toward positive infinity.
    ///
    /// # Errors
    /// Those of [`divide_floor`](Self::divide_floor).
    pub fn divide_ceil(&self, other: &Self) -> Result<Self, ExtentError> {
        let minus_one = Self::from(-1);
        self.multiply(&minus_one)?.divide_floor(other)?.multiply(&minus_one)
    }

    /// The larger one.
    ///
    /// # Errors
    /// [`ExtentError::TooLarge`].
    pub fn maximum(&self, other: &Self) -> Result<Self, ExtentError> {
        self.choose(other, i64::max, Atom::Max)
    }

    /// The smaller one.
    ///
    /// # Errors
    /// [`ExtentError::TooLarge`].
    pub fn minimum(&self, other: &Self) -> Result<Self, ExtentError> {
        self.choose(other, i64::min, Atom::Min)
    }

    /// The extent of the broadcast of two axes. One that is unknown must, beside one that is known and not 1, be that one or 1.
    ///
    /// # Errors
    /// [`ExtentError::Broadcast`] for two known extents that differ and of which none is 1; [`ExtentError::TooLarge`].
    pub fn broadcast(&self, other: &Self) -> Result<Self, ExtentError> {
        match (self.known(), other.known()) {
            _ if self == other => Ok(self.clone()),
            (Some(1), _) => Ok(other.clone()),
            (_, Some(1)) => Ok(self.clone()),
            (Some(_), Some(_)) => Err(ExtentError::Broadcast { left: self.to_string(), right: other.to_string() }),
            (Some(_), None) => Ok(self.clone()),
            (None, Some(_)) => Ok(other.clone()),
            (None, None) => self.choose(other, i64::max, Atom::Broadcast),
        }
    }

    /// Its value, with a value for each symbol.
    ///
    /// # Errors
    /// [`ExtentError::UnknownSymbol`], [`ExtentError::Overflow`], [`ExtentError::DivisionByZero`].
    pub fn evaluate(&self, symbols: &dyn Fn(&str) -> Option<i64>) -> Result<i64, ExtentError> {
        match &self.0 {
            Repr::Known(value) => Ok(*value),
            Repr::Expression(polynomial) => polynomial.evaluate(symbols),
        }
    }

    fn of(polynomial: Polynomial) -> Self {
        match polynomial.constant() {
            Some(value) => value.into(),
            None => Self(Repr::Expression(Arc::new(polynomial))),
        }
    }

    fn polynomial(&self) -> Arc<Polynomial> {
        match &self.0 {
            Repr::Known(value) => Arc::new(Polynomial::of_constant(*value)),
            Repr::Expression(polynomial) => Arc::clone(polynomial),
        }
    }

    fn both_known(&self, other: &Self) -> Option<(i64, i64)> {
        Some((self.known()?, other.known()?))
    }

    /// A choice between two, whose order does not matter.
    fn choose(
        &self,
        other: &Self,
        of_known: fn(i64, i64) -> i64,
        atom: fn(Self, Self) -> Atom,
    ) -> Result<Self, ExtentError> {
        if self == other {
            return Ok(self.clone());
        }
        if let Some((a, b)) = self.both_known(other) {
            return Ok(of_known(a, b).into());
        }
        let (first, second) = if self <= other { (self, other) } else { (other, self) };
        Ok(Self::of(Polynomial::atom(atom(first.clone(), second.clone()))?))
    }

    /// How many parts it has, counted as often as they are printed.
    fn size(&self) -> usize {
        match &self.0 {
            Repr::Known(_) => 1,
            Repr::Expression(polynomial) => polynomial.size(),
        }
    }
}

impl From<i64> for Extent {
    fn from(value: i64) -> Self {
        Self(Repr::Known(value))
    }
}

/// The quotient rounded toward negative infinity; none for a quotient by zero or beyond 64 bits.
fn divide_floor(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    let is_above = a % b != 0 && (a < 0) != (b < 0);
    Some(quotient - i64::from(is_above))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seq() -> Extent {
        Extent::symbol("seq")
    }

    #[test]
    fn equal_polynomials_are_equal_values() {
        let (batch, seq) = (Extent::symbol("batch"), seq());
        let left = batch.add(&1.into()).unwrap().multiply(&seq).unwrap();
        let right = seq.multiply(&batch).unwrap().add(&seq).unwrap();
        assert_eq!(left, right);
        assert_eq!(left.to_string(), "batch*seq + seq");
        assert_eq!(left.subtract(&right).unwrap(), 0.into());
    }

    #[test]
    fn quotients_cancel_what_both_sides_have() {
        let (batch, seq) = (Extent::symbol("batch"), seq());
        let elements = batch.multiply(&seq).unwrap().multiply(&768.into()).unwrap();
        let rows = batch.multiply(&seq).unwrap();
        assert_eq!(elements.divide_floor(&rows).unwrap(), 768.into());
        assert_eq!(elements.divide_floor(&12.into()).unwrap().to_string(), "64*batch*seq");
        let odd = seq.multiply(&2.into()).unwrap().add(&3.into()).unwrap();
        assert_eq!(odd.divide_floor(&2.into()).unwrap().to_string(), "seq + 1");
        assert_eq!(odd.divide_ceil(&2.into()).unwrap().to_string(), "seq + 2");
        assert_eq!(odd.divide_floor(&odd).unwrap(), 1.into());
        assert_eq!(seq.divide_floor(&3.into()).unwrap().to_string(), "floor(seq / 3)");
    }

    #[test]
    fn limits_are_errors() {
        assert_eq!(Extent::from(i64::MAX).add(&1.into()), Err(ExtentError::Overflow));
        assert_eq!(Extent::from(i64::MIN).divide_floor(&(-1).into()), Err(ExtentError::Overflow));
        assert_eq!(seq().divide_floor(&0.into()).unwrap_err().to_string(), "cannot divide extent seq by zero");
        let huge = seq().multiply(&i64::MAX.into()).unwrap();
        assert_eq!(huge.add(&huge), Err(ExtentError::Overflow));
        let mut sum = Extent::from(1);
        let grown = (0..20).try_for_each(|i| {
            let factor = Extent::symbol(format!("s{i}")).add(&1.into())?;
            sum = sum.multiply(&factor)?;
            Ok(())
        });
        assert_eq!(grown, Err(ExtentError::TooLarge));
        // A chain that shares its parts would double with each link.
        let mut chain = seq();
        let nested = (0..1000).try_for_each(|i| {
            chain = chain.maximum(&chain.divide_floor(&(i + 2).into())?)?;
            Ok(())
        });
        assert_eq!(nested, Err(ExtentError::TooLarge));
    }

    #[test]
    fn broadcasts_of_unknown_extents() {
        let seq = seq();
        assert_eq!(seq.broadcast(&1.into()), Ok(seq.clone()));
        assert_eq!(seq.broadcast(&7.into()), Ok(7.into()));
        assert_eq!(Extent::from(2).broadcast(&3.into()).unwrap_err().to_string(), "cannot broadcast 2 with 3");
        assert_eq!(Extent::from(0).broadcast(&1.into()), Ok(0.into()));
        let both = seq.broadcast(&Extent::symbol("other")).unwrap();
        assert_eq!(both, Extent::symbol("other").broadcast(&seq).unwrap());
        assert_eq!(both.evaluate(&|name| Some(if name == "seq" { 1 } else { 5 })), Ok(5));
    }

    #[test]
    fn what_is_never_negative() {
        let seq = seq();
        let minus_one = seq.add(&(-1).into()).unwrap();
        assert!(
            seq.is_never_negative() && seq.multiply(&seq).unwrap().divide_floor(&3.into()).unwrap().is_never_negative()
        );
        assert!(!minus_one.is_never_negative() && !minus_one.divide_floor(&2.into()).unwrap().is_never_negative());
        assert!(minus_one.maximum(&0.into()).unwrap().is_never_negative());
        assert!(!minus_one.minimum(&seq).unwrap().is_never_negative());
        assert!(Extent::from(0).is_never_negative() && !Extent::from(-1).is_never_negative());
    }

    proptest! {
        /// Whatever is simplified keeps its value.
        #[test]
        fn expressions_have_the_value_of_their_parts(
            a in -50_i64..50, b in -50_i64..50, c in -9_i64..10, d in prop::sample::select(vec![-7_i64, -2, -1, 1, 2, 3, 8]),
        ) {
            let symbols = |name: &str| match name { "a" => Some(a), "b" => Some(b), _ => None };
            let (x, y) = (Extent::symbol("a"), Extent::symbol("b"));
            let linear = x.multiply(&(2 * d).into()).unwrap().add(&y.multiply(&c.into()).unwrap()).unwrap().add(&c.into()).unwrap();
            let value = 2 * d * a + c * b + c;
            prop_assert_eq!(linear.evaluate(&symbols), Ok(value));
            let quotient = linear.divide_floor(&d.into()).unwrap();
            prop_assert_eq!(quotient.evaluate(&symbols), Ok(divide_floor(value, d).unwrap()));
            let quotient = linear.divide_ceil(&d.into()).unwrap();
            prop_assert_eq!(quotient.evaluate(&symbols), Ok(-divide_floor(-value, d).unwrap()));
            let product = linear.multiply(&x).unwrap();
            prop_assert_eq!(product.evaluate(&symbols), Ok(value * a));
            if a != 0 {
                prop_assert_eq!(product.divide_floor(&x).unwrap().evaluate(&symbols), Ok(value));
            }
            prop_assert_eq!(linear.maximum(&y).unwrap().evaluate(&symbols), Ok(value.max(b)));
            prop_assert_eq!(linear.minimum(&y).unwrap().evaluate(&symbols), Ok(value.min(b)));
        }
    }
}
