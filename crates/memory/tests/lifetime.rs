//! Handles and guards: what is refused, when a handle is stale, and what each error says.
#![cfg(not(loom))]

use stratal_memory::{
    AccessError, Arena, Buffer, FrozenBuffer, Origin, Pool, ReadGuard, ReleaseError, ResetError, WriteGuard, access,
};

fn rented(length: usize) -> (Pool, Buffer) {
    let pool = Pool::new();
    let buffer = pool.rent(length).unwrap();
    (pool, buffer)
}

#[test]
fn a_handle_is_stale_after_release_and_after_the_block_was_rented_again() {
    let (pool, buffer) = rented(100);
    let other = buffer.clone();
    let generation = buffer.generation();
    buffer.release().unwrap();
    let next = pool.rent(100).unwrap();
    assert_eq!(pool.usage().total.hits, 1, "the block was rented again");
    next.write().unwrap().fill(9);
    for stale in [&buffer, &other] {
        let expected =
            AccessError::Stale { origin: Origin::Pool { rent: 0 }, length: 100, generation, current: generation + 1 };
        assert_eq!(stale.read().unwrap_err(), expected);
        assert_eq!(stale.write().unwrap_err(), expected);
        assert_eq!(stale.freeze().unwrap_err(), expected);
        assert!(stale.is_stale());
        assert_eq!(stale.generation(), generation);
        assert_eq!(stale.current_generation(), generation + 1);
        assert_eq!(access(&next, [stale]).unwrap_err(), expected);
        assert_eq!(access(stale, [&next]).unwrap_err(), expected);
        assert_eq!(access(stale, [stale]).unwrap_err(), expected);
        assert_eq!(
            expected.to_string(),
            format!(
                "stale handle of buffer 0 of a pool, 100 bytes: it is of generation {generation}, \
                 the buffer now of {}",
                generation + 1
            )
        );
    }
    assert_eq!(next.version(), 1, "refused accesses leave the version");
    drop((buffer, other));
    assert_eq!(next.read().unwrap()[0], 9);
    assert_eq!(pool.usage().total.live_bytes, 128);
}

#[test]
fn a_handle_is_stale_after_a_reset() {
    let pool = Pool::new();
    let mut arena = Arena::new(&pool);
    let buffer = arena.alloc(10).unwrap();
    arena.reset().unwrap();
    let next = arena.alloc(10).unwrap();
    next.write().unwrap().fill(1);
    assert!(matches!(buffer.read(), Err(AccessError::Stale { .. })));
    assert!(matches!(
        buffer.release(),
        Err(ReleaseError::Refused(AccessError::Stale { origin: Origin::Arena { index: 0 }, .. }))
    ));
    assert!(!buffer.is_same(&next));
}

#[test]
fn a_second_release_is_stale() {
    let (_pool, buffer) = rented(8);
    buffer.release().unwrap();
    let error = buffer.release().unwrap_err();
    assert!(matches!(error, ReleaseError::Refused(AccessError::Stale { .. })));
    assert!(error.to_string().starts_with("cannot release: stale handle"));
}

#[test]
fn a_release_under_a_guard_is_refused_and_changes_nothing() {
    let (_pool, buffer) = rented(8);
    let handle = buffer.clone();
    let first = buffer.read().unwrap();
    let second = handle.read().unwrap();
    let refused = handle.release().unwrap_err();
    assert_eq!(
        refused,
        ReleaseError::Refused(AccessError::BeingRead { origin: Origin::Pool { rent: 0 }, length: 8, readers: 2 })
    );
    drop((first, second));
    let writing = buffer.write().unwrap();
    assert!(matches!(handle.release(), Err(ReleaseError::Refused(AccessError::BeingWritten { .. }))));
    drop(writing);
    assert!(!handle.is_stale());
    handle.release().unwrap();
}

