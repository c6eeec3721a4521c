//! Renting and returning memory, beside the system allocator, mimalloc and bumpalo.
#![expect(unsafe_code, reason = "calls the peers' allocators, which deal in raw pointers")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    hint::black_box,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use stratal_memory::{Arena, Block, Buffer, Pool, access};

const SIZES: [(&str, usize); 6] =
    [("64B", 64), ("4KiB", 4 << 10), ("64KiB", 64 << 10), ("1MiB", 1 << 20), ("8MiB", 8 << 20), ("64MiB", 64 << 20)];

const ALIGNMENT: usize = 64;

/// Allocates and frees once, on a 64-byte boundary.
fn allocate_and_free(allocator: &impl GlobalAlloc, size: usize) {
    let layout = Layout::from_size_align(size, ALIGNMENT).expect("sizes are small");
    // SAFETY: the sizes are not zero.
    let pointer = unsafe { allocator.alloc(layout) };
    let pointer = black_box(pointer);
    assert!(!pointer.is_null());
    // SAFETY: it was just allocated with this layout by this allocator, and is not used again.
    unsafe { allocator.dealloc(pointer, layout) };
}

/// Allocates, writes every byte, and frees.
fn allocate_write_and_free(allocator: &impl GlobalAlloc, size: usize) {
    let layout = Layout::from_size_align(size, ALIGNMENT).expect("sizes are small");
    // SAFETY: the sizes are not zero.
    let pointer = unsafe { allocator.alloc(layout) };
    assert!(!pointer.is_null());
    // SAFETY: the memory is `size` bytes and ours.
    unsafe { pointer.write_bytes(1, size) };
    let pointer = black_box(pointer);
    // SAFETY: it was just allocated with this layout by this allocator, and is not used again.
    unsafe { allocator.dealloc(pointer, layout) };
}

/// The time two threads take for this many rounds each, started together.
fn on_two_threads(rounds: u64, round: impl Fn() + Sync) -> Duration {
    let barrier = Barrier::new(2);
    thread::scope(|scope| {
        let run = || {
            barrier.wait();
            let start = Instant::now();
            for _ in 0..rounds {
                round();
            }
            start.elapsed()
        };
        let other = scope.spawn(run);
        let here = run();
        here.max(other.join().expect("rounds do not panic"))
    })
}

fn rent_return(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rent_return");
    let pool = Pool::new();
    for (name, size) in SIZES {
        group.bench_function(BenchmarkId::new("stratal", name), |bencher| {
            bencher.iter(|| drop(black_box(pool.rent(black_box(size)).expect("memory"))));
        });
        group.bench_function(BenchmarkId::new("mimalloc", name), |bencher| {
            bencher.iter(|| allocate_and_free(&mimalloc::MiMalloc, black_box(size)));
        });
        group.bench_function(BenchmarkId::new("system", name), |bencher| {
            bencher.iter(|| allocate_and_free(&System, black_box(size)));
        });
    }
    group.finish();
}

fn rent_return_2_threads(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rent_return_2_threads");
    let pool = Pool::new();
    for (name, size) in SIZES {
        group.bench_function(BenchmarkId::new("stratal", name), |bencher| {
            bencher.iter_custom(|rounds| {
                on_two_threads(rounds, || {
                    drop(black_box(pool.rent(black_box(size)).expect("memory")));
                })
            });
        });
        group.bench_function(BenchmarkId::new("mimalloc", name), |bencher| {
            bencher.iter_custom(|rounds| {
                on_two_threads(rounds, || {
                    allocate_and_free(&mimalloc::MiMalloc, black_box(size));
                })
            });
        });
        group.bench_function(BenchmarkId::new("system", name), |bencher| {
            bencher.iter_custom(|rounds| on_two_threads(rounds, || allocate_and_free(&System, black_box(size))));
        });
    }
    group.finish();
}

fn rent_write(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rent_write");
    group.sample_size(10);
    let pool = Pool::new();
    for (name, size) in [("1MiB", 1 << 20), ("64MiB", 64 << 20)] {
        group.bench_function(BenchmarkId::new("stratal", name), |bencher| {
            bencher.iter(|| {
                let buffer = pool.rent(size).expect("memory");
                buffer.write().expect("nobody else").fill(1);
            });
        });
        group.bench_function(BenchmarkId::new("mimalloc", name), |bencher| {
            bencher.iter(|| allocate_write_and_free(&mimalloc::MiMalloc, size));
        });
        group.bench_function(BenchmarkId::new("system", name), |bencher| {
            bencher.iter(|| allocate_write_and_free(&System, size));
        });
    }
    group.finish();
}

