//! Random sequences of operations on a pool and an arena, against a model that is too simple to be wrong.
#![cfg(not(loom))]

use std::sync::Arc;

use proptest::prelude::*;
use stratal_memory::{
    AccessError, Arena, Buffer, FaultySource, Pool, PoolOptions, ReleaseError, ResetError, SizeClass,
};

/// What the model knows of one buffer. Its handles are indices into the list of handles.
#[derive(Debug, Clone)]
struct Expected {
    length: usize,
    fill: u8,
    version: u64,
    is_alive: bool,
    is_frozen: bool,
    is_of_arena: bool,
    forgotten_readers: u32,
}

#[derive(Debug, Clone)]
enum Operation {
    Rent { length: usize, is_zeroed: bool },
    Allocate { length: usize, is_zeroed: bool },
    Clone(usize),
    Write { handle: usize, fill: u8 },
    Read(usize),
    ForgetReader(usize),
    Freeze(usize),
    Release(usize),
    Drop(usize),
    Reset,
    Trim,
}

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let length = prop_oneof![Just(0), 0..300_usize, 0..5000_usize];
    let handle = 0..64_usize;
    let operation = prop_oneof![
        4 => (length.clone(), any::<bool>())
            .prop_map(|(length, is_zeroed)| Operation::Rent { length, is_zeroed }),
        4 => (length, any::<bool>())
            .prop_map(|(length, is_zeroed)| Operation::Allocate { length, is_zeroed }),
        3 => handle.clone().prop_map(Operation::Clone),
        4 => (handle.clone(), 1..255_u8).prop_map(|(handle, fill)| Operation::Write { handle, fill }),
        4 => handle.clone().prop_map(Operation::Read),
        1 => handle.clone().prop_map(Operation::ForgetReader),
        1 => handle.clone().prop_map(Operation::Freeze),
        2 => handle.clone().prop_map(Operation::Release),
        5 => handle.prop_map(Operation::Drop),
        1 => Just(Operation::Reset),
        1 => Just(Operation::Trim),
    ];
    prop::collection::vec(operation, 0..120)
}

/// The real things beside the model of them.
struct World {
    pool: Pool,
    source: Arc<FaultySource>,
    arena: Arena,
    max_idle_bytes: u64,
    idle_bytes: u64,
    // Handles, each to one of the buffers.
    handles: Vec<(Buffer, usize)>,
    buffers: Vec<Expected>,
}

impl World {
    fn new(max_idle_bytes: u64) -> Self {
        let source = Arc::new(FaultySource::counting());
        let pool = Pool::with_options(PoolOptions { max_idle_bytes, source: source.clone(), ..PoolOptions::default() })
            .unwrap();
        // The arena has a pool of its own, so that its chunks do not blur the figures.
        let arena = Arena::with_chunk_length(&Pool::new(), 2048);
        Self { pool, source, arena, max_idle_bytes, idle_bytes: 0, handles: Vec::new(), buffers: Vec::new() }
    }

