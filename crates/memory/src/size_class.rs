//! `SizeClass`: the few sizes that pooled blocks come in.

use crate::{Alignment, LENGTH_MAX};

/// The size of the blocks that serve a request.
///
/// A request of `n` bytes up to 256 gets the next multiple of 64, at least 64. Above, each power of two
/// `b` below `n` is followed by four classes, `1.25 b`, `1.5 b`, `1.75 b` and `2 b`, so less than a
/// quarter of a block is wasted.
///
/// ```
/// use stratal_memory::SizeClass;
///
/// assert_eq!(SizeClass::of(0).unwrap().bytes(), 64);
/// assert_eq!(SizeClass::of(257).unwrap().bytes(), 320);
/// assert_eq!(SizeClass::of(5 << 20).unwrap().bytes(), 5 << 20);
/// assert!(SizeClass::of(1 << 31).is_none());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SizeClass {
    // Invariant: 64, 128, 192, 256, or b * {1.25, 1.5, 1.75, 2} for a power of two b in 256..=2^30.
    // The largest is 2^31, which 32 unsigned bits hold.
    bytes: u32,
}

/// The largest request that is served in multiples of 64.
const LINEAR_MAX: u32 = 256;

impl SizeClass {
    /// The class that serves a request of `length` bytes, or `None` above the limit of 2^31-1.
    #[inline]
    pub const fn of(length: usize) -> Option<Self> {
        if length > LENGTH_MAX {
            return None;
        }
        // The limit is below 2^32.
        let length = length as u32;
        let bytes = if length <= LINEAR_MAX {
            let lines = length.div_ceil(64);
            if lines == 0 { 64 } else { lines * 64 }
        } else {
            // 256 <= base < length <= 2^31 - 1, so nothing below exceeds 2^31.
            let base = 1 << (31 - (length - 1).leading_zeros());
            let step = base / 4;
            base + (length - base).div_ceil(step) * step
        };
        Some(Self { bytes })
    }

    /// The bytes of a block of this class.
    #[inline]
    pub const fn bytes(self) -> u64 {
        self.bytes as u64
    }

    /// The smallest class that is a multiple of `granularity`, or `None` if that passes the largest.
    ///
    /// Rounding a class up to a power of two always gives a class.
    pub(crate) fn in_granules_of(self, granularity: Alignment) -> Option<Self> {
        let granule = u32::try_from(granularity.bytes()).ok()?;
        let bytes = self.bytes.checked_next_multiple_of(granule)?;
        (bytes <= 1 << 31).then_some(Self { bytes })
    }

    /// The position of this class in ascending order, from 0 to 95.
    #[inline]
    pub(crate) const fn index(self) -> usize {
        if self.bytes <= LINEAR_MAX {
            return (self.bytes / 64 - 1) as usize;
        }
        let base_log2 = 31 - (self.bytes - 1).leading_zeros();
        let quarter = (self.bytes - (1 << base_log2)) >> (base_log2 - 2);
        (4 + (base_log2 - 8) * 4 + quarter - 1) as usize
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn indices_follow_the_classes_in_order_without_a_gap() {
        let mut expected_index = 0;
        let mut length = 0;
        while let Some(class) = SizeClass::of(length) {
            assert_eq!(class.index(), expected_index);
            assert_eq!(SizeClass::of(class.bytes() as usize - 1), Some(class), "the last length of a class");
            expected_index += 1;
            length = class.bytes() as usize + 1;
        }
        assert_eq!(expected_index, 4 + 4 * 23);
    }

    #[test]
    fn a_coarser_granularity_gives_the_next_class_that_is_a_multiple() {
        for shift in 6..24 {
            let granularity = Alignment::new(1 << shift);
            for length in [0, 1, 64, 300, 511, 512, 513, 5000, 70_000, 1 << 20, 3 << 20] {
                let class = SizeClass::of(length).unwrap();
                let coarse = class.in_granules_of(granularity).unwrap();
                assert_eq!(coarse.bytes() % (1 << shift), 0);
                assert!(coarse.bytes() >= class.bytes());
                assert_eq!(SizeClass::of(coarse.bytes() as usize), Some(coarse));
            }
        }
    }

    #[test]
    fn the_largest_class_survives_rounding_and_a_huge_granule_does_not() {
        let largest = SizeClass::of(LENGTH_MAX).unwrap();
        assert_eq!(largest.bytes(), 1 << 31);
        assert_eq!(largest.in_granules_of(Alignment::new(512)), Some(largest));
        #[cfg(target_pointer_width = "64")]
        assert_eq!(largest.in_granules_of(Alignment::new(1 << 32)), None);
    }

    #[test]
    fn waste_stays_below_a_quarter() {
        for length in (257..2_000_000).step_by(97) {
            let class = SizeClass::of(length).unwrap().bytes();
            assert!(class - (length as u64) < class / 4, "{length}");
        }
    }
}
