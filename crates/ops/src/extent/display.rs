//! How extents are printed: `2*seq + 1`.

use std::fmt;

use super::polynomial::{Atom, Polynomial};
use super::{Extent, Repr};

impl fmt::Display for Extent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Known(value) => write!(formatter, "{value}"),
            Repr::Expression(polynomial) => write!(formatter, "{polynomial}"),
        }
    }
}

impl fmt::Debug for Extent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

impl fmt::Display for Polynomial {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (monomial, factor)) in self.terms().iter().enumerate() {
            match (position, *factor < 0) {
                (0, false) => {}
                (0, true) => formatter.write_str("-")?,
                (_, false) => formatter.write_str(" + ")?,
                (_, true) => formatter.write_str(" - ")?,
            }
            let size = factor.unsigned_abs();
            if size != 1 || monomial.is_empty() {
                write!(formatter, "{size}{}", if monomial.is_empty() { "" } else { "*" })?;
            }
            for (position, atom) in monomial.iter().enumerate() {
                write!(formatter, "{}{atom}", if position == 0 { "" } else { "*" })?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symbol(name) => formatter.write_str(name),
            Self::Quotient(dividend, divisor) => {
                write!(formatter, "floor({} / {})", InProduct(dividend), InProduct(divisor))
            }
            Self::Max(a, b) => write!(formatter, "max({a}, {b})"),
            Self::Min(a, b) => write!(formatter, "min({a}, {b})"),
            Self::Broadcast(a, b) => write!(formatter, "broadcast({a}, {b})"),
        }
    }
}

/// With brackets around a sum.
struct InProduct<'a>(&'a Extent);

impl fmt::Display for InProduct<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.0 {
            Repr::Expression(polynomial) if polynomial.terms().len() > 1 => write!(formatter, "({})", self.0),
            _ => write!(formatter, "{}", self.0),
        }
    }
}
