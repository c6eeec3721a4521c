//! Sums of products of atoms, in one normal form.

use std::sync::Arc;

use super::{Extent, ExtentError, divide_floor};

/// The most parts that an expression may have. It bounds how deeply expressions nest, too.
pub(super) const MAX_SIZE: usize = 512;

/// What has no parts to calculate with.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Atom {
    Symbol(Arc<str>),
    /// Rounded toward negative infinity.
    Quotient(Extent, Extent),
    Max(Extent, Extent),
    Min(Extent, Extent),
    /// The second if the first is 1, else the first.
    Broadcast(Extent, Extent),
}

/// Atoms that are multiplied, in ascending order; none for one.
type Monomial = Vec<Atom>;

/// Monomials, longer ones first and none twice, and the factor of each, never 0.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Polynomial {
    terms: Vec<(Monomial, i64)>,
}

impl Polynomial {
    pub(super) fn of_constant(value: i64) -> Self {
        let terms = if value == 0 { Vec::new() } else { vec![(Monomial::new(), value)] };
        Self { terms }
    }

    pub(super) fn symbol(name: Arc<str>) -> Self {
        Self { terms: vec![(vec![Atom::Symbol(name)], 1)] }
    }

    pub(super) fn atom(atom: Atom) -> Result<Self, ExtentError> {
        Self { terms: vec![(vec![atom], 1)] }.checked()
    }

    /// How many parts it has, counted as often as they are printed.
    pub(super) fn size(&self) -> usize {
        let parts = self.terms.iter().map(|(monomial, _)| 1 + monomial.iter().map(Atom::size).sum::<usize>());
        parts.sum()
    }

    /// Its value, if there is no atom in it.
    pub(super) fn constant(&self) -> Option<i64> {
        match self.terms.as_slice() {
            [] => Some(0),
            [(monomial, value)] if monomial.is_empty() => Some(*value),
            _ => None,
        }
    }

    pub(super) fn terms(&self) -> &[(Monomial, i64)] {
        &self.terms
    }

    pub(super) fn add(&self, other: &Self) -> Result<Self, ExtentError> {
        Self::sum(self.terms.iter().chain(&other.terms).cloned())
    }

    pub(super) fn multiply(&self, other: &Self) -> Result<Self, ExtentError> {
        // The number of products, before equal ones are added, is bounded as well: nothing large is built first.
        if self.terms.len() * other.terms.len() > MAX_SIZE * 4 {
            return Err(ExtentError::TooLarge);
        }
        let mut products = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (left, left_factor) in &self.terms {
            for (right, right_factor) in &other.terms {
                let mut monomial: Monomial = left.iter().chain(right).cloned().collect();
                monomial.sort();
                products.push((monomial, left_factor.checked_mul(*right_factor).ok_or(ExtentError::Overflow)?));
            }
        }
        Self::sum(products.into_iter())
    }

    /// The quotient rounded toward negative infinity: terms that the divisor divides leave the quotient.
    pub(super) fn divide_floor(&self, divisor: &Self) -> Result<Self, ExtentError> {
        if self == divisor {
            return Ok(Self::of_constant(1));
        }
        let (mut whole, mut rest) = (Vec::new(), Vec::new());
        for term in &self.terms {
            match divisor.terms.as_slice() {
                [by] => match divide_term(term, by) {
                    Some(quotient) => whole.push(quotient),
                    None => rest.push(term.clone()),
                },
                _ => rest.push(term.clone()),
            }
        }
        let rest = Self { terms: rest };
        let quotient = match (rest.constant(), divisor.constant()) {
            (Some(0), _) => Self::of_constant(0),
            (Some(a), Some(b)) => Self::of_constant(divide_floor(a, b).ok_or(ExtentError::Overflow)?),
            _ => Self::atom(Atom::Quotient(Extent::of(rest), Extent::of(divisor.clone())))?,
        };
        Self { terms: whole }.add(&quotient)
    }

    pub(super) fn evaluate(&self, symbols: &dyn Fn(&str) -> Option<i64>) -> Result<i64, ExtentError> {
        let mut sum = 0_i64;
        for (monomial, factor) in &self.terms {
            let mut product = *factor;
            for atom in monomial {
                product = product.checked_mul(atom.evaluate(symbols)?).ok_or(ExtentError::Overflow)?;
            }
            sum = sum.checked_add(product).ok_or(ExtentError::Overflow)?;
        }
        Ok(sum)
    }

    fn sum(terms: impl Iterator<Item = (Monomial, i64)>) -> Result<Self, ExtentError> {
        let mut terms: Vec<_> = terms.collect();
        terms.sort_by(|(left, _), (right, _)| right.len().cmp(&left.len()).then_with(|| left.cmp(right)));
        let mut merged: Vec<(Monomial, i64)> = Vec::with_capacity(terms.len());
        for (monomial, factor) in terms {
            match merged.last_mut() {
                Some((last, sum)) if *last == monomial => {
                    *sum = sum.checked_add(factor).ok_or(ExtentError::Overflow)?;
                }
                _ => merged.push((monomial, factor)),
            }
        }
        merged.retain(|(_, factor)| *factor != 0);
        Self { terms: merged }.checked()
    }

    fn checked(self) -> Result<Self, ExtentError> {
        if self.size() > MAX_SIZE { Err(ExtentError::TooLarge) } else { Ok(self) }
    }
}

impl Atom {
    fn size(&self) -> usize {
        match self {
            Self::Symbol(_) => 1,
            Self::Quotient(a, b) | Self::Max(a, b) | Self::Min(a, b) | Self::Broadcast(a, b) => 1 + a.size() + b.size(),
        }
    }

    fn evaluate(&self, symbols: &dyn Fn(&str) -> Option<i64>) -> Result<i64, ExtentError> {
        let both = |a: &Extent, b: &Extent| Ok::<_, ExtentError>((a.evaluate(symbols)?, b.evaluate(symbols)?));
        match self {
            Self::Symbol(name) => symbols(name).ok_or_else(|| ExtentError::UnknownSymbol { symbol: Arc::clone(name) }),
            Self::Quotient(dividend, divisor) => match both(dividend, divisor)? {
                (_, 0) => Err(ExtentError::DivisionByZero { dividend: dividend.to_string() }),
                (a, b) => divide_floor(a, b).ok_or(ExtentError::Overflow),
            },
            Self::Max(a, b) => both(a, b).map(|(a, b)| a.max(b)),
            Self::Min(a, b) => both(a, b).map(|(a, b)| a.min(b)),
            Self::Broadcast(a, b) => both(a, b).map(|(a, b)| if a == 1 { b } else { a }),
        }
    }
}

/// One term by another, if nothing is left over.
fn divide_term((monomial, factor): &(Monomial, i64), (by, by_factor): &(Monomial, i64)) -> Option<(Monomial, i64)> {
    if factor.checked_rem(*by_factor)? != 0 {
        return None;
    }
    let mut quotient = monomial.clone();
    for atom in by {
        let place = quotient.iter().position(|other| other == atom)?;
        quotient.remove(place);
    }
    Some((quotient, factor.checked_div(*by_factor)?))
}
