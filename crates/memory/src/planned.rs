//! `PlannedBlock`: one block whose parts were planned ahead for the values of a run.
#![expect(unsafe_code, reason = "hands out parts of its block as buffers, once nobody else uses them")]

use std::ops::Range;

use crate::{
    Buffer, Frame, Origin, PlanError, Pool, ResetError, checked,
    counted::Counted,
    header::Header,
    leases::{self, Orphan},
    lot::Lot,
    pool::{PoolRef, PooledBlock},
    storage::Storage,
};

/// One block whose parts were planned ahead for the values of a run; parts of values that are not alive
/// at the same time may overlap.
///
/// A run takes the block as a [`frame`](Self::frame) and splits it step by step. Where a value is needed
/// as a buffer of its own, [`value`](Self::value) hands it out, and refuses while a handle to a value
/// that shares bytes with it is alive. Which values share bytes is found once, when the plan is made.
///
/// A value holds whatever the last use of its bytes left there, in checked builds too, so a frame can
/// compute what is then handed out. Canaries follow the block, not each value.
///
/// ```
/// use stratal_memory::{PlanError, PlannedBlock, Pool};
///
/// let mut plan = PlannedBlock::new(&Pool::new(), 256, &[0..128, 64..192, 192..256])?;
/// plan.frame()?.output(64..192)?.fill(7);
/// let value = plan.value(1)?;
/// assert_eq!(value.read()?[0], 7);
/// assert!(matches!(plan.value(0), Err(PlanError::Overlap { value: 0, live: 1 })));
/// let apart = plan.value(2)?;
/// drop((value, apart));
/// plan.value(0)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct PlannedBlock {
    pool: PoolRef,
    length: usize,
    values: Vec<Value>,
    // One a value. A header holds a lot of the block from when its value is handed out until the value
    // ends. Declared, and so dropped, before the block.
    headers: Vec<Counted<Header>>,
    // Invariant: there until drop, and neither dropped nor accessed where a lot of it exists.
    block: Option<PooledBlock>,
}

#[derive(Debug)]
struct Value {
    bytes: Range<usize>,
    // The values that share bytes with this one, itself included, in ascending order.
    conflicts: Vec<usize>,
}

impl PlannedBlock {
    /// Rents a block of `length` bytes for values at these ranges of bytes.
    ///
    /// # Errors
    ///
    /// [`PlanError::OutOfBounds`] or [`PlanError::Misaligned`] if a range passes the block or does not
    /// start on a 64-byte boundary; [`PlanError::Allocation`].
    pub fn new(pool: &Pool, length: usize, values: &[Range<usize>]) -> Result<Self, PlanError> {
        for (value, bytes) in values.iter().enumerate() {
            if bytes.start > bytes.end || bytes.end > length {
                return Err(PlanError::OutOfBounds {
                    offset: bytes.start,
                    length: bytes.end.saturating_sub(bytes.start),
                    block_length: length,
                });
            }
            if bytes.start % 64 != 0 {
                return Err(PlanError::Misaligned { value, offset: bytes.start });
            }
        }
        let block = pool.inner().take_block(length)?;
        Ok(Self {
            pool: pool.inner().attach(),
            length,
            headers: values.iter().map(|_| Counted::new(Header::spare(None))).collect(),
            values: with_conflicts(values),
            block: Some(block),
        })
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// How many values were planned.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    /// The whole block, to be split step by step.
    ///
    /// # Errors
    ///
    /// [`PlanError::ValueAlive`] if a handle to a value is alive that has not been released.
    pub fn frame(&mut self) -> Result<Frame<'_>, PlanError> {
        for live in 0..self.headers.len() {
            if !self.end(live) {
                return Err(PlanError::ValueAlive { live });
            }
        }
        let length = self.length;
        match &mut self.block {
            // No lot exists, so the block may be used directly.
            Some(block) => Ok(Frame::new(&mut block.block_mut().bytes_mut()[..length])),
            None => unreachable!("the block is there until drop"),
        }
    }

