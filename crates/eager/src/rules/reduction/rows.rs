//! All axes that a reduction took, as one: rows to reduce.

use smallvec::SmallVec;
use stratal_tensor_base::Shape;

use crate::views::extents;
use crate::{EagerError, Var};

/// How a variable is seen as rows, each of which was reduced, and back again.
#[derive(Debug)]
pub(crate) struct Rows {
    /// The axes: first those that are left, then those that were reduced.
    order: SmallVec<[i64; 8]>,
    /// The extents in that order.
    ordered: SmallVec<[i64; 8]>,
    count: i64,
    /// How many elements a row has.
    pub(crate) length: i64,
}

impl Rows {
    /// Those of a shape of which the other one is left, with the axes that were reduced kept.
    pub(crate) fn of(shape: &Shape, kept: &Shape) -> Self {
        let (all, left) = (extents(shape), extents(kept));
        let is_reduced = |axis: &usize| all[*axis] != left[*axis];
        let (reduced, rest): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(is_reduced);
        let ordered: SmallVec<[i64; 8]> = rest.iter().chain(&reduced).map(|&axis| all[axis]).collect();
        Self {
            order: rest.iter().chain(&reduced).map(|&axis| axis as i64).collect(),
            count: ordered[..rest.len()].iter().product(),
            length: ordered[rest.len()..].iter().product(),
            ordered,
        }
    }

    /// A variable of the shape as rows, `[count, length]`.
    pub(crate) fn see(&self, var: &Var) -> Result<Var, EagerError> {
        var.permute(&self.order)?.reshape(&[self.count, self.length])
    }

    /// Rows in the shape that they were seen of.
    pub(crate) fn back(&self, rows: &Var) -> Result<Var, EagerError> {
        let mut inverse: SmallVec<[i64; 8]> = SmallVec::from_elem(0, self.order.len());
        for (to, &from) in self.order.iter().enumerate() {
            inverse[from as usize] = to as i64;
        }
        rows.reshape(&self.ordered)?.permute(&inverse)
    }
}
