//! A deliberate attack on safe code: what was tried, and what stopped it.
//!
//! Each test is one attempt, made with safe code alone, to reach memory that belongs to somebody else,
//! to have two mutable slices of the same bytes, to run a drop function twice, to hang or to abort. Run
//! under AddressSanitizer these would report what the assertions cannot see.
#![cfg(not(loom))]

use std::{
    cell::RefCell,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    rc::Rc,
    sync::{Arc, Mutex, OnceLock},
    thread,
};

use stratal_memory::{
    AccessError, Arena, Block, BlockSource, Buffer, FaultySource, LENGTH_MAX, MapError, PlanError, PlannedBlock, Pool,
    PoolOptions, ReleaseError, ResetError, SystemSource, access,
};

fn pool_over(source: impl BlockSource + 'static) -> Pool {
    Pool::with_options(PoolOptions { source: Arc::new(source), ..PoolOptions::default() }).unwrap()
}

/// Keeps something for good without dropping it. Like forgetting it, but a leak checker still finds it.
fn keep_for_good<T: Send + 'static>(value: T) -> &'static T {
    static KEPT: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let kept: &'static T = Box::leak(Box::new(value));
    KEPT.lock().unwrap().push(std::ptr::from_ref(kept).expose_provenance());
    kept
}

/// Forget a write guard, then use the buffer again: it stays locked while a handle lives, and the next
/// lease of its block is not affected.
#[test]
fn a_forgotten_write_guard_locks_its_lease_only() {
    let pool = Pool::new();
    let buffer = pool.rent(64).unwrap();
    mem::forget(buffer.write().unwrap());
    assert!(matches!(buffer.read(), Err(AccessError::BeingWritten { .. })));
    assert!(matches!(buffer.release(), Err(ReleaseError::Refused(_))));
    assert!(buffer.freeze().is_err());
    drop(buffer);
    let next = pool.rent(64).unwrap();
    assert_eq!(pool.usage().total.hits, 1);
    next.write().unwrap().fill(1);
    next.release().unwrap();
}

/// Forget read guards until the count could run over into the writer's bit: a forgotten guard is
/// counted once each, so it takes half a thousand million of them; the limit itself is tested at the
/// word. Here: many of them, and no bit moves.
#[test]
fn many_forgotten_readers_stay_readers() {
    let pool = Pool::new();
    let buffer = pool.rent(64).unwrap();
    for _ in 0..100_000 {
        mem::forget(buffer.read().unwrap());
    }
    assert!(matches!(buffer.write(), Err(AccessError::BeingRead { readers: 100_000, .. })));
    assert!(!buffer.is_stale() && !buffer.is_frozen());
}

/// Leak a handle to get a guard of static lifetime, then take the memory away under it.
#[test]
fn a_guard_of_static_lifetime_keeps_its_memory() {
    let pool = Pool::new();
    let buffer: &'static Buffer = keep_for_good(pool.rent_zeroed(64).unwrap());
    let guard = buffer.read().unwrap();
    assert!(buffer.clone().release().is_err());
    pool.trim();
    drop(pool);
    assert_eq!(guard[63], 0);

    let pool = Pool::new();
    let mut arena = Arena::new(&pool);
    let buffer: &'static Buffer = keep_for_good(arena.alloc_zeroed(64).unwrap());
    let guard = buffer.read().unwrap();
    assert!(arena.reset().is_err());
    drop(arena);
    pool.trim();
    drop(pool);
    assert_eq!(guard[63], 0);
}

/// Reset an arena under a forgotten guard whose handle is gone: allowed, since no slice can be left.
/// And under one whose handle lives: refused for as long.
#[test]
fn a_reset_tells_a_dead_forgotten_guard_from_a_living_one() {
    let pool = Pool::new();
    let mut arena = Arena::new(&pool);
    let gone = arena.alloc(64).unwrap();
    mem::forget(gone.write().unwrap());
    drop(gone);
    arena.reset().unwrap();
    let kept = arena.alloc(64).unwrap();
    mem::forget(kept.write().unwrap());
    assert!(matches!(arena.reset(), Err(ResetError::Refused(_))));
    let other = arena.alloc(64).unwrap();
    other.write().unwrap().fill(1);
    drop(kept);
    arena.reset().unwrap();
    assert!(other.is_stale());
}

/// Forget the arena, the plan and the pool themselves: memory is lost, and nothing else.
#[test]
fn forgotten_owners_leave_working_handles() {
    let pool = Pool::new();
    let arena = Arena::new(&pool);
    let in_arena = arena.alloc_zeroed(64).unwrap();
    keep_for_good(arena);
    let mut plan = PlannedBlock::new(&pool, 64, std::slice::from_ref(&(0..64))).unwrap();
    let planned = plan.value(0).unwrap();
    keep_for_good(plan);
    let rented = pool.rent(64).unwrap();
    keep_for_good(pool);
    for buffer in [&in_arena, &planned, &rented] {
        buffer.write().unwrap().fill(1);
        buffer.release().unwrap();
        assert!(buffer.read().is_err());
    }
}

