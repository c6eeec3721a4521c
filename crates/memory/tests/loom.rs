//! Models of the borrow protocol: every interleaving, and every value the memory model allows to be
//! read, is tried on the real buffers, pool and arena.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --package stratal-memory --release --test loom
//! ```
//!
//! Under `--cfg loom` each cache line of a block has a cell that the checker watches, so two accesses to
//! bytes that are not ordered fail a model, as does one after the block was freed.
#![cfg(loom)]

use std::sync::Arc;

use loom::thread;
use stratal_memory::{
    AccessError, Arena, Buffer, FrozenBuffer, PlanError, PlannedBlock, Pool, ReleaseError, ResetError, access,
};

/// Runs a model over all interleavings with at most this many preemptions.
fn model(preemptions: usize, body: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(body);
}

/// A buffer of zeros, and its pool.
fn rented() -> (Pool, Buffer) {
    let pool = Pool::new();
    let buffer = pool.rent_zeroed(4).unwrap();
    (pool, buffer)
}

/// Writes two bytes that must only ever be seen equal.
fn write_pair(buffer: &Buffer, value: u8) -> bool {
    match buffer.write() {
        Ok(mut guard) => {
            guard[0] = value;
            guard[1] = value;
            true
        }
        Err(_) => false,
    }
}

/// Reads the two bytes, if it may.
fn read_pair(buffer: &Buffer) -> Result<u8, AccessError> {
    let guard = buffer.read()?;
    assert_eq!(guard[0], guard[1], "a torn pair");
    Ok(guard[0])
}

#[test]
fn a_reader_and_a_writer() {
    model(3, || {
        let (pool, buffer) = rented();
        let reader = buffer.clone();
        let thread = thread::spawn(move || match read_pair(&reader) {
            Ok(value) => assert!(value == 0 || value == 1),
            Err(error) => assert!(matches!(error, AccessError::BeingWritten { .. })),
        });
        let was_written = write_pair(&buffer, 1);
        thread.join().unwrap();
        assert_eq!(read_pair(&buffer), Ok(u8::from(was_written)));
        assert_eq!(buffer.version(), u64::from(was_written));
        drop(buffer);
        drop(pool);
    });
}

#[test]
fn two_writers() {
    model(3, || {
        let (pool, buffer) = rented();
        let other = buffer.clone();
        let thread = thread::spawn(move || write_pair(&other, 1));
        let here = write_pair(&buffer, 2);
        let there = thread.join().unwrap();
        assert!(here || there, "somebody wins");
        assert_eq!(buffer.version(), u64::from(here) + u64::from(there));
        read_pair(&buffer).unwrap();
        drop(buffer);
        drop(pool);
    });
}

#[test]
fn two_readers_and_a_writer() {
    model(2, || {
        let (pool, buffer) = rented();
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let reader = buffer.clone();
                thread::spawn(move || read_pair(&reader).is_ok())
            })
            .collect();
        write_pair(&buffer, 1);
        for thread in threads {
            thread.join().unwrap();
        }
        assert!(write_pair(&buffer, 2), "no borrow is left over");
        drop(buffer);
        drop(pool);
    });
}

#[test]
fn a_read_against_release_and_rent() {
    model(3, || {
        let (pool, buffer) = rented();
        assert!(write_pair(&buffer, 1));
        let stale = buffer.clone();
        let thread = thread::spawn(move || match read_pair(&stale) {
            Ok(value) => assert_eq!(value, 1, "never the bytes of the next lease"),
            Err(error) => assert!(matches!(error, AccessError::Stale { .. })),
        });
        if buffer.release().is_ok() {
            let next = pool.rent(4).unwrap();
            assert!(write_pair(&next, 2));
        }
        thread.join().unwrap();
        drop(buffer);
        drop(pool);
    });
}

#[test]
fn a_write_against_release_and_rent() {
    model(3, || {
        let (pool, buffer) = rented();
        let stale = buffer.clone();
        let thread = thread::spawn(move || write_pair(&stale, 1));
        if buffer.release().is_ok() {
            let next = pool.rent_zeroed(4).unwrap();
            assert_eq!(read_pair(&next), Ok(0), "nobody writes into the next lease");
        }
        thread.join().unwrap();
        drop(buffer);
        drop(pool);
    });
}

