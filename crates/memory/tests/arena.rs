//! The arena: placement, chunks, the high-water mark, what a warm run costs, and what dropping does.
#![cfg(not(loom))]

use std::sync::Arc;

use stratal_memory::{
    AccessError, AllocationError, Arena, CHECKED, FaultySource, LENGTH_MAX, Pool, PoolOptions, ReleaseError,
};

fn counted_pool() -> (Pool, Arc<FaultySource>) {
    let source = Arc::new(FaultySource::counting());
    let pool = Pool::with_options(PoolOptions { source: source.clone(), ..PoolOptions::default() });
    (pool.unwrap(), source)
}

#[test]
fn buffers_are_placed_one_after_the_other_on_cache_lines() {
    let pool = Pool::new();
    let arena = Arena::new(&pool);
    let buffers: Vec<_> = [0, 1, 64, 65, 1000].into_iter().map(|length| arena.alloc(length).unwrap()).collect();
    let guards: Vec<_> = buffers.iter().map(|buffer| buffer.write().unwrap()).collect();
    let starts: Vec<_> = guards.iter().map(|guard| guard.as_ptr().addr()).collect();
    let canary = if CHECKED { 64 } else { 0 };
    let steps: Vec<_> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(steps, [if CHECKED { 128 } else { 64 }, 64 + canary, 64 + canary, 128 + canary]);
    assert!(starts.iter().all(|start| start % 64 == 0));
}

#[test]
fn the_high_water_mark_outlives_a_reset() {
    let pool = Pool::new();
    let mut arena = Arena::new(&pool);
    arena.alloc(1000).unwrap();
    let used = arena.bytes_used();
    assert!(used >= 1000);
    arena.reset().unwrap();
    assert_eq!((arena.bytes_used(), arena.bytes_peak()), (0, used));
    arena.alloc(1).unwrap();
    assert_eq!(arena.bytes_peak(), used);
    assert!(arena.bytes_held() >= 1 << 20);
    arena.trim();
    assert!(arena.bytes_held() >= 1 << 20, "the chunk is in use");
    arena.reset().unwrap();
    arena.trim();
    assert_eq!(arena.bytes_held(), 0);
    assert_eq!(pool.usage().total.live_bytes, 0);
}

#[test]
fn a_warm_run_takes_nothing_from_heap_or_system() {
    let (pool, source) = counted_pool();
    let mut arena = Arena::with_chunk_length(&pool, 8192);
    let run = |arena: &mut Arena| {
        for step in 0..50 {
            // Some in shared chunks, some in chunks of their own.
            let buffer = arena.alloc(step * 397).unwrap();
            buffer.write().unwrap().fill(1);
            if step % 7 == 0 {
                buffer.release().unwrap();
            }
        }
        arena.reset().unwrap();
    };
    run(&mut arena);
    let attempts = source.attempts();
    let held = arena.bytes_held();
    let counted = allocation_counter::measure(|| run(&mut arena));
    assert_eq!(counted.count_total, 0);
    assert_eq!(source.attempts(), attempts);
    assert_eq!(arena.bytes_held(), held);
}

#[test]
fn alternating_runs_settle_after_one_round_each() {
    let (pool, source) = counted_pool();
    let mut arena = Arena::with_chunk_length(&pool, 1 << 16);
    let runs: [&[usize]; 3] =
        [&[64, 2048, 64], &[200_000, 64, 300_000, 64, 1 << 16, 70_000], &[70_000, 200_000, 200_000, 5]];
    let mut settled_attempts = 0;
    for round in 0..1000 {
        for run in runs {
            let buffers: Vec<_> = run.iter().map(|&length| arena.alloc(length).unwrap()).collect();
            for buffer in &buffers {
                buffer.write().unwrap().first_mut().into_iter().for_each(|byte| *byte = 1);
            }
            drop(buffers);
            arena.reset().unwrap();
        }
        if round == 0 {
            settled_attempts = source.attempts();
        }
        assert_eq!(source.attempts(), settled_attempts, "round {round}");
    }
    arena.trim();
    pool.trim();
    assert_eq!(source.blocks_out(), 0, "all of it can be had back");
}

