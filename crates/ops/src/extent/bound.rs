//! What is known of extents that are not known: how small they can be, and so which of two is the smaller.
//!
//! Symbols are extents, and no extent is negative.

use super::polynomial::Atom;
use super::{Extent, ExtentError, Repr, divide_floor};

impl Extent {
    /// The least it can be; none if nothing is known of that.
    pub(crate) fn lower_bound(&self) -> Option<i64> {
        let Repr::Expression(polynomial) = &self.0 else { return self.known() };
        let mut bounds = polynomial.terms().iter().map(|(atoms, factor)| product_bound(atoms, *factor));
        bounds.try_fold(0_i64, |sum, bound| sum.checked_add(bound?))
    }

    /// Whether it is known that it is at most another one.
    pub(crate) fn is_at_most(&self, other: &Self) -> bool {
        other.subtract(self).is_ok_and(|difference| difference.lower_bound().is_some_and(|bound| bound >= 0))
    }

    /// The larger one, which is one of both where it is known which.
    ///
    /// # Errors
    /// Those of [`maximum`](Self::maximum).
    pub(crate) fn larger(&self, other: &Self) -> Result<Self, ExtentError> {
        match (self.is_at_most(other), other.is_at_most(self)) {
            (true, _) => Ok(other.clone()),
            (_, true) => Ok(self.clone()),
            _ => self.maximum(other),
        }
    }

    /// The smaller one, which is one of both where it is known which.
    ///
    /// # Errors
    /// Those of [`minimum`](Self::minimum).
    pub(crate) fn smaller(&self, other: &Self) -> Result<Self, ExtentError> {
        match (self.is_at_most(other), other.is_at_most(self)) {
            (true, _) => Ok(self.clone()),
            (_, true) => Ok(other.clone()),
            _ => self.minimum(other),
        }
    }
}

/// The least that a product of atoms and a factor can be.
fn product_bound(atoms: &[Atom], factor: i64) -> Option<i64> {
    match atoms {
        [] => Some(factor),
        _ if factor < 0 => None,
        [atom] => factor.checked_mul(atom_bound(atom)?),
        _ => atoms.iter().try_fold(factor, |product, atom| {
            // Of a factor that may be negative the product is least where the others are greatest.
            product.checked_mul(atom_bound(atom).filter(|bound| *bound >= 0)?)
        }),
    }
}

fn atom_bound(atom: &Atom) -> Option<i64> {
    match atom {
        Atom::Symbol(_) => Some(0),
        Atom::Quotient(dividend, divisor) => match (dividend.lower_bound()?, divisor.known()) {
            (least, Some(divisor)) if divisor > 0 => divide_floor(least, divisor),
            (0.., None) if divisor.lower_bound()? >= 0 => Some(0),
            _ => None,
        },
        Atom::Max(a, b) => match (a.lower_bound(), b.lower_bound()) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        },
        Atom::Min(a, b) | Atom::Broadcast(a, b) => Some(a.lower_bound()?.min(b.lower_bound()?)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_smaller_one_is_known_where_symbols_cancel() {
        let (past, new) = (Extent::symbol("past"), Extent::symbol("new"));
        let total = past.add(&new).unwrap();
        assert_eq!(new.smaller(&total), Ok(new.clone()));
        assert_eq!(total.larger(&past), Ok(total.clone()));
        assert_eq!(past.larger(&0.into()), Ok(past.clone()));
        assert_eq!(past.smaller(&new).unwrap().to_string(), "min(new, past)");
        assert_eq!(past.subtract(&1.into()).unwrap().larger(&0.into()).unwrap().to_string(), "max(0, past - 1)");
        assert_eq!(past.subtract(&new).unwrap().lower_bound(), None);
    }

    proptest! {
        /// Nothing is below its bound.
        #[test]
        fn bounds_hold(a in 0_i64..40, b in 0_i64..40, c in -9_i64..10, d in 1_i64..5, e in -5_i64..6) {
            let symbols = |name: &str| match name { "a" => Some(a), "b" => Some(b), _ => None };
            let (x, y) = (Extent::symbol("a"), Extent::symbol("b"));
            let sum = x.multiply(&e.into()).unwrap().add(&c.into()).unwrap();
            let quotient = sum.divide_floor(&d.into()).unwrap();
            let by_symbol = x.add(&c.into()).unwrap().divide_floor(&y.add(&d.into()).unwrap()).unwrap();
            let product = quotient.multiply(&y).unwrap();
            let (larger, smaller) = (quotient.maximum(&y).unwrap(), quotient.minimum(&y).unwrap());
            let nested = larger.multiply(&smaller).unwrap();
            for extent in [&sum, &quotient, &by_symbol, &product, &larger, &smaller, &nested] {
                let value = extent.evaluate(&symbols).unwrap();
                prop_assert!(extent.lower_bound().is_none_or(|bound| bound <= value), "{extent} is {value}");
            }
            let value = |extent: Extent| extent.evaluate(&symbols).unwrap();
            let of = [value(quotient.clone()), value(sum.clone())];
            prop_assert_eq!(value(quotient.larger(&sum).unwrap()), of[0].max(of[1]));
            prop_assert_eq!(value(quotient.smaller(&sum).unwrap()), of[0].min(of[1]));
        }
    }
}
