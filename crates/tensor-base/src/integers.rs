//! `Integers`: a caller's list of numbers, kept inline so that an error can name it without a heap.

use core::fmt;

use crate::MAX_RANK;

/// The first eight numbers of a list, and how many there were.
///
/// Lists of extents, axes and sizes come from files and requests and may be of any length; an error keeps this much.
///
/// ```
/// use stratal_tensor_base::Integers;
///
/// assert_eq!(Integers::new(&[2, -1, 3]).to_string(), "[2, -1, 3]");
/// assert_eq!(Integers::new(&[7; 10]).to_string(), "[7, 7, 7, 7, 7, 7, 7, 7, ... 10 in all]");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Integers {
    values: [i64; MAX_RANK],
    length: usize,
}

impl Integers {
    /// Keeps the beginning of a list.
    pub fn new(values: &[i64]) -> Self {
        values.iter().copied().collect()
    }

    /// The kept numbers, at most eight.
    pub fn as_slice(&self) -> &[i64] {
        &self.values[..self.length.min(MAX_RANK)]
    }

    /// How many numbers the list had.
    pub fn length(&self) -> usize {
        self.length
    }
}

impl FromIterator<i64> for Integers {
    fn from_iter<I: IntoIterator<Item = i64>>(values: I) -> Self {
        let mut kept = Self { values: [0; MAX_RANK], length: 0 };
        for value in values {
            if let Some(slot) = kept.values.get_mut(kept.length) {
                *slot = value;
            }
            kept.length += 1;
        }
        kept
    }
}

impl fmt::Display for Integers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_list(formatter, self.as_slice())?;
        if self.length > MAX_RANK {
            write!(formatter, ", ... {} in all", self.length)?;
        }
        formatter.write_str("]")
    }
}

impl fmt::Debug for Integers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// Writes `[2, 3`, leaving the list open.
pub(crate) fn write_list<T: fmt::Display>(formatter: &mut fmt::Formatter<'_>, values: &[T]) -> fmt::Result {
    formatter.write_str("[")?;
    for (position, value) in values.iter().enumerate() {
        let separator = if position == 0 { "" } else { ", " };
        write!(formatter, "{separator}{value}")?;
    }
    Ok(())
}