#[test]
fn two_releases() {
    model(3, || {
        let (pool, buffer) = rented();
        let other = buffer.clone();
        let thread = thread::spawn(move || other.release());
        let here = buffer.release();
        let there = thread.join().unwrap();
        assert!(here.is_ok() != there.is_ok(), "exactly one succeeds");
        let loser = here.and(there).unwrap_err();
        assert!(matches!(loser, ReleaseError::Refused(AccessError::Stale { .. })));
        assert_eq!(pool.usage().total.live_bytes, 0);
        drop(buffer);
        drop(pool);
    });
}

#[test]
fn two_last_drops() {
    model(3, || {
        let (pool, buffer) = rented();
        assert!(write_pair(&buffer, 1));
        let other = buffer.clone();
        let thread = thread::spawn(move || {
            let _ = read_pair(&other);
            drop(other);
        });
        drop(buffer);
        thread.join().unwrap();
        let usage = pool.usage().total;
        assert_eq!((usage.live_bytes, usage.idle_bytes), (0, 64));
        let next = pool.rent_zeroed(4).unwrap();
        assert_eq!(read_pair(&next), Ok(0));
        assert_eq!(pool.usage().total.hits, 1);
        drop(next);
        drop(pool);
    });
}

#[test]
fn a_release_against_the_last_drop() {
    model(3, || {
        let (pool, buffer) = rented();
        let other = buffer.clone();
        let thread = thread::spawn(move || {
            other.release().unwrap();
            drop(other);
        });
        drop(buffer);
        thread.join().unwrap();
        let usage = pool.usage().total;
        assert_eq!((usage.live_bytes, usage.idle_bytes), (0, 64));
        drop(pool);
    });
}

#[test]
fn a_last_drop_against_a_rent() {
    model(3, || {
        let (pool, buffer) = rented();
        let pool = Arc::new(pool);
        assert!(write_pair(&buffer, 1));
        let renter = Arc::clone(&pool);
        let thread = thread::spawn(move || {
            let next = renter.rent_zeroed(4).unwrap();
            assert_eq!(read_pair(&next), Ok(0));
        });
        drop(buffer);
        thread.join().unwrap();
        assert_eq!(pool.usage().total.live_bytes, 0);
        drop(pool);
    });
}

#[test]
fn a_dropped_pool_against_a_last_drop() {
    model(3, || {
        let (pool, buffer) = rented();
        let thread = thread::spawn(move || drop(pool));
        drop(buffer);
        thread.join().unwrap();
    });
}

#[test]
fn a_reset_against_a_borrow() {
    model(3, || {
        let pool = Pool::new();
        let mut arena = Arena::with_chunk_length(&pool, 256);
        let buffer = arena.alloc_zeroed(4).unwrap();
        assert!(write_pair(&buffer, 1));
        let thread = thread::spawn(move || match read_pair(&buffer) {
            Ok(value) => assert_eq!(value, 1),
            Err(error) => assert!(matches!(error, AccessError::Stale { .. } | AccessError::BeingWritten { .. })),
        });
        match arena.reset() {
            Ok(()) => {
                let next = arena.alloc(4).unwrap();
                assert!(write_pair(&next, 2));
            }
            Err(error) => assert!(matches!(error, ResetError::Refused(AccessError::BeingRead { .. }))),
        }
        thread.join().unwrap();
        arena.reset().unwrap();
        drop(arena);
        drop(pool);
    });
}

#[test]
fn a_refused_reset_is_undone() {
    model(2, || {
        let pool = Pool::new();
        let mut arena = Arena::with_chunk_length(&pool, 256);
        let first = arena.alloc_zeroed(4).unwrap();
        let second = arena.alloc_zeroed(4).unwrap();
        let writer = first.clone();
        let thread = thread::spawn(move || write_pair(&writer, 1));
        let reading = second.read().unwrap();
        assert!(matches!(arena.reset(), Err(ResetError::Refused(_))));
        assert!(!first.is_stale() && !second.is_stale());
        assert_eq!(reading[0], 0);
        let was_written = thread.join().unwrap();
        assert_eq!(read_pair(&first), Ok(u8::from(was_written)));
        assert!(write_pair(&first, 2), "the lock was undone");
        drop(reading);
        drop(arena);
        assert!(first.is_stale() && second.is_stale());
        drop((first, second));
        drop(pool);
    });
}