    fn step(&mut self, operation: &Operation) {
        let picked = |handle: usize, count: usize| (count > 0).then(|| handle % count.max(1));
        let count = self.handles.len();
        match *operation {
            Operation::Rent { length, is_zeroed } => {
                let hits = self.pool.usage().total.hits;
                let buffer =
                    if is_zeroed { self.pool.rent_zeroed(length).unwrap() } else { self.pool.rent(length).unwrap() };
                if self.pool.usage().total.hits > hits {
                    self.idle_bytes -= SizeClass::of(length).unwrap().bytes();
                }
                self.add(buffer, length, is_zeroed, false);
            }
            Operation::Allocate { length, is_zeroed } => {
                let buffer = if is_zeroed {
                    self.arena.alloc_zeroed(length).unwrap()
                } else {
                    self.arena.alloc(length).unwrap()
                };
                self.add(buffer, length, is_zeroed, true);
            }
            Operation::Clone(handle) => {
                if let Some(handle) = picked(handle, count) {
                    let clone = self.handles[handle].clone();
                    self.handles.push(clone);
                }
            }
            Operation::Write { handle, fill } => {
                if let Some(handle) = picked(handle, count) {
                    let (buffer, index) = &self.handles[handle];
                    let expected = &mut self.buffers[*index];
                    match buffer.write() {
                        Ok(mut guard) => {
                            assert!(expected.is_alive && !expected.is_frozen);
                            assert_eq!(expected.forgotten_readers, 0);
                            guard.fill(fill);
                            expected.fill = fill;
                            expected.version += 1;
                        }
                        Err(AccessError::Stale { .. }) => assert!(!expected.is_alive),
                        Err(AccessError::Frozen { .. }) => assert!(expected.is_frozen),
                        Err(AccessError::BeingRead { readers, .. }) => {
                            assert_eq!(readers, expected.forgotten_readers);
                        }
                        Err(error) => panic!("{error}"),
                    }
                }
            }
            Operation::Read(handle) => {
                if let Some(handle) = picked(handle, count) {
                    self.check(handle);
                }
            }
            Operation::ForgetReader(handle) => {
                if let Some(handle) = picked(handle, count) {
                    let (buffer, index) = &self.handles[handle];
                    let expected = &mut self.buffers[*index];
                    if let Ok(guard) = buffer.read() {
                        std::mem::forget(guard);
                        expected.forgotten_readers += u32::from(!expected.is_frozen);
                    }
                }
            }
            Operation::Freeze(handle) => {
                if let Some(handle) = picked(handle, count) {
                    let (buffer, index) = &self.handles[handle];
                    let expected = &mut self.buffers[*index];
                    assert_eq!(buffer.freeze().is_ok(), expected.is_alive);
                    expected.is_frozen |= expected.is_alive;
                }
            }
            Operation::Release(handle) => {
                if let Some(handle) = picked(handle, count) {
                    let (buffer, index) = &self.handles[handle];
                    let expected = &mut self.buffers[*index];
                    match buffer.release() {
                        Ok(()) => {
                            assert!(expected.is_alive && !expected.is_frozen);
                            assert_eq!(expected.forgotten_readers, 0);
                            let index = *index;
                            self.end(index);
                        }
                        Err(ReleaseError::Refused(AccessError::Stale { .. })) => {
                            assert!(!expected.is_alive);
                        }
                        Err(ReleaseError::Refused(AccessError::Frozen { .. })) => {
                            assert!(expected.is_frozen);
                        }
                        Err(ReleaseError::Refused(AccessError::BeingRead { .. })) => {
                            assert!(expected.forgotten_readers > 0);
                        }
                        Err(error) => panic!("{error}"),
                    }
                }
            }
            Operation::Drop(handle) => {
                if let Some(handle) = picked(handle, count) {
                    let (buffer, index) = self.handles.swap_remove(handle);
                    drop(buffer);
                    let is_last = !self.handles.iter().any(|(_, other)| *other == index);
                    if is_last && self.buffers[index].is_alive && !self.buffers[index].is_of_arena {
                        self.end(index);
                    }
                }
            }
            Operation::Reset => {
                // Only buffers that somebody still has a handle to can refuse.
                let held = |index: usize| self.handles.iter().any(|(_, other)| *other == index);
                let is_refused = self.buffers.iter().enumerate().any(|(index, expected)| {
                    expected.is_of_arena
                        && expected.is_alive
                        && (expected.is_frozen || expected.forgotten_readers > 0)
                        && held(index)
                });
                let reset = self.arena.reset();
                assert_eq!(matches!(reset, Err(ResetError::Refused(_))), is_refused, "{reset:?}");
                if !is_refused {
                    for expected in &mut self.buffers {
                        expected.is_alive &= !expected.is_of_arena;
                    }
                }
            }
            Operation::Trim => {
                assert_eq!(self.pool.trim(), self.idle_bytes);
                self.idle_bytes = 0;
            }
        }
    }

    fn add(&mut self, buffer: Buffer, length: usize, is_zeroed: bool, is_of_arena: bool) {
        assert_eq!(buffer.len(), length);
        if is_zeroed {
            assert!(buffer.read().unwrap().iter().all(|&byte| byte == 0));
        }
        let fill = 77;
        buffer.write().unwrap().fill(fill);
        self.handles.push((buffer, self.buffers.len()));
        self.buffers.push(Expected {
            length,
            fill,
            version: 1,
            is_alive: true,
            is_frozen: false,
            is_of_arena,
            forgotten_readers: 0,
        });
    }

    /// The model of a buffer's bytes going back.
    fn end(&mut self, index: usize) {
        let expected = &mut self.buffers[index];
        expected.is_alive = false;
        if !expected.is_of_arena {
            let bytes = SizeClass::of(expected.length).unwrap().bytes();
            if self.idle_bytes + bytes <= self.max_idle_bytes {
                self.idle_bytes += bytes;
            }
        }
    }

    fn check(&self, handle: usize) {
        let (buffer, index) = &self.handles[handle];
        let expected = &self.buffers[*index];
        assert_eq!(buffer.len(), expected.length);
        assert_eq!(buffer.is_stale(), !expected.is_alive);
        match buffer.read() {
            Ok(guard) => {
                assert!(expected.is_alive);
                assert!(guard.iter().all(|&byte| byte == expected.fill), "somebody else wrote here");
                assert_eq!(guard.version(), expected.version);
            }
            Err(AccessError::Stale { generation, current, .. }) => {
                assert!(!expected.is_alive);
                assert_eq!(current, generation + 1);
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn check_all(&self) {
        for handle in 0..self.handles.len() {
            self.check(handle);
        }
        let usage = self.pool.usage().total;
        let live: u64 = self
            .buffers
            .iter()
            .filter(|expected| expected.is_alive && !expected.is_of_arena)
            .map(|expected| SizeClass::of(expected.length).unwrap().bytes())
            .sum();
        assert_eq!(usage.live_bytes, live);
        assert_eq!(usage.idle_bytes, self.idle_bytes);
        assert!(usage.idle_bytes <= self.max_idle_bytes);
        assert_eq!(self.pool.damage(), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pool_and_arena_do_what_the_model_does(
        operations in operations(),
        max_idle_bytes in prop_oneof![Just(0_u64), 0..8192_u64, Just(1 << 30)],
    ) {
        let mut world = World::new(max_idle_bytes);
        for operation in &operations {
            world.step(operation);
            world.check_all();
        }
        let World { pool, source, arena, handles, .. } = world;
        drop(handles);
        drop(arena);
        prop_assert_eq!(pool.usage().total.live_bytes, 0);
        pool.trim();
        prop_assert_eq!(source.blocks_out(), 0);
    }
}
