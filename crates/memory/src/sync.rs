//! The one door for atomics, locks and shared counts, so that a model checker can stand in for them.

#[cfg(loom)]
pub(crate) use loom::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU32, AtomicU64, Ordering},
};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The lock of the pool's lists: held for some ten instructions, never while a block is allocated, freed or filled.
///
/// It spins, and gives its time slice away while somebody else holds it. Unlike the standard lock it is released by a
/// plain store, and a warm rent and return is two lockings; and it never puts a thread to sleep that would be needed
/// again at once.
#[cfg(not(loom))]
pub(crate) type Mutex<T> = spin::mutex::SpinMutex<T, spin::Yield>;
#[cfg(not(loom))]
pub(crate) type MutexGuard<'a, T> = spin::mutex::SpinMutexGuard<'a, T, spin::Yield>;

/// The plain shared count, for what models need not watch.
pub(crate) use std::sync::{Arc as PlainArc, Mutex as PlainMutex, OnceLock};

use std::sync::PoisonError;

/// Locks, whatever a panicking holder left behind: no critical section of this crate can unwind half
/// done, so it always guards sound data.
#[cfg(not(loom))]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

/// Locks the model checker's lock likewise.
#[cfg(loom)]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks a plain lock likewise.
pub(crate) fn lock_plain<T>(mutex: &PlainMutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A value that can be taken out once through a shared reference.
///
/// The lock is never contended: whoever takes has first won the right to it elsewhere. It is the
/// standard one in models too, so that it cannot lend them an ordering which the protocol lacks.
#[derive(Debug)]
pub(crate) struct TakeCell<T>(PlainMutex<Option<T>>);

impl<T> TakeCell<T> {
    pub(crate) fn new(value: Option<T>) -> Self {
        Self(PlainMutex::new(value))
    }

    pub(crate) fn take(&self) -> Option<T> {
        lock_plain(&self.0).take()
    }

    pub(crate) fn put(&self, value: T) {
        *lock_plain(&self.0) = Some(value);
    }

    #[inline]
    pub(crate) fn get_mut(&mut self) -> &mut Option<T> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) use tracked::Tracked;

#[cfg(not(loom))]
mod tracked {
    /// What a model checker watches in place of bytes: nothing at all outside of models.
    #[derive(Debug, Clone)]
    pub(crate) struct Tracked;

    impl Tracked {
        #[inline(always)]
        pub(crate) fn new(_length: usize) -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn part(&self, _offset: usize, _length: usize) -> Self {
            Self
        }

        /// Notes that the bytes are read now.
        #[inline(always)]
        pub(crate) fn note_read(&self) {}

        /// Notes that the bytes are written now.
        #[inline(always)]
        pub(crate) fn note_write(&self) {}

        /// Notes that the bytes go away now.
        #[inline(always)]
        pub(crate) fn note_end(&self) {}
    }
}

#[cfg(loom)]
mod tracked {
    use std::{
        ops::Range,
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
        },
    };

    /// What a model checker watches in place of bytes: a cell for each cache line. Every access to the
    /// bytes is noted on their lines, so two that are not ordered fail the model, and so does one after
    /// the end.
    #[derive(Debug, Clone)]
    pub(crate) struct Tracked {
        lines: Arc<Vec<Line>>,
        part: Range<usize>,
    }

    #[derive(Debug)]
    struct Line {
        cell: loom::cell::UnsafeCell<()>,
        is_ended: AtomicBool,
    }

    impl Tracked {
        pub(crate) fn new(length: usize) -> Self {
            let count = length.div_ceil(64);
            let line = |_| Line { cell: loom::cell::UnsafeCell::new(()), is_ended: AtomicBool::new(false) };
            Self { lines: Arc::new((0..count).map(line).collect()), part: 0..count }
        }

        pub(crate) fn part(&self, offset: usize, length: usize) -> Self {
            let start = self.part.start + offset / 64;
            let end = self.part.start + (offset + length).div_ceil(64);
            Self { lines: Arc::clone(&self.lines), part: start..end }
        }

        pub(crate) fn note_read(&self) {
            for line in self.lines() {
                line.cell.with(|_| ());
            }
        }

        pub(crate) fn note_write(&self) {
            for line in self.lines() {
                line.cell.with_mut(|_| ());
            }
        }

        pub(crate) fn note_end(&self) {
            self.note_write();
            for line in self.lines() {
                line.is_ended.store(true, Ordering::Relaxed);
            }
        }

        fn lines(&self) -> impl Iterator<Item = &Line> {
            self.lines[self.part.clone()].iter().inspect(|line| {
                assert!(!line.is_ended.load(Ordering::Relaxed), "bytes used after their block was freed");
            })
        }
    }
}