#[test]
fn a_release_in_an_arena_against_its_reset() {
    model(3, || {
        let pool = Pool::new();
        let mut arena = Arena::with_chunk_length(&pool, 256);
        let buffer = arena.alloc_zeroed(4).unwrap();
        let handle = buffer.clone();
        let thread = thread::spawn(move || {
            // The release looks at the bytes once more after the handle is stale.
            let _ = handle.release();
        });
        match arena.reset() {
            Ok(()) => {
                let next = arena.alloc_zeroed(4).unwrap();
                assert!(write_pair(&next, 2));
            }
            Err(error) => assert!(matches!(error, ResetError::Refused(_))),
        }
        thread.join().unwrap();
        drop(buffer);
        drop(arena);
        drop(pool);
    });
}

#[test]
fn a_planned_value_against_the_release_of_another() {
    model(3, || {
        let pool = Pool::new();
        let mut plan = PlannedBlock::new(&pool, 64, &[0..64, 0..64]).unwrap();
        let first = plan.value(0).unwrap();
        let handle = first.clone();
        let thread = thread::spawn(move || {
            assert!(write_pair(&handle, 1));
            handle.release().unwrap();
        });
        match plan.value(1) {
            Ok(second) => assert!(write_pair(&second, 2)),
            Err(error) => assert_eq!(error, PlanError::Overlap { value: 1, live: 0 }),
        }
        thread.join().unwrap();
        drop(first);
        plan.frame().unwrap();
        drop(plan);
        drop(pool);
    });
}

#[test]
fn freezing_against_a_writer_and_a_reader() {
    model(2, || {
        let (pool, buffer) = rented();
        let writer = buffer.clone();
        let thread = thread::spawn(move || write_pair(&writer, 1));
        let reader = buffer.clone();
        let other = thread::spawn(move || read_pair(&reader).is_ok());
        let frozen: Option<FrozenBuffer> = buffer.freeze().ok();
        if let Some(frozen) = &frozen {
            assert_eq!(frozen[0], frozen[1], "nobody writes frozen bytes");
            assert!(matches!(buffer.write(), Err(AccessError::Frozen { .. })));
        }
        thread.join().unwrap();
        other.join().unwrap();
        drop((frozen, buffer));
        drop(pool);
    });
}

#[test]
fn a_reader_that_finds_the_buffer_frozen_by_another_thread() {
    model(3, || {
        let (pool, buffer) = rented();
        let other = buffer.clone();
        let thread = thread::spawn(move || {
            write_pair(&other, 1);
            let _ = other.freeze();
        });
        // Uncounted reads see what was written before freezing.
        match buffer.read() {
            Ok(guard) => {
                let value = guard[0];
                assert_eq!(guard[1], value);
            }
            Err(error) => assert!(matches!(error, AccessError::BeingWritten { .. })),
        }
        thread.join().unwrap();
        drop(buffer);
        drop(pool);
    });
}

#[test]
fn an_access_to_several_buffers_from_both_ends() {
    model(2, || {
        let pool = Pool::new();
        let (a, b) = (pool.rent_zeroed(4).unwrap(), pool.rent_zeroed(4).unwrap());
        let (other_a, other_b) = (a.clone(), b.clone());
        let thread = thread::spawn(move || {
            access(&other_a, [&other_b]).map(|(mut output, [input])| output[0] = input[0] + 1).is_ok()
        });
        let here = access(&b, [&a]).map(|(mut output, [input])| output[0] = input[0] + 1).is_ok();
        let there = thread.join().unwrap();
        assert_eq!(b.version(), u64::from(here));
        assert_eq!(a.version(), u64::from(there));
        assert!(a.write().is_ok() && b.write().is_ok(), "no borrow is left over");
        drop((a, b));
        drop(pool);
    });
}
