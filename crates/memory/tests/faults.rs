//! Fault injection: each block allocation of a scenario fails once, at every position.
#![cfg(not(loom))]

use std::sync::Arc;

use stratal_memory::{
    AllocationError, Arena, BlockSource, Buffer, FaultySource, PlanError, PlannedBlock, Pool, PoolOptions,
};

/// Walks through rents, arenas and plans; each failure is counted and the work goes on.
fn scenario(pool: &Pool) -> usize {
    let mut failures = 0;
    let mut note = |result: Result<Buffer, AllocationError>| match result {
        Ok(buffer) => {
            buffer.write().unwrap().fill(1);
            Some(buffer)
        }
        Err(error) => {
            assert!(matches!(error, AllocationError::OutOfMemory { .. }), "{error}");
            assert!(error.to_string().contains("no memory"));
            failures += 1;
            None
        }
    };
    let mut held = Vec::new();
    for length in [0, 100, 5000, 1 << 20] {
        held.push(note(pool.rent(length)));
        held.push(note(pool.rent_zeroed(length)));
    }
    held.truncate(3);
    for length in [0, 100, 5000] {
        held.push(note(pool.rent(length)));
    }
    let mut arena = Arena::with_chunk_length(pool, 4096);
    for _ in 0..2 {
        for length in [10, 3000, 3000, 10_000, 20] {
            let buffer = note(arena.alloc(length));
            if length == 10
                && let Some(buffer) = buffer
            {
                buffer.release().unwrap();
            }
        }
        arena.reset().unwrap();
    }
    match PlannedBlock::new(pool, 1000, std::slice::from_ref(&(0..100))) {
        Ok(mut plan) => drop(plan.value(0).unwrap()),
        Err(error) => {
            assert!(matches!(error, PlanError::Allocation(AllocationError::OutOfMemory { .. })));
            failures += 1;
        }
    }
    failures
}

fn pool_over(source: &Arc<FaultySource>) -> Pool {
    Pool::with_options(PoolOptions { source: Arc::clone(source) as Arc<dyn BlockSource>, ..PoolOptions::default() })
        .unwrap()
}

#[test]
fn a_failure_at_any_position_is_a_value_leaks_nothing_and_work_goes_on() {
    let source = Arc::new(FaultySource::counting());
    assert_eq!(scenario(&pool_over(&source)), 0);
    let positions = source.attempts();
    assert!(positions > 10, "the scenario allocates");
    for position in 0..positions {
        let source = Arc::new(FaultySource::failing_at(position));
        let pool = pool_over(&source);
        assert_eq!(scenario(&pool), 1, "position {position}");
        let usage = pool.usage().total;
        assert_eq!(usage.live_bytes, 0, "position {position}");
        // The pool still works: the same again succeeds.
        assert_eq!(scenario(&pool), 0, "position {position}");
        pool.trim();
        assert_eq!(source.blocks_out(), 0, "position {position}");
        drop(pool);
        assert_eq!(source.blocks_out(), 0);
    }
}

#[test]
fn a_pool_whose_source_is_dry_serves_what_is_idle() {
    let source = Arc::new(FaultySource::counting());
    let pool = pool_over(&source);
    drop(pool.rent(1000).unwrap());
    source.set_failing(true);
    let buffer = pool.rent(1000).unwrap();
    let error = pool.rent(1000).unwrap_err();
    assert_eq!(error, AllocationError::OutOfMemory { length: 1000, block_size: 1024 });
    assert_eq!(pool.usage().total.rents, 2, "a failed rent is none");
    drop(buffer);
    source.set_failing(false);
    assert!(pool.rent(2000).is_ok());
}
