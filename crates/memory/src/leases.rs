//! Ends the leases of an arena or a plan: all of them or none.

use std::ptr::NonNull;

use crate::{AccessError, Damage, Origin, counted::Counted, header::Header, pool::PooledBlock, word::Refusal};

/// A lease that was found damaged at its end.
#[derive(Debug)]
pub(crate) struct DamagedLease {
    pub(crate) damage: Damage,
    pub(crate) pointer: NonNull<u8>,
}

/// Ends the leases of all `headers`, or refuses and changes nothing that a handle could notice.
///
/// Afterwards no handle reaches the bytes of any of them, and each header has no other owner. Does not
/// allocate if all handles are gone. The damage that was found is returned, and no lease keeps its
/// storage.
pub(crate) fn end_all(headers: &mut [Counted<Header>]) -> Result<Vec<DamagedLease>, AccessError> {
    let mut locked = Vec::new();
    // Leases that the second pass deals with: shared ones, and damaged ones.
    let mut left = Vec::new();
    // First all that others can reach are locked as a writer locks. If one refuses, dropping the locks
    // taken so far undoes them.
    for (index, slot) in headers.iter_mut().enumerate() {
        if let Some(only) = Counted::get_mut(slot) {
            // No handle is left to notice, so this lease may end whatever becomes of the others.
            if only.retire_only().is_err() {
                left.push(index);
            }
            continue;
        }
        let header: &Header = slot;
        match header.word().write() {
            Ok(lock) => locked.push((header, lock)),
            // Released before, and the releasing thread is done with the bytes.
            Err(Refusal::Dead) if header.word().is_settled() => {}
            Err(Refusal::Dying) => return Err(header.subject().refused(Refusal::Writer)),
            Err(refusal) => return Err(header.subject().refused(refusal)),
        }
        left.push(index);
    }
    // Nothing can refuse any more.
    for (_, lock) in locked {
        lock.kill();
    }
    let mut damaged = Vec::new();
    for index in left {
        let header = std::mem::replace(&mut headers[index], Counted::new(Header::spare(None)));
        if let Err(damage) = header.retire() {
            header.forget_storage();
            damaged.push(DamagedLease { damage, pointer: header.region().pointer() });
        }
    }
    Ok(damaged)
}

/// What an arena or a plan leaves behind when it is dropped; kept by the pool while a buffer is in use.
#[derive(Debug)]
pub(crate) struct Orphan {
    headers: Vec<Counted<Header>>,
    blocks: Vec<PooledBlock>,
    // Where the canaries of the one block are, if it is used as a whole.
    length: Option<usize>,
}

impl Orphan {
    /// Leases, and the blocks that only they use.
    pub(crate) fn of_arena(headers: Vec<Counted<Header>>, blocks: Vec<PooledBlock>) -> Self {
        Self { headers, blocks, length: None }
    }

    /// Leases of a block of `length` bytes that is also used as a whole.
    pub(crate) fn of_plan(headers: Vec<Counted<Header>>, block: PooledBlock, length: usize) -> Self {
        Self { headers, blocks: vec![block], length: Some(length) }
    }

    /// Ends the leases and gives the blocks back, or returns the orphan if a buffer is still in use. The
    /// damage that was found is returned.
    pub(crate) fn settle(mut self) -> Result<Option<Damage>, Self> {
        let Ok(mut damaged) = end_all(&mut self.headers) else {
            return Err(self);
        };
        if let Some(length) = self.length {
            for block in &mut self.blocks {
                if let Err(damage) = block.check(length, Origin::PlannedBlock) {
                    damaged.push(DamagedLease { damage, pointer: block.block().region().pointer() });
                }
            }
        }
        give_back(std::mem::take(&mut self.blocks), &damaged);
        Ok(damaged.first().map(|lease| lease.damage))
    }
}

impl Drop for Orphan {
    /// Blocks that were not given back may be in use, so they are leaked rather than freed. Nothing drops an orphan
    /// that is not settled; this is the net.
    fn drop(&mut self) {
        std::mem::forget(std::mem::take(&mut self.blocks));
    }
}

/// Gives blocks back to their pool, or up where one of the leases was damaged.
pub(crate) fn give_back(blocks: impl IntoIterator<Item = PooledBlock>, damaged: &[DamagedLease]) {
    for block in blocks {
        if damaged.iter().any(|lease| holds(&block, lease.pointer)) {
            block.give_up();
        } else {
            block.give_back();
        }
    }
}

/// Whether the address lies in the block.
pub(crate) fn holds(block: &PooledBlock, pointer: NonNull<u8>) -> bool {
    let region = block.block().region();
    let start = region.pointer().addr().get();
    (start..start + region.length()).contains(&pointer.addr().get())
}
