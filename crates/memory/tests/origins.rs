//! Memory that came from elsewhere: vectors, mapped files, foreign memory.
#![cfg(not(loom))]
#![expect(unsafe_code, reason = "maps files and wraps foreign memory")]

use std::{
    fs::File,
    io::Write,
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use stratal_memory::{AccessError, AllocationError, Buffer, LENGTH_MAX, MapError, MappedFile, Origin, ReleaseError};

/// A file with these bytes that nobody else can open. Miri maps no files.
#[cfg(not(miri))]
fn file_of(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

#[cfg(not(miri))]
fn read_only(file: &File) -> MappedFile {
    // SAFETY: the file has no name, and the tests do not change it while it is mapped.
    unsafe { MappedFile::open_read_only(file) }.unwrap()
}

#[cfg(not(miri))]
fn copy_on_write(file: &File) -> MappedFile {
    // SAFETY: the file has no name, and the tests do not change it while it is mapped.
    unsafe { MappedFile::open_copy_on_write(file) }.unwrap()
}

#[test]
fn vectors_are_taken_over_without_a_copy() {
    let vector = vec![1.0_f64, 2.0, 3.0];
    let address = vector.as_ptr().addr();
    let buffer = Buffer::from_vec(vector).unwrap();
    assert_eq!(buffer.read().unwrap().as_ptr().addr(), address);
    assert_eq!(buffer.origin(), Origin::Vector);
    buffer.write_as::<f64>().unwrap()[0] = 5.0;
    assert_eq!(buffer.read_as::<f64>().unwrap()[..], [5.0, 2.0, 3.0]);
    let other = buffer.clone();
    buffer.release().unwrap();
    assert!(matches!(other.read(), Err(AccessError::Stale { .. })));
}

#[test]
fn vectors_of_every_shape_come_and_go() {
    let mut spare = Vec::with_capacity(100);
    spare.push(7_u16);
    for buffer in [
        Buffer::from_vec(spare).unwrap(),
        Buffer::from_vec(Vec::<u64>::new()).unwrap(),
        Buffer::from_vec(Vec::<u8>::with_capacity(10)).unwrap(),
        Buffer::from_vec(vec![[1_u8; 3]; 5]).unwrap(),
        Buffer::from_vec(vec![(); 5]).unwrap(),
    ] {
        let length = buffer.len();
        assert_eq!(buffer.read().unwrap().len(), length);
        assert_eq!(buffer.write().unwrap().len(), length);
        std::thread::spawn(move || drop(buffer)).join().unwrap();
    }
}

#[test]
#[cfg(not(miri))]
fn a_vector_of_bytes_keeps_its_alignment_and_typed_access_checks_it() {
    let buffer = Buffer::from_vec(vec![0_u64; 4]).unwrap();
    assert!(buffer.read_as::<u64>().is_ok());
    assert!(buffer.read_as::<u32>().is_ok());
    // A window of a file that starts off the elements' grid.
    let file = file_of(&[0; 64]);
    let window = read_only(&file).window(1, 8).unwrap();
    assert_eq!(window.read_as::<u64>().unwrap_err(), AccessError::Misaligned { alignment: 8 });
    assert!(window.read_as::<[u8; 8]>().is_ok());
}

#[test]
#[cfg(not(miri))]
fn read_only_memory_refuses_writers_and_stays_readable() {
    let file = file_of(b"0123456789");
    let mapped = read_only(&file);
    assert_eq!((mapped.len(), mapped.is_empty()), (10, false));
    let buffer = mapped.window(2, 5).unwrap();
    assert_eq!(buffer.read().unwrap()[..], *b"23456");
    assert!(buffer.is_read_only());
    let refused = AccessError::ReadOnly { origin: Origin::MappedFile { offset: 2 }, length: 5 };
    assert_eq!(buffer.write().unwrap_err(), refused);
    assert_eq!(buffer.write_as::<u8>().unwrap_err(), refused);
    assert_eq!(refused.to_string(), "the window at byte 2 of a mapped file, 5 bytes, is read-only memory");
    assert_eq!(buffer.version(), 0);
    let overlapping = mapped.window(4, 6).unwrap();
    let (first, second) = (buffer.read().unwrap(), overlapping.read().unwrap());
    assert_eq!(first[2], second[0]);
    drop((first, second));
    buffer.release().unwrap();
    assert!(matches!(buffer.write(), Err(AccessError::Stale { .. })));
    assert!(overlapping.read().is_ok(), "one window's end is not the other's");
}

#[test]
#[cfg(not(miri))]
fn a_mapping_lives_as_long_as_its_last_window() {
    let file = file_of(&[9; 10_000]);
    let mapped = read_only(&file);
    let window = mapped.window(5000, 5000).unwrap();
    drop(mapped);
    drop(file);
    assert_eq!(window.freeze().unwrap()[4999], 9);
}

#[test]
#[cfg(not(miri))]
fn copies_are_written_and_the_file_is_not() {
    let file = file_of(b"abcdef");
    let mapped = copy_on_write(&file);
    let left = mapped.window(0, 3).unwrap();
    let right = mapped.window(3, 3).unwrap();
    let mut writing = left.write().unwrap();
    writing[0] = b'X';
    assert_eq!(right.read().unwrap()[..], *b"def");
    drop(writing);
    assert!(matches!(
        mapped.window(2, 2),
        Err(MapError::Overlap { offset: 2, length: 2, live_offset: live }) if live == 0 || live == 3
    ));
    assert!(mapped.window(3, 0).is_ok(), "an empty window shares nothing");
    drop(left);
    let again = mapped.window(0, 2).unwrap();
    assert_eq!(again.read().unwrap()[..], *b"Xb", "the copy stays with the mapping");
    right.release().unwrap();
    assert!(mapped.window(2, 4).is_ok());
    assert_eq!(read_only(&file).window(0, 6).unwrap().read().unwrap()[..], *b"abcdef");
}

#[test]
#[cfg(not(miri))]
fn windows_past_the_file_or_the_limit_are_errors() {
    let file = file_of(&[1; 100]);
    for mapped in [read_only(&file), copy_on_write(&file)] {
        for (offset, length) in [(0, 101), (100, 1), (101, 0), (u64::MAX, 1), (50, 51), (u64::MAX, LENGTH_MAX as u64)] {
            let error = mapped.window(offset, length).unwrap_err();
            assert!(matches!(error, MapError::OutOfBounds { file_length: 100, .. }), "{error}");
        }
        for length in [LENGTH_MAX as u64 + 1, u64::MAX] {
            assert!(matches!(mapped.window(0, length), Err(MapError::TooLong { .. })));
        }
        assert!(mapped.window(100, 0).unwrap().read().unwrap().is_empty());
    }
    let empty = file_of(b"");
    for mapped in [read_only(&empty), copy_on_write(&empty)] {
        assert!(mapped.is_empty());
        assert!(mapped.window(0, 0).unwrap().read().unwrap().is_empty());
        assert!(mapped.window(0, 1).is_err());
    }
}

/// A file larger than one buffer may be, without the disk space: one mapping, many buffers.
#[test]
#[cfg(all(unix, target_pointer_width = "64", not(miri)))]
fn one_large_mapping_gives_many_buffers() {
    let file = tempfile::tempfile().unwrap();
    file.set_len(5 << 30).unwrap();
    let mapped = read_only(&file);
    assert_eq!(mapped.len(), 5 << 30);
    let windows: Vec<_> = (0..3).map(|index| mapped.window(index * (LENGTH_MAX as u64), LENGTH_MAX as u64)).collect();
    assert!(windows[0].is_ok() && windows[1].is_ok());
    assert!(matches!(windows[2], Err(MapError::OutOfBounds { .. })));
    let last = mapped.window((5 << 30) - 1, 1).unwrap();
    assert_eq!(last.read().unwrap()[0], 0);
}

/// Wraps a counted, boxed slice.
fn foreign(bytes: &[u8], drops: &Arc<AtomicUsize>, is_read_only: bool) -> Buffer {
    let mut owned = Box::<[u8]>::from(bytes);
    let length = owned.len();
    let pointer = NonNull::new(owned.as_mut_ptr()).unwrap();
    let raw = Box::into_raw(owned).expose_provenance();
    let drops = Arc::clone(drops);
    let drop_function = move || {
        drops.fetch_add(1, Ordering::Relaxed);
        let start = std::ptr::with_exposed_provenance_mut::<u8>(raw);
        let slice = std::ptr::slice_from_raw_parts_mut(start, length);
        // SAFETY: the slice was taken from a box above, and this function runs once.
        drop(unsafe { Box::from_raw(slice) });
    };
    let pointer = NonNull::new(std::ptr::with_exposed_provenance_mut::<u8>(pointer.addr().get())).unwrap();
    if is_read_only {
        // SAFETY: the bytes live until the drop function runs, and nobody else uses them.
        unsafe { Buffer::from_foreign_read_only(pointer, length, drop_function) }.unwrap()
    } else {
        // SAFETY: the bytes live until the drop function runs, and nobody else uses them.
        unsafe { Buffer::from_foreign(pointer, length, drop_function) }.unwrap()
    }
}

#[test]
fn a_drop_function_runs_exactly_once_whichever_way_the_buffer_ends() {
    let drops = Arc::new(AtomicUsize::new(0));
    let count = || drops.load(Ordering::Relaxed);

    let buffer = foreign(b"abc", &drops, false);
    buffer.write().unwrap()[0] = b'x';
    let other = buffer.clone();
    drop(buffer);
    assert_eq!(count(), 0);
    assert_eq!(other.read().unwrap()[..], *b"xbc");
    drop(other);
    assert_eq!(count(), 1, "at the last drop");

    let buffer = foreign(b"abc", &drops, false);
    buffer.release().unwrap();
    assert_eq!(count(), 2, "at the release");
    assert!(buffer.release().is_err());
    drop(buffer);
    assert_eq!(count(), 2);

    let buffer = foreign(b"abc", &drops, true);
    assert!(matches!(buffer.write(), Err(AccessError::ReadOnly { .. })));
    let frozen = buffer.freeze().unwrap();
    assert!(matches!(buffer.release(), Err(ReleaseError::Refused(AccessError::Frozen { .. }))));
    drop(buffer);
    assert_eq!(frozen[..], *b"abc");
    drop(frozen);
    assert_eq!(count(), 3, "at the last drop of a frozen handle");

    let buffer = foreign(b"abc", &drops, false);
    std::mem::forget(buffer.read().unwrap());
    assert!(buffer.release().is_err());
    drop(buffer);
    assert_eq!(count(), 4, "a forgotten guard does not keep it");
}

#[test]
fn threads_that_end_a_foreign_buffer_at_once_run_its_function_once() {
    for round in 0..200 {
        let drops = Arc::new(AtomicUsize::new(0));
        let buffer = foreign(&[1; 100], &drops, false);
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let handle = buffer.clone();
                scope.spawn(move || {
                    if (round + thread) % 2 == 0 {
                        let _ = handle.release();
                    }
                    drop(handle);
                });
            }
            drop(buffer);
        });
        assert_eq!(drops.load(Ordering::Relaxed), 1);
    }
}