#[test]
fn readers_and_writers_exclude_each_other_by_value() {
    let (_pool, buffer) = rented(8);
    let handle = buffer.clone();
    let reading = buffer.read().unwrap();
    assert!(matches!(handle.write(), Err(AccessError::BeingRead { readers: 1, .. })));
    assert!(handle.read().is_ok());
    drop(reading);
    let writing = buffer.write().unwrap();
    let error = handle.read().unwrap_err();
    assert!(matches!(error, AccessError::BeingWritten { .. }));
    assert!(error.to_string().contains("whole buffer"), "{error}");
    assert!(matches!(handle.write(), Err(AccessError::BeingWritten { .. })));
    drop(writing);
    assert!(handle.write().is_ok());
}

#[test]
fn unwinding_ends_a_borrow_and_poisons_nothing() {
    let (_pool, buffer) = rented(8);
    let handle = buffer.clone();
    let unwound = std::panic::catch_unwind(move || {
        let mut writing = handle.write().unwrap();
        writing[0] = 5;
        panic!("on purpose");
    });
    assert!(unwound.is_err());
    assert_eq!(buffer.read().unwrap()[0], 5);
}

#[test]
fn each_granted_write_counts_once_and_a_refused_one_not() {
    let (_pool, buffer) = rented(9);
    assert_eq!(buffer.version(), 0);
    drop(buffer.write().unwrap());
    drop(buffer.write_as::<u8>().unwrap());
    assert_eq!(buffer.version(), 2);
    assert!(buffer.write_as::<f32>().is_err(), "nine bytes are no floats");
    let reading = buffer.read().unwrap();
    assert!(buffer.write().is_err());
    assert_eq!(reading.version(), 2);
    drop(reading);
    let writing = buffer.write().unwrap();
    assert_eq!(writing.version(), 3);
    drop(writing);
    assert_eq!(buffer.clone().version(), 3, "all handles share it");
}

#[test]
fn the_next_lease_starts_at_version_zero_and_a_later_generation() {
    let (pool, buffer) = rented(8);
    drop(buffer.write().unwrap());
    let generation = buffer.generation();
    drop(buffer);
    let next = pool.rent(8).unwrap();
    assert_eq!(next.version(), 0);
    assert!(next.generation() > generation);
}

#[test]
fn typed_faces_check_length_and_alignment() {
    let (_pool, buffer) = rented(12);
    buffer.write_as::<u32>().unwrap().copy_from_slice(&[1, 2, 3]);
    assert_eq!(buffer.read_as::<[u8; 3]>().unwrap().len(), 4);
    assert_eq!(buffer.read_as::<u32>().unwrap()[..], [1, 2, 3]);
    assert_eq!(buffer.read_as::<u64>().unwrap_err(), AccessError::Ragged { length: 12, element_size: 8 });
    assert!(buffer.read_as::<()>().is_err(), "no number of nothings makes twelve bytes");
    assert!(buffer.write().is_ok(), "a refused face holds no borrow");
    let (_pool, empty) = rented(0);
    assert!(empty.read_as::<u64>().unwrap().is_empty());
    assert!(empty.write_as::<u64>().unwrap().is_empty());
}

#[test]
fn several_buffers_are_opened_all_or_none() {
    let pool = Pool::new();
    let (a, b, output) = (pool.rent_zeroed(4).unwrap(), pool.rent_zeroed(4).unwrap(), pool.rent_zeroed(4).unwrap());
    {
        let (mut writing, [first, second, again]) = access(&output, [&a, &b, &a]).unwrap();
        writing[0] = first[0] + second[0] + again[0];
        assert!(a.write().is_err() && output.read().is_err());
    }
    assert_eq!(output.version(), 1);
    assert_eq!(
        access(&output, [&a, &output]).unwrap_err(),
        AccessError::OutputIsInput { origin: output.origin(), input: 1 }
    );
    let held = b.write().unwrap();
    assert!(matches!(access(&output, [&a, &b]), Err(AccessError::BeingWritten { .. })));
    drop(held);
    let held = output.read().unwrap();
    assert!(matches!(access(&output, [&a]), Err(AccessError::BeingRead { .. })));
    drop(held);
    assert_eq!(output.version(), 1, "failed openings count nothing");
    for buffer in [&a, &b, &output] {
        assert!(buffer.write().is_ok(), "no guard is left over");
    }
    let (_, []) = access(&output, []).unwrap();
}