/// Replace a buffer's handle under its own guard.
///
/// ```text
/// let guard = buffer.write()?; buffer = other; guard[0] = 1;   // does not compile: borrowed
/// ```
///
/// Swapping through a cell needs the guard gone as well; swapping two buffers by `mem::swap` moves
/// handles only.
#[test]
fn swapped_handles_keep_to_their_bytes() {
    let pool = Pool::new();
    let (mut a, mut b) = (pool.rent(8).unwrap(), pool.rent(8).unwrap());
    a.write().unwrap().fill(1);
    b.write().unwrap().fill(2);
    mem::swap(&mut a, &mut b);
    assert_eq!((a.read().unwrap()[0], b.read().unwrap()[0]), (2, 1));
}

/// Use an output as its own input, twice, through clones, and through stale handles.
#[test]
fn no_opening_gives_a_buffer_to_a_writer_and_a_reader() {
    let pool = Pool::new();
    let buffer = pool.rent_zeroed(8).unwrap();
    let clone = buffer.clone();
    assert!(matches!(access(&buffer, [&clone]), Err(AccessError::OutputIsInput { input: 0, .. })));
    let held = access(&buffer, []).unwrap();
    assert!(clone.read().is_err() && access(&clone, []).is_err());
    drop(held);
    let reading = clone.read().unwrap();
    assert!(access(&buffer, []).is_err());
    drop(reading);
    assert_eq!(buffer.version(), 1);
}

/// A source that comes back to the very pool that asks it, and to the arena whose chunk it makes.
#[test]
fn a_source_that_uses_its_own_pool_neither_hangs_nor_breaks_it() {
    static POOL: OnceLock<Pool> = OnceLock::new();
    #[derive(Debug)]
    struct Recursive;
    impl BlockSource for Recursive {
        fn allocate(&self, size: usize) -> Option<Block> {
            if size > 1 << 10
                && let Some(pool) = POOL.get()
            {
                drop(pool.rent(size / 2));
                pool.trim();
                let _ = pool.usage();
            }
            SystemSource.allocate(size)
        }
        fn free(&self, block: Block) {
            if let Some(pool) = POOL.get() {
                let _ = pool.usage();
            }
            drop(block);
        }
    }
    let pool = POOL.get_or_init(|| pool_over(Recursive));
    drop(pool.rent(1 << 16).unwrap());
    pool.trim();

    thread_local! {
        static ARENA: RefCell<Option<Rc<Arena>>> = const { RefCell::new(None) };
    }
    #[derive(Debug)]
    struct IntoArena;
    impl BlockSource for IntoArena {
        fn allocate(&self, size: usize) -> Option<Block> {
            let arena = ARENA.with_borrow(Clone::clone);
            if size > 1 << 12
                && let Some(arena) = arena
            {
                let buffer = arena.alloc(100).unwrap();
                buffer.write().unwrap().fill(7);
            }
            SystemSource.allocate(size)
        }
    }
    let pool = pool_over(IntoArena);
    let arena = Rc::new(Arena::with_chunk_length(&pool, 1 << 10));
    ARENA.set(Some(Rc::clone(&arena)));
    let large = arena.alloc_zeroed(1 << 14).unwrap();
    assert!(large.read().unwrap().iter().all(|&byte| byte == 0));
    ARENA.set(None);
}

/// Two arenas dropped while read, then a trim that panics as it frees the first one's chunk: the second one's chunk is
/// still being read.
#[test]
fn a_source_that_panics_in_a_trim_frees_nothing_that_is_in_use() {
    #[derive(Debug, Default)]
    struct Armed {
        is_armed: Mutex<bool>,
    }
    impl BlockSource for Armed {
        fn allocate(&self, size: usize) -> Option<Block> {
            Block::heap(size)
        }

        fn free(&self, block: Block) {
            drop(block);
            let is_armed = *self.is_armed.lock().unwrap();
            assert!(!is_armed, "armed");
        }
    }
    let source = Arc::new(Armed::default());
    let options = PoolOptions { source: source.clone(), max_idle_bytes: 0, ..PoolOptions::default() };
    let pool = Pool::with_options(options).unwrap();
    let (first, second) = (Arena::with_chunk_length(&pool, 1024), Arena::with_chunk_length(&pool, 1024));
    let (first_buffer, second_buffer) = (first.alloc_zeroed(64).unwrap(), second.alloc_zeroed(64).unwrap());
    let (first_reading, second_reading) = (first_buffer.read().unwrap(), second_buffer.read().unwrap());
    drop((first, second));
    drop(first_reading);
    *source.is_armed.lock().unwrap() = true;
    assert!(catch_unwind(AssertUnwindSafe(|| pool.trim())).is_err());
    *source.is_armed.lock().unwrap() = false;
    let others: Vec<Vec<u8>> = (0..64).map(|_| vec![7; 1024 + 64]).collect();
    assert!(second_reading.iter().all(|byte| *byte == 0));
    drop((others, second_reading));
    pool.trim();
}