#[test]
fn a_drop_function_runs_where_the_buffer_cannot_be_made() {
    let drops = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&drops);
    // SAFETY: the length is refused, so the memory is not used.
    let refused = unsafe {
        Buffer::from_foreign(NonNull::dangling(), LENGTH_MAX + 1, move || {
            counter.fetch_add(1, Ordering::Relaxed);
        })
    };
    assert_eq!(refused.unwrap_err(), AllocationError::TooLong { length: LENGTH_MAX + 1 });
    assert_eq!(drops.load(Ordering::Relaxed), 1);
}

#[test]
fn a_panicking_drop_function_unwinds_once_and_leaves_the_handle_stale() {
    let drops = Arc::new(AtomicUsize::new(0));
    let make = |bytes: &'static [u8]| {
        let counter = Arc::clone(&drops);
        let pointer = NonNull::from(bytes).cast::<u8>();
        // SAFETY: the bytes are a constant: they live for good and nobody writes them.
        unsafe {
            Buffer::from_foreign_read_only(pointer, bytes.len(), move || {
                counter.fetch_add(1, Ordering::Relaxed);
                panic!("on purpose");
            })
        }
        .unwrap()
    };
    let buffer = make(b"ab");
    let handle = buffer.clone();
    assert!(std::panic::catch_unwind(move || handle.release()).is_err());
    assert_eq!(drops.load(Ordering::Relaxed), 1);
    assert!(matches!(buffer.read(), Err(AccessError::Stale { .. })));
    assert!(buffer.release().is_err());
    drop(buffer);
    assert_eq!(drops.load(Ordering::Relaxed), 1);

    let buffer = make(b"cd");
    assert!(std::panic::catch_unwind(move || drop(buffer)).is_err());
    assert_eq!(drops.load(Ordering::Relaxed), 2);
}
