//! Faults that other libraries had, as far as they concern buffers.
#![cfg(not(loom))]

use stratal_memory::{AccessError, Arena, Buffer, Pool};

/// Capacity that was reserved for appending showed memory that nobody had written. (rten, issue 1384)
#[test]
fn what_lies_behind_a_vectors_length_is_not_part_of_the_buffer() {
    // Rows of four elements of which none is there yet, then one column.
    let mut rows = Vec::<f32>::with_capacity(8);
    let empty = Buffer::from_vec(rows.clone()).unwrap();
    assert!(empty.read_as::<f32>().unwrap().is_empty());
    rows.extend([1.0, 2.0]);
    let capacity = rows.capacity();
    assert!(capacity > rows.len());
    let buffer = Buffer::from_vec(rows).unwrap();
    assert_eq!(buffer.len(), 8);
    assert_eq!(buffer.read_as::<f32>().unwrap()[..], [1.0, 2.0]);
    // What a pool gives beyond that is always initialised, if unspecified.
    let rented = Pool::new().rent(32).unwrap();
    let sum: u64 = rented.read().unwrap().iter().map(|&byte| u64::from(byte)).sum();
    assert!(sum <= 32 * 255);
}

/// Elements that own memory were copied byte by byte and freed twice. (rten, issue 773)
///
/// Buffers hold plain data only: `Buffer::from_vec` shows that the compiler refuses anything else.
#[test]
fn a_clone_of_a_handle_shares_the_bytes_and_frees_them_once() {
    let buffer = Buffer::from_vec(vec![1_u32, 2, 3]).unwrap();
    let clones: Vec<_> = (0..10).map(|_| buffer.clone()).collect();
    buffer.write_as::<u32>().unwrap()[0] = 9;
    for clone in &clones {
        assert_eq!(clone.read_as::<u32>().unwrap()[0], 9);
    }
    drop(clones);
    drop(buffer);
}

/// Two live handles gave two mutable slices of the same bytes. (burn, issue 5346)
#[test]
fn two_handles_never_write_at_once() {
    let buffer = Pool::new().rent_zeroed(2 * 2 * 2 * 4).unwrap();
    let other = buffer.clone();
    let first = buffer.write_as::<f32>().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            assert!(matches!(other.write_as::<f32>(), Err(AccessError::BeingWritten { .. })));
        });
    });
    drop(first);
    // Disjoint parts of one buffer are written at once by splitting one guard.
    let mut writing = buffer.write_as::<f32>().unwrap();
    let (left, right) = writing.split_at_mut(4);
    std::thread::scope(|scope| {
        scope.spawn(|| left.fill(1.0));
        scope.spawn(|| right.fill(2.0));
    });
    assert_eq!(writing[..], [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0]);
}

/// An arena grew without end when shapes alternated. (ONNX Runtime, issue 7284)
#[test]
fn alternating_shapes_reach_a_steady_state_after_two_cycles() {
    let pool = Pool::new();
    let mut arena = Arena::new(&pool);
    let mut held = Vec::new();
    for cycle in 0..1000 {
        for (rows, columns) in [(1, 16), (32, 512)] {
            let buffers: Vec<_> = (0..20).map(|layer| arena.alloc(rows * columns * 4 * (layer + 1)).unwrap()).collect();
            buffers[19].write().unwrap().fill(1);
            let pooled = pool.rent(rows * columns * 4).unwrap();
            pooled.write().unwrap().fill(1);
            drop(buffers);
            arena.reset().unwrap();
        }
        let usage = pool.usage().total;
        held.push((arena.bytes_held(), usage.live_bytes + usage.idle_bytes));
        if cycle >= 2 {
            assert_eq!(held[cycle], held[1], "cycle {cycle}");
        }
    }
    arena.trim();
    assert_eq!(arena.bytes_held(), 0);
    pool.trim();
    let usage = pool.usage().total;
    assert_eq!((usage.live_bytes, usage.idle_bytes), (0, 0));
}
