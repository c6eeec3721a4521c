//! The pool: order, cap, figures, alignment, zeroing, sources, and what a warm rent costs.
#![cfg(not(loom))]

use std::sync::Arc;

use stratal_memory::{
    Alignment, AllocationError, Block, BlockSource, CHECKED, Device, FaultySource, LENGTH_MAX, Origin, Pool,
    PoolOptions, SizeClass,
};

fn capped(max_idle_bytes: u64) -> (Pool, Arc<FaultySource>) {
    let source = Arc::new(FaultySource::counting());
    let pool = Pool::with_options(PoolOptions { max_idle_bytes, source: source.clone(), ..PoolOptions::default() });
    (pool.unwrap(), source)
}

fn address(buffer: &stratal_memory::Buffer) -> usize {
    buffer.read().unwrap().as_ptr().addr()
}

#[test]
fn every_buffer_starts_on_a_cache_line_an_empty_one_included() {
    let pool = Pool::new();
    let mut addresses = Vec::new();
    let mut buffers = Vec::new();
    for length in [0, 0, 1, 63, 64, 65, 1000, 4096, 100_000, 3 << 20] {
        let buffer = pool.rent(length).unwrap();
        assert_eq!(buffer.len(), length);
        assert_eq!(buffer.is_empty(), length == 0);
        assert_eq!(buffer.version(), 0);
        assert_eq!(buffer.device(), Device::Cpu);
        addresses.push(address(&buffer));
        buffers.push(buffer);
    }
    assert!(addresses.iter().all(|address| address % 64 == 0));
    addresses.sort_unstable();
    addresses.dedup();
    assert_eq!(addresses.len(), buffers.len(), "each has an address of its own");
}

#[test]
fn the_block_that_came_last_goes_first() {
    let pool = Pool::new();
    let buffers: Vec<_> = (0..3).map(|_| pool.rent(1000).unwrap()).collect();
    let addresses: Vec<_> = buffers.iter().map(address).collect();
    // Dropped in order, and the middle one released instead.
    for (index, buffer) in buffers.into_iter().enumerate() {
        if index == 1 {
            buffer.release().unwrap();
        }
        drop(buffer);
    }
    // Any length of the class is served, and no other class is.
    let other = pool.rent(2000).unwrap();
    assert!(!addresses.contains(&address(&other)));
    let again: Vec<_> = (0..3).map(|_| pool.rent(900).unwrap()).collect();
    let expected: Vec<_> = addresses.into_iter().rev().collect();
    assert_eq!(again.iter().map(address).collect::<Vec<_>>(), expected);
}

#[test]
fn idle_bytes_reach_the_cap_exactly_and_never_pass_it() {
    let (pool, source) = capped(3 * 1024);
    let buffers: Vec<_> = (0..4).map(|_| pool.rent(1000).unwrap()).collect();
    for (index, buffer) in buffers.into_iter().enumerate() {
        drop(buffer);
        let kept = (index + 1).min(3) as u64;
        assert_eq!(pool.usage().total.idle_bytes, kept * 1024);
    }
    assert_eq!(source.blocks_out(), 3);
    // A smaller block does not fit either, and nothing is pushed out for it.
    drop(pool.rent(1).unwrap());
    assert_eq!(pool.usage().total.idle_bytes, 3 * 1024);
    assert_eq!(pool.trim(), 3 * 1024);
    assert_eq!(source.blocks_out(), 0);
    assert_eq!(pool.trim(), 0);
}

#[test]
fn figures_are_exact_in_all_and_per_class() {
    let pool = Pool::new();
    let a = pool.rent(100).unwrap();
    let b = pool.rent(128).unwrap();
    let c = pool.rent(1_000_000).unwrap();
    drop(a);
    let d = pool.rent(65).unwrap();
    let usage = pool.usage();
    let large = SizeClass::of(1_000_000).unwrap().bytes();
    assert_eq!((usage.total.rents, usage.total.hits), (4, 1));
    assert_eq!(usage.total.live_bytes, 256 + large);
    assert_eq!(usage.total.live_bytes_peak, 256 + large);
    assert_eq!(usage.total.idle_bytes, 0);
    let classes: Vec<_> =
        usage.classes.iter().map(|class| (class.class_bytes, class.usage.rents, class.usage.hits)).collect();
    assert_eq!(classes, [(128, 3, 1), (large, 1, 0)]);
    drop((b, c, d));
    let usage = pool.usage();
    assert_eq!(usage.total.live_bytes, 0);
    assert_eq!(usage.total.idle_bytes, 256 + large);
    assert_eq!(usage.classes[1].usage.idle_bytes, large);
    assert_eq!(usage.classes[1].usage.live_bytes_peak, large);
}

#[test]
fn zeros_are_zeros_whatever_was_there() {
    let pool = Pool::new();
    for length in [1, 100, 5000, 3 << 20] {
        let buffer = pool.rent(length).unwrap();
        buffer.write().unwrap().fill(0xAB);
        drop(buffer);
        let zeroed = pool.rent_zeroed(length).unwrap();
        assert!(zeroed.read().unwrap().iter().all(|&byte| byte == 0));
        assert_eq!(zeroed.version(), 0, "filling is no opening for writing");
    }
}

