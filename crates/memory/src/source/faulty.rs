//! `FaultySource`: a block source for tests that counts and fails on demand.

use crate::{
    Block, BlockSource, SystemSource,
    sync::{Mutex, lock},
};

/// A block source for tests: counts what it gives and takes back, and fails where it is told to.
///
/// With it a test walks a scenario once for each position at which memory could run out, and checks that
/// the failure is an error value, that nothing leaks and that work goes on.
///
/// ```
/// use std::sync::Arc;
/// use stratal_memory::{FaultySource, Pool, PoolOptions};
///
/// let source = Arc::new(FaultySource::failing_at(1));
/// let pool = Pool::with_options(PoolOptions { source: source.clone(), ..PoolOptions::default() })?;
/// let first = pool.rent(1000)?;
/// assert!(pool.rent(1000).is_err());
/// let third = pool.rent(1000)?;
/// drop((first, third, pool));
/// assert_eq!(source.blocks_out(), 0);
/// # Ok::<(), stratal_memory::AllocationError>(())
/// ```
#[derive(Debug)]
pub struct FaultySource {
    counts: Mutex<Counts>,
}

#[derive(Debug)]
struct Counts {
    attempts: u64,
    blocks_out: u64,
    failing: Failing,
}

#[derive(Debug)]
enum Failing {
    Never,
    At(u64),
    Always,
}

impl FaultySource {
    /// A source that counts and never fails.
    pub fn counting() -> Self {
        Self::new(Failing::Never)
    }

    /// A source whose allocation number `position`, counted from 0, fails.
    pub fn failing_at(position: u64) -> Self {
        Self::new(Failing::At(position))
    }

    /// From now on every allocation fails, or none does.
    pub fn set_failing(&self, is_failing: bool) {
        lock(&self.counts).failing = if is_failing { Failing::Always } else { Failing::Never };
    }

    /// How many allocations were asked for, failed ones included.
    pub fn attempts(&self) -> u64 {
        lock(&self.counts).attempts
    }

    /// How many blocks were given and not taken back.
    pub fn blocks_out(&self) -> u64 {
        lock(&self.counts).blocks_out
    }

    fn new(failing: Failing) -> Self {
        Self { counts: Mutex::new(Counts { attempts: 0, blocks_out: 0, failing }) }
    }
}

impl BlockSource for FaultySource {
    fn allocate(&self, size: usize) -> Option<Block> {
        let is_failing = {
            let mut counts = lock(&self.counts);
            let position = counts.attempts;
            counts.attempts += 1;
            match counts.failing {
                Failing::Never => false,
                Failing::At(failing) => position == failing,
                Failing::Always => true,
            }
        };
        if is_failing {
            return None;
        }
        let block = SystemSource.allocate(size)?;
        lock(&self.counts).blocks_out += 1;
        Some(block)
    }

    fn free(&self, block: Block) {
        drop(block);
        lock(&self.counts).blocks_out -= 1;
    }
}
