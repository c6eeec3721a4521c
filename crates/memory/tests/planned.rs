//! Planned blocks: handles that refuse overlap with a live one, frames, and the ends of both.
#![cfg(not(loom))]

use std::sync::Arc;

use stratal_memory::{
    AccessError, AllocationError, FaultySource, Origin, PlanError, PlannedBlock, Pool, PoolOptions, ReleaseError,
    ResetError,
};

#[test]
fn a_value_is_refused_while_a_handle_lives_that_shares_its_bytes() {
    let pool = Pool::new();
    let mut plan = PlannedBlock::new(&pool, 256, &[0..100, 64..128, 128..256, 64..64]).unwrap();
    assert_eq!((plan.len(), plan.count()), (256, 4));
    let first = plan.value(0).unwrap();
    assert_eq!(first.origin(), Origin::Planned { value: 0 });
    assert_eq!(first.len(), 100);
    assert_eq!(plan.value(1).unwrap_err(), PlanError::Overlap { value: 1, live: 0 });
    assert_eq!(plan.value(0).unwrap_err(), PlanError::Overlap { value: 0, live: 0 });
    let apart = plan.value(2).unwrap();
    let empty = plan.value(3).unwrap();
    assert!(empty.is_empty());
    first.write().unwrap().fill(1);
    apart.write().unwrap().fill(2);
    // Dropping or releasing the handle makes way.
    drop(first);
    let second = plan.value(1).unwrap();
    second.write().unwrap().fill(3);
    second.release().unwrap();
    let third = plan.value(0).unwrap();
    third.write().unwrap().fill(4);
    assert!(matches!(second.read(), Err(AccessError::Stale { .. })));
    assert!(matches!(second.release(), Err(ReleaseError::Refused(_))));
    assert_eq!(apart.read().unwrap()[0], 2);
    assert_eq!(plan.value(4).unwrap_err(), PlanError::NoSuchValue { value: 4, count: 4 });
}

#[test]
fn a_frame_needs_all_values_gone_and_leaves_its_bytes_to_them() {
    let pool = Pool::new();
    let mut plan = PlannedBlock::new(&pool, 192, &[0..64, 64..192]).unwrap();
    let value = plan.value(1).unwrap();
    assert_eq!(plan.frame().unwrap_err(), PlanError::ValueAlive { live: 1 });
    drop(value);
    let mut frame = plan.frame().unwrap();
    assert_eq!(frame.len(), 192);
    frame.output(64..192).unwrap().fill(6);
    let value = plan.value(1).unwrap();
    assert!(value.read().unwrap().iter().all(|&byte| byte == 6));
    // A frozen value is alive like any other.
    let frozen = value.freeze().unwrap();
    drop(value);
    assert!(plan.frame().is_err());
    assert!(matches!(plan.reset(), Err(ResetError::Refused(AccessError::Frozen { .. }))));
    drop(frozen);
    plan.frame().unwrap();
}

#[test]
fn a_reset_ends_all_values_or_none() {
    let pool = Pool::new();
    let mut plan = PlannedBlock::new(&pool, 128, &[0..64, 64..128]).unwrap();
    let (first, second) = (plan.value(0).unwrap(), plan.value(1).unwrap());
    let reading = second.read().unwrap();
    assert!(matches!(plan.reset(), Err(ResetError::Refused(AccessError::BeingRead { .. }))));
    assert!(first.write().is_ok());
    drop(reading);
    plan.reset().unwrap();
    assert!(first.is_stale() && second.is_stale());
    plan.frame().unwrap();
}

#[test]
fn a_plan_dropped_under_a_guard_gives_its_block_back_later() {
    let source = Arc::new(FaultySource::counting());
    let pool = Pool::with_options(PoolOptions { source: source.clone(), ..PoolOptions::default() }).unwrap();
    let mut plan = PlannedBlock::new(&pool, 64, std::slice::from_ref(&(0..64))).unwrap();
    plan.frame().unwrap().output(0..64).unwrap().fill(5);
    let value = plan.value(0).unwrap();
    let reading = value.read().unwrap();
    drop(plan);
    pool.trim();
    assert_eq!(reading[63], 5);
    drop(reading);
    pool.trim();
    assert!(value.is_stale());
    assert_eq!(source.blocks_out(), 0);
}

#[test]
fn plans_that_do_not_fit_are_errors() {
    let pool = Pool::new();
    assert_eq!(
        PlannedBlock::new(&pool, 64, &[0..64, 64..65]).unwrap_err(),
        PlanError::OutOfBounds { offset: 64, length: 1, block_length: 64 }
    );
    assert_eq!(
        PlannedBlock::new(&pool, 64, &[0..1, 8..16]).unwrap_err(),
        PlanError::Misaligned { value: 1, offset: 8 }
    );
    let (start, end) = (64, 0);
    assert!(PlannedBlock::new(&pool, 64, std::slice::from_ref(&(start..end))).is_err());
    assert!(PlannedBlock::new(&pool, 64, std::slice::from_ref(&(0..usize::MAX))).is_err());
    assert!(matches!(
        PlannedBlock::new(&pool, usize::MAX, &[]),
        Err(PlanError::Allocation(AllocationError::TooLong { .. }))
    ));
    let mut empty = PlannedBlock::new(&pool, 0, std::slice::from_ref(&(0..0))).unwrap();
    assert!(empty.is_empty() && empty.value(0).unwrap().read().unwrap().is_empty());
    assert!(empty.frame().unwrap().is_empty());
}