#[test]
fn frozen_buffers_are_read_only_for_good() {
    let (pool, buffer) = rented(4);
    buffer.write().unwrap().copy_from_slice(&[1, 2, 3, 4]);
    let reading = buffer.read().unwrap();
    let frozen = buffer.freeze().unwrap();
    drop(reading);
    assert!(buffer.is_frozen());
    assert!(matches!(buffer.write(), Err(AccessError::Frozen { .. })));
    assert!(matches!(buffer.release(), Err(ReleaseError::Refused(AccessError::Frozen { .. }))));
    assert_eq!(buffer.read().unwrap()[..], frozen[..]);
    assert_eq!(buffer.freeze().unwrap()[..], [1, 2, 3, 4]);
    assert_eq!(buffer.version(), 1);
    drop(buffer);
    assert_eq!(frozen.clone()[3], 4);
    assert_eq!(pool.usage().total.live_bytes, 64);
    drop(frozen.into_buffer());
    assert_eq!(pool.usage().total.live_bytes, 0);
    let next = pool.rent(4).unwrap();
    assert!(!next.is_frozen(), "the next lease is not");
    assert!(next.write().is_ok());
}

#[test]
fn freezing_is_refused_under_a_writer() {
    let (_pool, buffer) = rented(4);
    let writing = buffer.write().unwrap();
    assert!(matches!(buffer.freeze(), Err(AccessError::BeingWritten { .. })));
    drop(writing);
    assert!(!buffer.is_frozen());
}

#[test]
fn an_arena_is_not_reset_under_a_guard_or_a_frozen_handle() {
    let pool = Pool::new();
    let mut arena = Arena::new(&pool);
    let (a, b) = (arena.alloc_zeroed(8).unwrap(), arena.alloc_zeroed(8).unwrap());
    let reading = b.read().unwrap();
    assert_eq!(
        arena.reset().unwrap_err(),
        ResetError::Refused(AccessError::BeingRead { origin: Origin::Arena { index: 1 }, length: 8, readers: 1 })
    );
    assert!(!a.is_stale() && a.write().is_ok(), "nothing has changed");
    drop(reading);
    let frozen = b.freeze().unwrap();
    assert!(matches!(arena.reset(), Err(ResetError::Refused(AccessError::Frozen { .. }))));
    drop(b);
    assert!(arena.reset().is_err(), "the frozen handle is still there");
    drop(frozen);
    arena.reset().unwrap();
    assert!(a.is_stale());
}

#[test]
fn main_types_and_errors_can_be_sent_and_shared() {
    fn check<T: Send + Sync + 'static>() {}
    fn check_send<T: Send + 'static>() {}
    fn check_guard<T: Send + Sync>() {}
    check::<Buffer>();
    check::<FrozenBuffer>();
    check::<Pool>();
    check::<stratal_memory::PlannedBlock>();
    check::<stratal_memory::MappedFile>();
    check::<stratal_memory::Block>();
    check::<AccessError>();
    check::<stratal_memory::AllocationError>();
    check::<ReleaseError>();
    check::<ResetError>();
    check::<stratal_memory::MapError>();
    check::<stratal_memory::PlanError>();
    check_send::<Arena>();
    check_guard::<ReadGuard<'_, f32>>();
    check_guard::<WriteGuard<'_, f32>>();
}

#[test]
fn debug_texts_name_the_state_and_no_address() {
    let (_pool, buffer) = rented(4);
    assert_eq!(
        format!("{buffer:?}"),
        format!(
            "Buffer {{ origin: Pool {{ rent: 0 }}, length: 4, generation: {}, version: 0, borrow: \"idle\" }}",
            buffer.generation()
        )
    );
    let writing = buffer.write().unwrap();
    assert!(format!("{buffer:?}").contains("being written"));
    drop(writing);
    buffer.release().unwrap();
    assert!(format!("{buffer:?}").contains("stale"));
    assert_eq!(size_of::<Option<Buffer>>(), size_of::<usize>(), "a handle is one word");
}
