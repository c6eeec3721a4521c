//! Rows taken apart: elements of even position, and elements of odd position. Of an odd number, there is one more of even.

use crate::simd::{Float, LANES, Mask, Simd};

/// Elements of two vectors.
const PAIR: usize = 2 * LANES;

/// Floats apart, and whether one of them is NaN.
#[inline(always)]
pub(super) fn split_floats<S: Simd>(simd: S, from: &[f32], even: &mut [f32], odd: &mut [f32]) -> bool {
    let (even, odd) = (&mut even[..from.len().div_ceil(2)], &mut odd[..from.len() / 2]);
    let mut is_nan = simd.f32(0.0).is_nan();
    let pairs = from.as_chunks::<PAIR>().0;
    for ((pair, even), odd) in pairs.iter().zip(even.as_chunks_mut().0).zip(odd.as_chunks_mut().0) {
        is_nan = is_nan | split_pair(simd, pair, even, odd);
    }
    let done = pairs.len() * LANES;
    // Whole pairs of elements: of those behind the last vectors, and of all of a short row.
    let paired = odd.len();
    if let (Some(pair), Some(evens), Some(odds)) =
        (from[..2 * paired].last_chunk::<PAIR>(), even[..paired].last_chunk_mut(), odd.last_chunk_mut())
        && done < paired
    {
        // Vectors that overlap those before give the same once more.
        is_nan = is_nan | split_pair(simd, pair, evens, odds);
    } else {
        split(&from[2 * done..2 * paired], &mut even[done..], &mut odd[done..]);
    }
    let mut is_nan = is_nan.any();
    if done == 0 {
        is_nan |= from.iter().any(|value| value.is_nan());
    }
    if let ([.., last], true) = (from, even.len() > paired) {
        even[paired] = *last;
        is_nan |= last.is_nan();
    }
    is_nan
}

/// Two vectors apart, and which lanes are NaN in one of them.
#[inline(always)]
fn split_pair<S: Simd>(simd: S, pair: &[f32; PAIR], even: &mut [f32; LANES], odd: &mut [f32; LANES]) -> S::Mask {
    let (halves, _) = pair.as_chunks::<LANES>();
    let (first, second) = (simd.load(&halves[0]), simd.load(&halves[1]));
    let [evens, odds] = simd.deinterleave(first, second);
    evens.store(even);
    odds.store(odd);
    first.is_nan() | second.is_nan()
}

/// Elements of any type apart.
#[inline(always)]
pub(super) fn split<T: Copy>(from: &[T], even: &mut [T], odd: &mut [T]) {
    let (pairs, last) = from.as_chunks::<2>();
    for (([first, second], even), odd) in pairs.iter().zip(&mut *even).zip(odd) {
        (*even, *odd) = (*first, *second);
    }
    if let [last] = last {
        even[pairs.len()] = *last;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Portable;

    /// Lengths around each border: pairs of vectors, an overlapping pair, an odd element.
    #[test]
    fn elements_go_to_their_side() {
        for length in 0..4 * PAIR + 3 {
            let from: Vec<f32> = (0..length).map(|position| position as f32).collect();
            let (mut even, mut odd) = (vec![-1.0; length.div_ceil(2) + 1], vec![-1.0; length / 2 + 1]);
            assert!(!split_floats(Portable::<LANES>, &from, &mut even, &mut odd));
            let expected =
                |first: usize| from.iter().skip(first).step_by(2).copied().chain([-1.0]).collect::<Vec<f32>>();
            assert_eq!((even, odd), (expected(0), expected(1)), "{length} elements");
        }
    }

    #[test]
    fn each_nan_is_found() {
        for length in 1..3 * PAIR + 2 {
            for position in 0..length {
                let mut from = vec![0.0; length];
                from[position] = f32::NAN;
                let (mut even, mut odd) = (vec![0.0; length.div_ceil(2)], vec![0.0; length / 2]);
                assert!(split_floats(Portable::<LANES>, &from, &mut even, &mut odd), "{position} of {length}");
            }
        }
    }
}