#[test]
fn the_shared_pool_is_one_and_other_devices_are_refused() {
    let shared = Pool::shared(Device::Cpu).unwrap();
    assert!(std::ptr::eq(shared, Pool::shared(Device::Cpu).unwrap()));
    for index in [0, 7] {
        let error = Pool::shared(Device::Cuda(index)).unwrap_err();
        assert_eq!(error.to_string(), format!("unsupported device cuda:{index}: only \"cpu\" memory can be allocated"));
        let options = PoolOptions { device: Device::Cuda(index), ..PoolOptions::default() };
        assert_eq!(Pool::with_options(options).unwrap_err(), error);
    }
}

#[test]
fn lengths_past_the_limit_are_errors_before_anything_is_allocated() {
    let (pool, source) = capped(0);
    for length in [LENGTH_MAX + 1, LENGTH_MAX + 2, usize::MAX] {
        let error = pool.rent(length).unwrap_err();
        assert_eq!(error, AllocationError::TooLong { length });
        assert!(error.to_string().contains(&length.to_string()));
    }
    assert_eq!(source.attempts(), 0);
}

#[test]
fn a_warm_rent_and_return_takes_nothing_from_the_heap() {
    let pool = Pool::new();
    let run = |is_released: bool| {
        for length in [0, 64, 1000, 100_000] {
            let buffer = pool.rent(length).unwrap();
            let other = buffer.clone();
            buffer.write().unwrap().first_mut().into_iter().for_each(|byte| *byte = 1);
            if is_released {
                buffer.release().unwrap();
            }
            drop(buffer);
            drop(other);
        }
    };
    for is_released in [false, true] {
        run(is_released);
        run(is_released);
        let counted = allocation_counter::measure(|| run(is_released));
        assert_eq!(counted.count_total, 0, "released: {is_released}");
    }
}

#[test]
fn buffers_outlive_their_pool() {
    let (pool, source) = capped(1 << 20);
    let idle = pool.rent(10).unwrap();
    let live = pool.rent(10).unwrap();
    drop(idle);
    drop(pool);
    assert_eq!(source.blocks_out(), 1, "what was idle is freed");
    live.write().unwrap().fill(1);
    assert_eq!(live.read().unwrap()[9], 1);
    drop(live);
    assert_eq!(source.blocks_out(), 0, "what comes back later is freed");
}

#[test]
fn a_pool_that_follows_a_dropped_one_starts_anew() {
    for round in 0..50 {
        let (pool, source) = capped(1 << 20);
        assert_eq!(pool.usage().total, stratal_memory::Usage::default(), "{round}");
        let buffer = pool.rent(100).unwrap();
        assert_eq!(buffer.origin(), Origin::Pool { rent: 0 });
        drop(buffer);
        assert_eq!(source.blocks_out(), 1);
        drop(pool);
        assert_eq!(source.blocks_out(), 0);
    }
}

#[derive(Debug)]
struct CoarseSource;

impl BlockSource for CoarseSource {
    fn allocate(&self, size: usize) -> Option<Block> {
        assert_eq!(size % 512, 0, "sizes are multiples of the granularity");
        Block::heap(size)
    }

    fn granularity(&self) -> Alignment {
        Alignment::new(512)
    }
}

#[test]
fn classes_work_over_a_source_with_a_granularity_of_its_own() {
    let pool = Pool::with_options(PoolOptions { source: Arc::new(CoarseSource), ..PoolOptions::default() }).unwrap();
    drop(pool.rent(1).unwrap());
    drop(pool.rent(512).unwrap());
    drop(pool.rent(640).unwrap());
    let classes: Vec<_> = pool.usage().classes.iter().map(|class| (class.class_bytes, class.usage.hits)).collect();
    assert_eq!(classes, [(512, 1), (1024, 0)]);
}

#[derive(Debug)]
struct ShortSource;

impl BlockSource for ShortSource {
    fn allocate(&self, size: usize) -> Option<Block> {
        Block::heap(size - 64)
    }
}

#[test]
fn a_source_that_gives_less_than_asked_is_an_error() {
    let pool = Pool::with_options(PoolOptions { source: Arc::new(ShortSource), ..PoolOptions::default() }).unwrap();
    let size = if CHECKED { 1024 + 64 } else { 1024 };
    assert_eq!(pool.rent(1000).unwrap_err(), AllocationError::ShortBlock { block_size: size as u64, given: size - 64 });
    assert_eq!(pool.usage().total.live_bytes, 0);
}

#[derive(Debug)]
struct DirtySource;

impl BlockSource for DirtySource {
    fn allocate(&self, size: usize) -> Option<Block> {
        let mut block = Block::heap(size)?;
        block.bytes_mut().fill(3);
        Some(block)
    }
}

#[test]
fn a_source_that_gives_used_memory_is_not_taken_for_a_fresh_one() {
    let pool = Pool::with_options(PoolOptions { source: Arc::new(DirtySource), ..PoolOptions::default() }).unwrap();
    let buffer = pool.rent_zeroed(100).unwrap();
    assert!(buffer.read().unwrap().iter().all(|&byte| byte == 0));
}
