//! `Wide`: the integers in which reductions of integers compute, before the result wraps to its type.

/// A signed integer that is wider than what is reduced in it: `i64` for elements of up to 32 bits, `i128` for longer ones.
///
/// Sums and products wrap; modulo 2^bits of the element type they are right nonetheless. Sums of as many elements as a
/// tensor can have do not wrap.
pub trait Wide: Copy + Ord + 'static {
    /// A small number.
    fn of(value: i8) -> Self;
    /// The least and the greatest value.
    const LIMITS: (Self, Self);
    /// `self + other`.
    fn add(self, other: Self) -> Self;
    /// `self * other`.
    fn mul(self, other: Self) -> Self;
    /// `|self|`.
    fn abs(self) -> Self;
    /// `self / count` toward zero; 0 for a count of 0.
    fn div(self, count: usize) -> Self;
}

macro_rules! wide {
    ($($type:ty),*) => {$(
        impl Wide for $type {
            const LIMITS: (Self, Self) = (Self::MIN, Self::MAX);

            #[inline(always)]
            fn of(value: i8) -> Self {
                value.into()
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }

            #[inline(always)]
            fn abs(self) -> Self {
                self.wrapping_abs()
            }

            #[inline(always)]
            fn div(self, count: usize) -> Self {
                // A count of elements is below 2^31.
                self.checked_div(count as Self).unwrap_or(0)
            }
        }
    )*};
}

wide!(i64, i128);
