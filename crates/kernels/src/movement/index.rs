//! Indices of 32 or 64 bits, which count from the end where they are negative.

use bytemuck::{Pod, cast_slice};
use stratal_tensor_base::DType;

use super::loops::{Loop, Loops};
use crate::AnyView;

/// An integer that indices are given as.
pub(crate) trait Index: Pod + Send + Sync {
    /// The number.
    fn number(self) -> i64;

    /// How many elements from the first, for an index within `-extent..extent`.
    #[inline(always)]
    fn steps(self, extent: usize) -> isize {
        let number = self.number() as isize;
        // Without a branch: all ones where the number is negative.
        number.wrapping_add(extent as isize & (number >> (isize::BITS - 1)))
    }
}

impl Index for i32 {
    #[inline(always)]
    fn number(self) -> i64 {
        self.into()
    }
}

impl Index for i64 {
    #[inline(always)]
    fn number(self) -> i64 {
        self
    }
}

/// Runs code with the type of indices, which were found to be of one of the two.
macro_rules! match_index {
    ($dtype:expr, $index:ident => $body:expr) => {
        if $dtype == stratal_tensor_base::DType::I32 {
            type $index = i32;
            $body
        } else {
            type $index = i64;
            $body
        }
    };
}

pub(crate) use match_index;

/// The first index, in logical order, outside `-extent..extent`, of those with one coordinate along the last axis if it says
/// which.
pub(crate) fn first_outside(indices: &AnyView<'_>, extent: usize) -> Option<i64> {
    let geometry = indices.geometry();
    let shape = geometry.shape();
    let axes = shape.extents().iter().zip(geometry.strides());
    let axes = axes.map(|(extent, stride)| Loop { extent: *extent as usize, strides: [*stride as isize] });
    if shape.is_empty() {
        return None;
    }
    let (loops, start) = (Loops::new(axes), geometry.offset());
    match indices.dtype() {
        DType::I32 => find::<i32>(&loops, start, cast_slice(indices.bytes()), extent as i64),
        _ => find::<i64>(&loops, start, cast_slice(indices.bytes()), extent as i64),
    }
}

fn find<I: Index>(loops: &Loops<1>, start: usize, indices: &[I], extent: i64) -> Option<i64> {
    // Negative for indices outside; without a comparison, which vectors of 64-bit integers may lack. What overflows is far
    // outside, and negative too.
    let sign = |index: &I| index.number().wrapping_add(extent) | (extent - 1).wrapping_sub(index.number());
    let is_outside = |index: &I| sign(index) < 0;
    let stride = loops.innermost().strides[0];
    let mut found = None;
    loops.for_each_run([start], 0..loops.count(), |[start], length| {
        if found.is_some() {
            return;
        }
        if stride == 1 {
            let run = &indices[start..start + length];
            // Without a way out of the loop, so that it becomes vectors.
            if run.iter().fold(0, |signs, index| signs | sign(index)) < 0 {
                found = run.iter().find(|index| is_outside(index)).map(|index| index.number());
            }
            return;
        }
        let mut offset = start;
        for _ in 0..length {
            if is_outside(&indices[offset]) {
                found = Some(indices[offset].number());
                return;
            }
            offset = offset.wrapping_add_signed(stride);
        }
    });
    found
}
