//! Checked builds: fills, and canaries that tell of writes past the end. Empty in other builds.
#![cfg(all(not(loom), not(miri), any(debug_assertions, feature = "checked")))]
#![expect(unsafe_code, reason = "writes past the end on purpose")]

use std::panic::{AssertUnwindSafe, catch_unwind};

use stratal_memory::{Arena, Buffer, CHECKED, Origin, PlannedBlock, Pool, ReleaseError, ResetError};

/// Does what a wrong kernel does: writes a byte `past` bytes after the end.
fn write_past_the_end(buffer: &Buffer, past: usize) {
    let mut writing = buffer.write().unwrap();
    let length = writing.len();
    let pointer = writing.as_mut_ptr().wrapping_add(length + past);
    // SAFETY: in checked builds 64 canary bytes follow each buffer in the same allocation, and nobody
    // else looks at them while the buffer is alive.
    unsafe { pointer.write(0x17) };
}

#[test]
fn new_and_returned_memory_is_filled() {
    const { assert!(CHECKED) };
    let pool = Pool::new();
    for length in [1, 100, 5000, (2 << 20) + 1] {
        let buffer = pool.rent(length).unwrap();
        assert!(buffer.read().unwrap().iter().all(|&byte| byte == 0xFF));
        assert_eq!(buffer.version(), 0);
        buffer.write().unwrap().fill(1);
        drop(buffer);
        let next = pool.rent(length).unwrap();
        assert!(next.read().unwrap().iter().all(|&byte| byte == 0xFF));
    }
    let mut arena = Arena::new(&pool);
    for _ in 0..2 {
        let buffer = arena.alloc(100).unwrap();
        assert!(buffer.read().unwrap().iter().all(|&byte| byte == 0xFF));
        buffer.write().unwrap().fill(1);
        arena.reset().unwrap();
    }
}

#[test]
fn a_release_names_the_buffer_its_length_and_the_first_bad_byte() {
    let pool = Pool::new();
    for (rent, (length, past)) in [(100, 0), (0, 63), (64, 1), (5000, 7)].into_iter().enumerate() {
        let buffer = pool.rent(length).unwrap();
        write_past_the_end(&buffer, past);
        let Err(ReleaseError::Damaged(damage)) = buffer.release() else {
            panic!("damage is found");
        };
        assert_eq!(damage.origin, Origin::Pool { rent: rent as u64 });
        assert_eq!((damage.length, damage.first_bad_byte, damage.found), (length, length + past, 0x17));
        assert_eq!(
            ReleaseError::Damaged(damage).to_string(),
            format!(
                "released, but buffer {rent} of a pool, {length} bytes, was written past its end: \
                 byte {} is 0x17, not 0xa5",
                length + past
            )
        );
        assert!(buffer.is_stale());
        assert!(matches!(buffer.release(), Err(ReleaseError::Refused(_))));
        let usage = pool.usage().total;
        assert_eq!((usage.live_bytes, usage.idle_bytes), (0, 0), "the block is never used again");
        assert_eq!(pool.damage(), rent as u64 + 1);
    }
}

#[test]
fn damage_found_at_a_last_drop_is_counted_and_debug_builds_panic() {
    let pool = Pool::new();
    let buffer = pool.rent(10).unwrap();
    write_past_the_end(&buffer, 3);
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(buffer)));
    assert_eq!(dropped.is_err(), cfg!(debug_assertions));
    assert_eq!(pool.damage(), 1);
    assert_eq!(pool.usage().total.idle_bytes, 0);

    // While unwinding there is no second panic, which would abort.
    let buffer = pool.rent(10).unwrap();
    write_past_the_end(&buffer, 3);
    let unwound = catch_unwind(AssertUnwindSafe(move || {
        let _held = buffer;
        panic!("on purpose");
    }));
    assert_eq!(*unwound.unwrap_err().downcast::<&str>().unwrap(), "on purpose");
    assert_eq!(pool.damage(), 2);
}

#[test]
fn a_reset_tells_of_damage_and_gives_up_the_chunk_alone() {
    let pool = Pool::new();
    let mut arena = Arena::with_chunk_length(&pool, 4096);
    let whole = arena.alloc(10).unwrap();
    let large = arena.alloc(10_000).unwrap();
    write_past_the_end(&large, 0);
    drop(large);
    let Err(ResetError::Damaged(damage)) = arena.reset() else {
        panic!("damage is found");
    };
    assert_eq!((damage.origin, damage.first_bad_byte), (Origin::Arena { index: 1 }, 10_000));
    assert!(whole.is_stale(), "the reset is done");
    assert_eq!(pool.damage(), 1);
    assert!(arena.bytes_held() > 0 && arena.bytes_held() < 10_000);
    arena.alloc(10_000).unwrap();
    arena.reset().unwrap();
}

#[test]
fn damage_found_at_a_release_in_an_arena_is_not_forgotten_by_its_reset() {
    let pool = Pool::new();
    let mut arena = Arena::new(&pool);
    let buffer = arena.alloc(10).unwrap();
    write_past_the_end(&buffer, 5);
    assert!(matches!(buffer.release(), Err(ReleaseError::Damaged(_))));
    assert_eq!(pool.damage(), 0, "its chunk is still in use");
    let Err(ResetError::Damaged(damage)) = arena.reset() else {
        panic!("damage is found again");
    };
    assert_eq!(damage.first_bad_byte, 15);
    assert_eq!((pool.damage(), arena.bytes_held()), (1, 0));
    // The same with all handles gone.
    let buffer = arena.alloc(10).unwrap();
    write_past_the_end(&buffer, 5);
    drop(buffer);
    assert!(matches!(arena.reset(), Err(ResetError::Damaged(_))));
    assert_eq!(pool.damage(), 2);
    arena.reset().unwrap();
}

#[test]
fn a_refused_reset_keeps_damage_for_the_next() {
    let pool = Pool::new();
    let mut arena = Arena::new(&pool);
    let damaged = arena.alloc(10).unwrap();
    let held = arena.alloc(10).unwrap();
    write_past_the_end(&damaged, 0);
    drop(damaged);
    let reading = held.read().unwrap();
    assert!(matches!(arena.reset(), Err(ResetError::Refused(_))));
    drop(reading);
    assert!(matches!(arena.reset(), Err(ResetError::Damaged(_))));
}

#[test]
fn a_dropped_arena_and_a_dropped_plan_tell_of_damage() {
    let pool = Pool::new();
    let arena = Arena::new(&pool);
    write_past_the_end(&arena.alloc(10).unwrap(), 0);
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(arena)));
    assert_eq!(dropped.is_err(), cfg!(debug_assertions));
    assert_eq!(pool.damage(), 1);

    let mut plan = PlannedBlock::new(&pool, 64, std::slice::from_ref(&(0..64))).unwrap();
    write_past_the_end(&plan.value(0).unwrap(), 2);
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(plan)));
    assert_eq!(dropped.is_err(), cfg!(debug_assertions));
    assert_eq!(pool.damage(), 2);
    assert_eq!(pool.usage().total.live_bytes, 0);
}
