//! `Alignment`: a power of two that addresses and sizes are multiples of.

use std::fmt;

/// A power of two that addresses and sizes are multiples of, in bytes.
///
/// ```
/// use stratal_memory::Alignment;
///
/// assert_eq!(Alignment::CACHE_LINE.bytes(), 64);
/// assert_eq!(Alignment::new(512).round_up(513), Some(1024));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Alignment(
    // Invariant: a power of two.
    usize,
);

impl Alignment {
    /// 64 bytes: a cache line, and the width of the widest vector register. Every block starts on one.
    pub const CACHE_LINE: Self = Self(64);

    /// An alignment of this many bytes.
    ///
    /// # Panics
    ///
    /// If `bytes` is not a power of two: the number is meant to be a constant that the caller wrote.
    pub const fn new(bytes: usize) -> Self {
        assert!(bytes.is_power_of_two(), "an alignment must be a power of two");
        Self(bytes)
    }

    /// The number of bytes.
    pub const fn bytes(self) -> usize {
        self.0
    }

    /// Whether `address_or_size` is a multiple.
    pub const fn divides(self, address_or_size: usize) -> bool {
        address_or_size & (self.0 - 1) == 0
    }

    /// The smallest multiple that is not below `size`, or `None` if it does not fit.
    pub const fn round_up(self, size: usize) -> Option<usize> {
        match size.checked_add(self.0 - 1) {
            Some(sum) => Some(sum & !(self.0 - 1)),
            None => None,
        }
    }
}

impl fmt::Display for Alignment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} bytes", self.0)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_the_least_multiple_or_nothing() {
        for shift in 0..12 {
            let alignment = Alignment::new(1 << shift);
            for size in 0..5000_usize {
                let rounded = alignment.round_up(size).unwrap();
                assert!(rounded >= size && rounded - size < alignment.bytes());
                assert!(alignment.divides(rounded));
            }
        }
        assert_eq!(Alignment::CACHE_LINE.round_up(usize::MAX), None);
        assert_eq!(Alignment::CACHE_LINE.round_up(usize::MAX - 63), Some(usize::MAX - 63));
    }

    #[test]
    #[should_panic(expected = "power of two")]
    fn zero_is_no_alignment() {
        let _ = Alignment::new(0);
    }
}