/// The source of a dropped pool is dropped when the pool's state is used again, and may itself use pools then.
#[test]
fn a_source_that_uses_pools_while_it_is_dropped_locks_nobody_out() {
    #[derive(Debug)]
    struct Recursive;
    impl BlockSource for Recursive {
        fn allocate(&self, size: usize) -> Option<Block> {
            Block::heap(size)
        }
    }
    impl Drop for Recursive {
        fn drop(&mut self) {
            drop(Pool::new().rent(100));
        }
    }
    let (done, is_done) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let options = PoolOptions { source: Arc::new(Recursive), ..PoolOptions::default() };
        let pool = Pool::with_options(options).unwrap();
        drop(pool.rent(10).unwrap());
        drop(pool);
        drop(Pool::new());
        done.send(()).unwrap();
    });
    assert!(is_done.recv_timeout(std::time::Duration::from_secs(20)).is_ok(), "locked out");
}

/// A source that panics while it allocates or frees, at every position.
#[test]
fn a_panicking_source_leaves_the_pool_usable() {
    #[derive(Debug)]
    struct Panicking {
        calls: Mutex<u32>,
        at: u32,
    }
    impl Panicking {
        fn tick(&self) {
            let call = {
                let mut calls = self.calls.lock().unwrap();
                *calls += 1;
                *calls
            };
            assert!(call != self.at, "on purpose");
        }
    }
    impl BlockSource for Panicking {
        fn allocate(&self, size: usize) -> Option<Block> {
            self.tick();
            SystemSource.allocate(size)
        }
        fn free(&self, block: Block) {
            self.tick();
            drop(block);
        }
    }
    let mut panics = 0;
    for at in 1.. {
        let pool = pool_over(Panicking { calls: Mutex::new(0), at });
        let scenario = || {
            let mut arena = Arena::with_chunk_length(&pool, 256);
            for length in [100, 300, 1000] {
                drop(pool.rent(length));
                drop(arena.alloc(length));
            }
            let _ = arena.reset();
            drop(arena);
            pool.trim();
        };
        if catch_unwind(AssertUnwindSafe(scenario)).is_ok() {
            // The scenario makes fewer calls than that; what is still to come may not panic either.
            keep_for_good(pool);
            break;
        }
        panics += 1;
        let buffer = pool.rent_zeroed(5000).unwrap();
        buffer.write().unwrap().fill(1);
    }
    assert!(panics > 5);
}

/// A source that keeps blocks it was given back and deals them again, dirty, and of other sizes.
#[test]
fn a_source_that_deals_old_blocks_gives_no_old_bytes_as_zeros() {
    #[derive(Debug, Default)]
    struct Hoarder(Mutex<Vec<Block>>);
    impl BlockSource for Hoarder {
        fn allocate(&self, size: usize) -> Option<Block> {
            self.0.lock().unwrap().pop().or_else(|| SystemSource.allocate(size))
        }
        fn free(&self, mut block: Block) {
            let middle = block.size() / 2;
            block.bytes_mut()[middle] = 9;
            self.0.lock().unwrap().push(block);
        }
    }
    let pool = pool_over(Hoarder::default());
    for length in [5000, 100, 8000, 100] {
        match pool.rent_zeroed(length) {
            Ok(buffer) => {
                assert!(buffer.read().unwrap().iter().all(|&byte| byte == 0));
                buffer.write().unwrap().fill(1);
            }
            Err(error) => assert!(error.to_string().contains("were asked for"), "{error}"),
        }
        pool.trim();
    }
}

/// Sizes at the ends of numbers, everywhere a size is taken.
#[test]
fn sizes_at_the_ends_of_numbers_are_values_or_errors() {
    let pool = pool_over(FaultySource::counting());
    let arena = Arena::with_chunk_length(&pool, usize::MAX);
    for length in [LENGTH_MAX + 1, usize::MAX / 2, usize::MAX - 1, usize::MAX] {
        assert!(pool.rent(length).is_err());
        assert!(pool.rent_zeroed(length).is_err());
        assert!(arena.alloc(length).is_err());
        assert!(PlannedBlock::new(&pool, length, &[]).is_err());
        assert!(Block::heap(length.max(isize::MAX as usize)).is_none());
    }
    for length in [0, 1] {
        assert_eq!(pool.rent(length).unwrap().read().unwrap().len(), length);
    }
}

