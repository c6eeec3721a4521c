//! Moving elements to other places: what is chosen, and how results are cut and walked.
//!
//! Nothing here knows dtypes: elements are words of one, two, four or eight bytes whose bits are kept. Only a scatter that
//! reduces computes.
//!
//! # How a result is made
//! Every operation is a set of loops over the result and its operands, axes merged where one stride an operand leads
//! through several (`loops`), so that what runs innermost is as long as the memory allows: rows of a table, planes of an
//! image. Rows go by `copy_from_slice`, past the caches if the result is larger than those (`rows`). A result without
//! gaps is cut into parts for threads (`parts`), at places that depend on the problem alone.
//!
//! | operation | is |
//! |---|---|
//! | `concat` | one box copied for each part |
//! | `extend`: `pad`, `tile` | along each axis of the result a rule that says where on the operand's axis an element comes from |
//! | `pick`: `gather`, `gather_elements`, `gather_nd` | loops over the result, the operand and the indices, in which the indices tell how far to move |
//! | `put`: `scatter_elements`, `scatter_nd` | the same turned round, in the order of the updates |
//! | `compress` | a gather with the positions of what is true |
//! | `one_hot`, `triangular`, `non_zero`, `reverse_sequence` | loops of their own |

pub(crate) mod compress;
pub(crate) mod concat;
pub(crate) mod extend;
mod index;
mod loops;
pub(crate) mod non_zero;
pub(crate) mod one_hot;
mod parts;
pub(crate) mod pick;
pub(crate) mod put;
pub(crate) mod reverse_sequence;
mod rows;
mod shapes;
pub(crate) mod triangular;

pub(crate) use index::first_outside;
pub(crate) use shapes::{axis_of, coordinates, narrowed, new_axis_of, with_extent, without};
pub use shapes::{concat_shape, gather_nd_shape, gather_shape, one_hot_shape, pad_shape, tile_shape};

use stratal_tensor_base::Scalar;

/// How far each axis is extended, and from what.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Padding<'a> {
    /// For each axis the elements added before the first one; negative numbers cut as many off.
    pub before: &'a [i64],
    /// For each axis the elements added behind the last one; negative numbers cut as many off.
    pub after: &'a [i64],
    /// What is added.
    pub mode: PadMode,
}

/// What padding adds. Where one end of an axis is cut and the other extended, it is cut first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PadMode {
    /// One value everywhere, of the operand's dtype.
    Constant(Scalar),
    /// The elements mirrored at the first and last one, which are not repeated: `3 2 | 1 2 3 | 2 1`. There must be enough of
    /// them.
    Reflect,
    /// The first and the last element again and again: `1 1 | 1 2 3 | 3 3`.
    Edge,
    /// The elements from the other end, as often as needed: `2 3 | 1 2 3 | 1 2`.
    Wrap,
}

impl PadMode {
    /// ONNX's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Constant(_) => "constant",
            Self::Reflect => "reflect",
            Self::Edge => "edge",
            Self::Wrap => "wrap",
        }
    }
}

/// What becomes of an element that a scatter updates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScatterReduction {
    /// The update replaces it; the last of several wins.
    #[default]
    None,
    /// The update is added; integers wrap.
    Add,
    /// It is multiplied by the update; integers wrap.
    Mul,
    /// The lesser remains, NaN if one is.
    Min,
    /// The greater remains, NaN if one is.
    Max,
}

/// A half of a matrix, the diagonal included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Triangle {
    /// Right of and above the diagonal.
    Upper,
    /// Left of and below the diagonal.
    Lower,
}

/// Runs code with the type of a word of so many bytes.
macro_rules! match_word {
    ($size:expr, $word:ident => $body:expr) => {
        match $size {
            1 => {
                type $word = u8;
                $body
            }
            2 => {
                type $word = u16;
                $body
            }
            4 => {
                type $word = u32;
                $body
            }
            _ => {
                type $word = u64;
                $body
            }
        }
    };
}

pub(crate) use match_word;

/// An element's bits, whatever they mean.
pub(crate) trait Word: bytemuck::Pod + Send + Sync + PartialEq {
    /// Bit by bit.
    fn and(self, mask: Self) -> Self;
}

macro_rules! words {
    ($($word:ty),+) => {$(
        impl Word for $word {
            #[inline(always)]
            fn and(self, mask: Self) -> Self {
                self & mask
            }
        }
    )+};
}

words!(u8, u16, u32, u64);