/// A warm block written once at each of its pages, so that what is measured is the block, not the
/// bandwidth of memory.
fn rent_touch(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rent_touch");
    group.sample_size(10);
    let pool = Pool::new();
    let (name, size) = ("64MiB", 64 << 20);
    group.bench_function(BenchmarkId::new("stratal", name), |bencher| {
        bencher.iter(|| {
            let buffer = pool.rent(size).expect("memory");
            let mut guard = buffer.write().expect("nobody else");
            guard.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
        });
    });
    let touch = |allocator: &dyn GlobalAlloc| {
        let layout = Layout::from_size_align(size, ALIGNMENT).expect("sizes are small");
        // SAFETY: the size is not zero.
        let pointer = unsafe { allocator.alloc(layout) };
        assert!(!pointer.is_null());
        for offset in (0..size).step_by(4096) {
            // SAFETY: the offset is below the size, and the memory is ours.
            unsafe { pointer.wrapping_add(offset).write(1) };
        }
        let pointer = black_box(pointer);
        // SAFETY: it was just allocated with this layout by this allocator, and is not used again.
        unsafe { allocator.dealloc(pointer, layout) };
    };
    group.bench_function(BenchmarkId::new("mimalloc", name), |bencher| {
        bencher.iter(|| touch(&mimalloc::MiMalloc));
    });
    group.bench_function(BenchmarkId::new("system", name), |bencher| {
        bencher.iter(|| touch(&System));
    });
    group.finish();
}

/// A block that no pool has, written at each of its pages: huge pages against small ones.
fn fresh_touch(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fresh_touch");
    group.sample_size(10);
    for (name, size) in [("2MiB", 2 << 20), ("64MiB", 64 << 20)] {
        let touch = |mut block: Block| {
            block.bytes_mut().iter_mut().step_by(4096).for_each(|byte| *byte = 1);
            black_box(&block);
        };
        group.bench_function(BenchmarkId::new("stratal", name), |bencher| {
            bencher.iter(|| touch(Block::mapping(size).expect("memory")));
        });
        group.bench_function(BenchmarkId::new("system", name), |bencher| {
            bencher.iter(|| touch(Block::heap(size).expect("memory")));
        });
    }
    group.finish();
}

/// Thirty-two buffers and a reset: handles included for ours, bare addresses for the peers.
fn arena_32_buffers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("arena_32_buffers");
    for (name, size) in [("64B", 64), ("4KiB", 4 << 10)] {
        let pool = Pool::new();
        let mut arena = Arena::new(&pool);
        let mut handles: Vec<Buffer> = Vec::with_capacity(32);
        group.bench_function(BenchmarkId::new("stratal", name), |bencher| {
            bencher.iter(|| {
                for _ in 0..32 {
                    handles.push(arena.alloc(black_box(size)).expect("memory"));
                }
                black_box(&handles);
                handles.clear();
                arena.reset().expect("no guards");
            });
        });
        let layout = Layout::from_size_align(size, ALIGNMENT).expect("sizes are small");
        let mut bump = bumpalo::Bump::with_capacity(1 << 20);
        group.bench_function(BenchmarkId::new("bumpalo", name), |bencher| {
            bencher.iter(|| {
                for _ in 0..32 {
                    black_box(bump.alloc_layout(layout));
                }
                bump.reset();
            });
        });
        let batch = |allocator: &dyn GlobalAlloc| {
            let pointers: [*mut u8; 32] = std::array::from_fn(|_| {
                // SAFETY: the sizes are not zero.
                unsafe { allocator.alloc(layout) }
            });
            for pointer in black_box(pointers) {
                // SAFETY: it was just allocated with this layout, and is not used again.
                unsafe { allocator.dealloc(pointer, layout) };
            }
        };
        group.bench_function(BenchmarkId::new("mimalloc", name), |bencher| {
            bencher.iter(|| batch(&mimalloc::MiMalloc));
        });
        group.bench_function(BenchmarkId::new("system", name), |bencher| {
            bencher.iter(|| batch(&System));
        });
    }
    group.finish();
}

/// What the protocol costs where bytes are touched.
fn guards(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("guards");
    let pool = Pool::new();
    let [a, b, output] = [(); 3].map(|()| pool.rent_zeroed(4096).expect("memory"));
    group.bench_function(BenchmarkId::new("stratal", "clone"), |bencher| {
        bencher.iter(|| drop(black_box(a.clone())));
    });
    group.bench_function(BenchmarkId::new("stratal", "read"), |bencher| {
        bencher.iter(|| a.read().expect("no writer")[black_box(7)]);
    });
    group.bench_function(BenchmarkId::new("stratal", "write"), |bencher| {
        bencher.iter(|| output.write().expect("nobody else")[black_box(7)] = 1);
    });
    group.bench_function(BenchmarkId::new("stratal", "output_and_two_inputs"), |bencher| {
        bencher.iter(|| {
            let (mut output, [a, b]) = access(&output, [&a, &b]).expect("nobody else");
            output[7] = a[black_box(7)] + b[7];
        });
    });
    let frozen = a.freeze().expect("no writer");
    group.bench_function(BenchmarkId::new("stratal", "read_frozen"), |bencher| {
        bencher.iter(|| black_box(&frozen)[black_box(7)]);
    });
    group.finish();
}

criterion_group!(
    benches,
    rent_return,
    rent_return_2_threads,
    rent_write,
    rent_touch,
    fresh_touch,
    arena_32_buffers,
    guards
);
criterion_main!(benches);
