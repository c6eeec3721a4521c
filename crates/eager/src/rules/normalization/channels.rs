//! One element for each channel, which the second axis counts.

use smallvec::SmallVec;

use crate::{EagerError, Var};

impl Var {
    /// A vector of channels, as what broadcasts to an operand of a rank: `[C, 1, ..]`, behind its batch.
    pub(crate) fn along_channels(&self, rank: usize) -> Result<Self, EagerError> {
        let mut extents: SmallVec<[i64; 8]> = SmallVec::from_elem(1, rank.max(2) - 1);
        extents[0] = self.shape().count() as i64;
        self.reshape(&extents)
    }

    /// The sum of all that belongs to each channel, as a vector. An operand of rank 1 is one channel.
    pub(crate) fn sum_of_channels(&self) -> Result<Self, EagerError> {
        let axes: SmallVec<[i64; 8]> = (0..self.rank() as i64).filter(|&axis| axis != 1).collect();
        self.sum(&axes, false)?.reshape(&[-1])
    }
}