#[test]
fn a_released_buffer_is_stale_at_once_and_its_memory_comes_back_at_the_reset() {
    let pool = Pool::new();
    let mut arena = Arena::new(&pool);
    let buffer = arena.alloc(100).unwrap();
    let used = arena.bytes_used();
    buffer.release().unwrap();
    assert!(matches!(buffer.read(), Err(AccessError::Stale { .. })));
    assert!(matches!(buffer.release(), Err(ReleaseError::Refused(AccessError::Stale { .. }))));
    assert_eq!(arena.bytes_used(), used);
    arena.reset().unwrap();
    assert_eq!(arena.bytes_used(), 0);
    let next = arena.alloc(100).unwrap();
    assert!(next.read().is_ok() && buffer.read().is_err());
}

#[test]
fn dropping_an_arena_ends_its_buffers() {
    let (pool, source) = counted_pool();
    let arena = Arena::new(&pool);
    let buffer = arena.alloc(100).unwrap();
    drop(arena);
    assert!(buffer.is_stale());
    assert_eq!(pool.usage().total.live_bytes, 0);
    pool.trim();
    assert_eq!(source.blocks_out(), 0);
}

#[test]
fn an_arena_dropped_under_a_guard_gives_its_memory_back_later() {
    let (pool, source) = counted_pool();
    let arena = Arena::new(&pool);
    let buffer = arena.alloc_zeroed(100).unwrap();
    let reading = buffer.read().unwrap();
    drop(arena);
    assert_eq!(reading[99], 0, "the memory is still there");
    pool.trim();
    assert_eq!(reading[99], 0);
    assert!(source.blocks_out() > 0);
    drop(reading);
    assert!(!buffer.is_stale());
    pool.trim();
    assert!(buffer.is_stale());
    assert_eq!(source.blocks_out(), 0);
}

#[test]
fn an_arena_outlives_its_pool() {
    let (pool, source) = counted_pool();
    let mut arena = Arena::with_chunk_length(&pool, 256);
    drop(pool);
    let others: Vec<_> = (0..3).map(|_| counted_pool()).collect();
    let buffer = arena.alloc(1000).unwrap();
    buffer.write().unwrap().fill(1);
    arena.alloc(1).unwrap();
    assert_eq!(source.blocks_out(), 2, "it stays with its own source");
    assert!(others.iter().all(|(_, other)| other.attempts() == 0));
    drop(buffer);
    arena.reset().unwrap();
    drop(arena);
    assert_eq!(source.blocks_out(), 0);
}

#[test]
fn an_arena_may_move_to_another_thread_with_handles_left_behind() {
    let pool = Pool::new();
    let mut arena = Arena::new(&pool);
    let buffer = arena.alloc_zeroed(10).unwrap();
    let arena = std::thread::spawn(move || {
        arena.reset().unwrap();
        arena.alloc(10).unwrap().write().unwrap().fill(7);
        arena
    })
    .join()
    .unwrap();
    assert!(buffer.is_stale());
    drop(arena);
}

#[test]
fn impossible_lengths_are_errors_and_harm_nothing() {
    let pool = Pool::new();
    let arena = Arena::new(&pool);
    let buffer = arena.alloc(8).unwrap();
    for length in [LENGTH_MAX + 1, usize::MAX - 63, usize::MAX] {
        assert_eq!(arena.alloc(length).unwrap_err(), AllocationError::TooLong { length });
    }
    assert!(buffer.write().is_ok());
    let tiny = Arena::with_chunk_length(&pool, 0);
    assert!(tiny.alloc(0).is_ok() && tiny.alloc(1).is_ok());
    let huge = Arena::with_chunk_length(&pool, usize::MAX);
    drop(huge);
}