    /// A buffer of a value's bytes.
    ///
    /// # Errors
    ///
    /// [`PlanError::Overlap`] if a handle is alive, and not released, to a value that shares bytes with
    /// this one, or to an earlier buffer of this one. [`PlanError::NoSuchValue`].
    pub fn value(&mut self, value: usize) -> Result<Buffer, PlanError> {
        let count = self.values.len();
        let Some(planned) = self.values.get(value) else {
            return Err(PlanError::NoSuchValue { value, count });
        };
        let (bytes, conflicts) = (planned.bytes.clone(), planned.conflicts.len());
        for position in 0..conflicts {
            let live = self.values[value].conflicts[position];
            if !self.end(live) {
                return Err(PlanError::Overlap { value, live });
            }
        }
        let lot = self.block.as_ref().and_then(|block| {
            // SAFETY: the block is dropped and used directly only when no lot of it exists (`block`). A
            // lot of another value that shares bytes with these does not exist: the leases of all such
            // have just been ended. They are all in `conflicts`, which was found when the plan was made.
            unsafe { Lot::carve(block.block(), bytes.start, bytes.len(), false) }
        });
        let Some(lot) = lot else {
            unreachable!("planned ranges are inside the block");
        };
        let slot = &mut self.headers[value];
        let Some(header) = Counted::get_mut(slot) else {
            unreachable!("an ended lease leaves its header without other owner");
        };
        header.begin(Storage::Lot(lot), bytes.len(), Origin::Planned { value });
        Ok(Buffer::of_header(Counted::clone(slot)))
    }

    /// Ends all values: handles that are left become stale.
    ///
    /// # Errors
    ///
    /// [`ResetError::Refused`] if a guard is alive, or a handle to a frozen value; nothing has changed
    /// then.
    pub fn reset(&mut self) -> Result<(), ResetError> {
        leases::end_all(&mut self.headers).map_err(ResetError::Refused)?;
        Ok(())
    }

    /// Ends the lease of a value if no handle to it is alive and unreleased; says whether it is ended.
    fn end(&mut self, value: usize) -> bool {
        let slot = &mut self.headers[value];
        if let Some(only) = Counted::get_mut(slot) {
            *only.storage_mut() = None;
            return true;
        }
        if slot.word().is_settled() {
            *slot = Counted::new(Header::spare(None));
            return true;
        }
        false
    }
}

impl Drop for PlannedBlock {
    /// A reset. If that is refused, the pool keeps the block until its values are no longer in use and
    /// somebody trims it.
    fn drop(&mut self) {
        let headers = std::mem::take(&mut self.headers);
        let Some(block) = self.block.take() else {
            unreachable!("the block is there until drop");
        };
        let settled = Orphan::of_plan(headers, block, self.length).settle();
        let damage = settled.unwrap_or_else(|orphan| {
            self.pool.state().adopt(orphan);
            None
        });
        self.pool.detach();
        if let Some(damage) = damage {
            checked::report_at_drop(&damage);
        }
    }
}

/// Finds for each value the values that it shares bytes with.
fn with_conflicts(values: &[Range<usize>]) -> Vec<Value> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by_key(|&value| values[value].start);
    let mut conflicts: Vec<Vec<usize>> = (0..values.len()).map(|value| vec![value]).collect();
    for (position, &first) in order.iter().enumerate() {
        let later = order[position + 1..].iter().take_while(|&&second| values[second].start < values[first].end);
        for &second in later {
            // Starts inside the first; shares bytes unless it is empty.
            if !values[second].is_empty() {
                conflicts[first].push(second);
                conflicts[second].push(first);
            }
        }
    }
    values
        .iter()
        .zip(conflicts)
        .map(|(bytes, mut conflicts)| {
            conflicts.sort_unstable();
            Value { bytes: bytes.clone(), conflicts }
        })
        .collect()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn conflicts_are_the_pairs_that_share_a_byte() {
        let ranges: Vec<Range<usize>> = (0..6_usize).flat_map(|start| (start..6).map(move |end| start..end)).collect();
        let values = with_conflicts(&ranges);
        for (first, value) in values.iter().enumerate() {
            let expected: Vec<usize> = (0..ranges.len())
                .filter(|&second| first == second || ranges[first].clone().any(|byte| ranges[second].contains(&byte)))
                .collect();
            assert_eq!(value.conflicts, expected, "{:?}", value.bytes);
        }
    }
}