/// The same buffer from many threads at once, doing everything there is to do with it.
#[test]
fn everything_at_once_on_one_buffer() {
    for round in 0..200_u64 {
        let pool = Pool::new();
        let mut arena = Arena::with_chunk_length(&pool, 512);
        let buffers = [pool.rent_zeroed(64).unwrap(), arena.alloc_zeroed(64).unwrap()];
        thread::scope(|scope| {
            for thread in 0..4_u64 {
                let buffers = buffers.clone();
                scope.spawn(move || {
                    for (step, buffer) in buffers.iter().cycle().take(40).enumerate() {
                        match (round + thread * 3 + step as u64) % 7 {
                            0 => {
                                let _ = buffer.release();
                            }
                            1 => drop(buffer.freeze()),
                            2 | 3 => {
                                if let Ok(mut guard) = buffer.write() {
                                    let value = guard[0] + 1;
                                    guard.fill(value);
                                }
                            }
                            4 => drop(buffer.clone()),
                            _ => {
                                if let Ok(guard) = buffer.read() {
                                    assert!(guard.iter().all(|&byte| byte == guard[0]));
                                }
                            }
                        }
                    }
                });
            }
            let _ = arena.reset();
            drop(arena.alloc(64));
            pool.trim();
        });
        drop(arena);
        drop(pool);
        for buffer in &buffers {
            let _ = buffer.read().map(|guard| guard[0]);
        }
    }
}

/// Ask a copy-on-write mapping for two windows of the same bytes, to write both.
#[test]
#[cfg(not(miri))]
#[expect(unsafe_code, reason = "mapping a file is the caller's promise")]
fn windows_that_could_both_be_written_never_overlap() {
    let file = tempfile::tempfile().unwrap();
    file.set_len(4096).unwrap();
    // SAFETY: the file has no name, and nobody changes it.
    let mapped = unsafe { stratal_memory::MappedFile::open_copy_on_write(&file) }.unwrap();
    let clone = mapped.clone();
    let first = mapped.window(0, 100).unwrap();
    assert!(matches!(clone.window(99, 1), Err(MapError::Overlap { .. })));
    // A forgotten guard keeps the window while its handle lives, and no longer.
    mem::forget(first.write().unwrap());
    assert!(first.release().is_err());
    assert!(clone.window(50, 10).is_err());
    drop(first);
    clone.window(50, 10).unwrap().write().unwrap().fill(1);
    // A leaked handle keeps it for good.
    keep_for_good(mapped.window(0, 10).unwrap());
    assert!(matches!(clone.window(5, 1), Err(MapError::Overlap { .. })));
}

/// Keep a planned value across everything that could hand its bytes to somebody else.
#[test]
fn planned_bytes_have_one_user_at_a_time() {
    let pool = Pool::new();
    let mut plan = PlannedBlock::new(&pool, 128, &[0..128, 64..128, 0..64]).unwrap();
    let value = plan.value(1).unwrap();
    let handle = value.clone();
    mem::forget(value.read().unwrap());
    assert!(plan.frame().is_err() && plan.reset().is_err());
    assert_eq!(plan.value(0).unwrap_err(), PlanError::Overlap { value: 0, live: 1 });
    let apart = plan.value(2).unwrap();
    apart.write().unwrap().fill(1);
    drop(value);
    assert!(plan.value(0).is_err(), "one handle is left");
    drop(handle);
    drop(apart);
    let whole = plan.value(0).unwrap();
    thread::scope(|scope| {
        let (reading, other) = (whole.read().unwrap(), whole.clone());
        scope.spawn(move || other.release().is_ok());
        assert!(plan.frame().is_err());
        drop(reading);
    });
}

/// Panic while a guard, an arena and a pool are on the stack, in the order that would hurt.
#[test]
fn unwinding_through_everything_ends_every_borrow() {
    let source = Arc::new(FaultySource::counting());
    let pool = Pool::with_options(PoolOptions { source: source.clone(), ..PoolOptions::default() }).unwrap();
    let kept = pool.rent(64).unwrap();
    let handle = kept.clone();
    let unwound = catch_unwind(AssertUnwindSafe(move || {
        let pool = pool;
        let arena = Arena::new(&pool);
        let buffer = arena.alloc(64).unwrap();
        let _writing = buffer.write().unwrap();
        let _reading = handle.read().unwrap();
        panic!("on purpose");
    }));
    assert!(unwound.is_err());
    kept.write().unwrap().fill(1);
    drop(kept);
    assert_eq!(source.blocks_out(), 0);
}
